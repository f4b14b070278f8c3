export { FairLimit } from './fair-limit.js';
export { inTurns } from './in-turns.js';
