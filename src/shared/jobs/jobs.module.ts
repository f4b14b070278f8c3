import { Global, Module } from '@nestjs/common';
import { Housekeeping } from './housekeeping.js';
import { JobRunner } from './job-runner.js';
import { Jobs } from './jobs.js';
import { WorkerPresence } from './worker-presence.js';

@Global()
@Module({ providers: [Housekeeping, JobRunner, Jobs, WorkerPresence], exports: [Housekeeping, Jobs, WorkerPresence] })
export class JobsModule {}
