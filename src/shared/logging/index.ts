export { isSecret } from './is-secret.js';
export { createLog, Log, nestLogger } from './log.js';
export { LoggingModule } from './logging.module.js';
