import { Global, Module } from '@nestjs/common';
import { HousekeepingService } from './housekeeping.service.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';
import { JobsWorker } from './jobs.worker.js';
import { WaitingJobsService } from './waiting-jobs.service.js';
import { WorkerPresenceService } from './worker-presence.service.js';

@Global()
@Module({
  providers: [HousekeepingService, JobsRepository, JobsWorker, JobsService, WaitingJobsService, WorkerPresenceService],
  exports: [HousekeepingService, JobsService, WaitingJobsService, WorkerPresenceService],
})
export class JobsModule {}
