import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { COUNT_WORKER_PROCESSES, HAS_WAITING_JOB } from './jobs.queries.js';

/** Reads what PostgreSQL knows about background jobs and the processes that run them. */
@Injectable()
export class JobsRepository {
  constructor(private readonly database: Database) {}

  /** The number of processes that run background jobs, on all machines. */
  async countWorkerProcesses(): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(COUNT_WORKER_PROCESSES))?.count ?? 0;
  }

  /** Whether a job has been due for more than a minute and no worker has claimed it. */
  async hasWaitingJob(): Promise<boolean> {
    return (await this.database.queryOne<{ waits: boolean }>(HAS_WAITING_JOB))?.waits === true;
  }
}
