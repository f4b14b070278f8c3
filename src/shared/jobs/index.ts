export { type Chore, Housekeeping } from './housekeeping.js';
export { type JobHandler, type JobOptions, Jobs, UNTIL_DONE } from './jobs.js';
export { JobsModule } from './jobs.module.js';
export { QueueWorker } from './queue.worker.js';
export { type ClaimedWork, WorkerPresence } from './worker-presence.js';
