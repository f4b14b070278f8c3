export { createLog, forRequest, Log, nestLogger } from './log.js';
export { isSecret } from './redact.js';
