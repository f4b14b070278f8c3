export { type Chore, HousekeepingService } from './housekeeping.service.js';
export { JobsModule } from './jobs.module.js';
export { WAITED_TOO_LONG } from './jobs.repository.js';
export { type JobHandler, type JobOptions, JobsService, UNTIL_DONE } from './jobs.service.js';
export { QueueWorker } from './queue.worker.js';
export { WaitingJobsService } from './waiting-jobs.service.js';
export { type ClaimedWork, WorkerPresenceService } from './worker-presence.service.js';
