export { type Chore, Housekeeping } from './housekeeping.js';
export { type JobHandler, type JobOptions, Jobs, UNTIL_DONE } from './jobs.js';
export { JobsModule } from './jobs.module.js';
export { type ClaimedWork, WorkerPresence } from './worker-presence.js';
