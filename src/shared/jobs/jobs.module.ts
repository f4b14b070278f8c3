import { Global, Module } from '@nestjs/common';
import { HousekeepingService } from './housekeeping.service.js';
import { JobsService } from './jobs.service.js';
import { JobsWorker } from './jobs.worker.js';
import { WorkerPresenceService } from './worker-presence.service.js';

@Global()
@Module({
  providers: [HousekeepingService, JobsWorker, JobsService, WorkerPresenceService],
  exports: [HousekeepingService, JobsService, WorkerPresenceService],
})
export class JobsModule {}
