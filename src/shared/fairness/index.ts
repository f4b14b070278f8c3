export { AbandonableWork } from './abandonable-work.js';
export { FairLimit } from './fair-limit.js';
export { inTurns } from './in-turns.js';
export { clientDisconnected, forClient } from './waiting-client.js';
