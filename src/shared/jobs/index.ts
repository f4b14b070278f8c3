export { type Chore, Housekeeping } from './housekeeping.js';
export { type JobHandler, type JobOptions, Jobs } from './jobs.js';
export { JobsModule } from './jobs.module.js';
