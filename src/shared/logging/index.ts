export { createLog, Log, nestLogger } from './log.js';
export { isSecret } from './redact.js';
export { forRequest } from './request-id.js';
