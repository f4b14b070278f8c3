export { createLog, Log, nestLogger } from './log.js';
export { LoggingModule } from './logging.module.js';
export { isSecret } from './redact.js';
