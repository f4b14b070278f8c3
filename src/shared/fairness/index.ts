export { FairLimit } from './fair-limit.js';
export { inTurns } from './in-turns.js';
export { SharedWork } from './shared-work.js';
export { clientDisconnected, forClient } from './waiting-client.js';
