import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Job, Logger, parseCronItems, type Runner, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { isOutage } from '../errors.js';
import { atEventDepth } from '../events/event-depth.js';
import { Log } from '../logging/index.js';
import { SeriesCounter } from '../series-counter.js';
import { continueTrace } from '../tracing/spans.js';
import { HousekeepingService } from './housekeeping.service.js';
import { JobsRepository } from './jobs.repository.js';
import { type JobHandler, JobsService, readStoredJob } from './jobs.service.js';
import { WorkerPresenceService } from './worker-presence.service.js';

/** Maximum number of concurrent jobs of a process; they mostly wait for the network. */
export const CONCURRENCY = 4;
const RESTART_AFTER_MS = 1_000;
const HOUSEKEEPING = 'housekeeping';

const attempts = new SeriesCounter({
  name: 'jobs_total',
  help: 'Attempts at background jobs, by task and outcome; retried: the attempt failed, and another one follows; failed: it was the last one.',
  labels: ['task', 'outcome'],
});

/** A runner and the names under which its jobs are locked. */
interface Running {
  readonly runner: Runner;
  readonly workers: ReadonlySet<string>;
}

/** Runs background jobs in this process (WORKER=inline). */
@Injectable()
export class JobsWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private current: Running | null = null;
  private stopping = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly housekeeping: HousekeepingService,
    private readonly repository: JobsRepository,
    private readonly presence: WorkerPresenceService,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.jobs.schedule(HOUSEKEEPING, '* * * * *');
    this.jobs.handle(HOUSEKEEPING, async () => await this.housekeeping.run());
    this.housekeeping.register('scheduled_jobs', async () => {
      await this.repository.settleFailed([...this.jobs.schedules.keys()]);
      return 0;
    });
    if (this.config.worker === 'off') return;
    await this.presence.start();
    this.current = await this.start();
    void this.keepRunning();
  }

  /** Runs before the connection pool closes (onApplicationShutdown). */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.current?.runner.stop();
    await this.presence.stop();
  }

  /** graphile-worker stops when it can neither complete nor release a job; the service then starts a new runner. */
  private async keepRunning(): Promise<void> {
    while (!this.stopping) {
      try {
        this.current ??= await this.start();
        await this.current.runner.promise;
      } catch (err) {
        this.log.error({ err }, 'the job runner failed');
      }
      if (this.stopping) return;
      this.log.error('the job runner ended, starting another one');
      const ended = this.current;
      this.current = null;
      await setTimeout(RESTART_AFTER_MS, undefined, { ref: false });
      for (const worker of ended?.workers ?? []) await this.presence.withdraw(worker);
    }
  }

  private async start(): Promise<Running> {
    const workers = new Set<string>();
    const events: WorkerEvents = new EventEmitter();
    // Jobs are locked under the name of the pool, not of the single worker in it.
    events.on('pool:create', ({ workerPool }) => {
      workers.add(workerPool.id);
      this.presence.announce(workerPool.id);
    });
    this.countAttempts(events);
    const runner = await run({
      pgPool: this.database.pool,
      // Without these settings, graphile-worker does not await the completion of a job, so an unavailable database would end the whole process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      taskList: this.taskList(),
      // graphile-worker adds a cron job once for all processes together. With the key, the next job replaces one that failed or whose
      // worker died.
      parsedCronItems: parseCronItems(
        [...this.jobs.schedules].map(([task, match]) => ({ task, match, options: { queueName: task, jobKey: task, maxAttempts: 1 } })),
      ),
      logger: new Logger((scope) => (level, message, meta) => {
        // graphile-worker writes job and stack into the message of a failed job; with the error, the log can combine lines about the same cause.
        const isFailure = meta?.failure === true;
        const { task_identifier: task, attempts: attempt } = (isFailure ? meta.job : {}) as Partial<Job>;
        const line = { scope, ...(isFailure && { task, attempt }), err: meta?.error };
        this.log[level === 'warning' ? 'warn' : level === 'info' ? 'debug' : level](line, isFailure ? 'a background job failed' : message);
      }),
      events,
    });
    return { runner, workers };
  }

  private countAttempts(events: WorkerEvents): void {
    for (const task of this.jobs.handlers.keys())
      for (const outcome of ['succeeded', 'retried', 'failed']) attempts.series({ task, outcome });
    const count = (task: string, outcome: string) => {
      attempts.series({ task, outcome }).count += 1;
    };
    events.on('job:success', ({ job }) => count(job.task_identifier, 'succeeded'));
    events.on('job:error', ({ job, error }) => {
      count(job.task_identifier, job.attempts < job.max_attempts || isOutage(error) ? 'retried' : 'failed');
    });
  }

  private taskList(): TaskList {
    return Object.fromEntries([...this.jobs.handlers].map(([task, handler]) => [task, this.asTask(task, handler)] as const));
  }

  /** Runs the handler at the event depth and in the trace that were stored with the job. An attempt that fails in an outage does not count. */
  private asTask(task: string, handler: JobHandler<never>): Task {
    return async (stored, { job }) => {
      const { depth, rootEventId, traceparent, payload } = readStoredJob(stored);
      const work = async () => await atEventDepth(depth, async () => await handler(payload as never), rootEventId);
      try {
        await continueTrace(traceparent, { name: `job ${task}`, kind: 'consumer' }, work);
      } catch (error) {
        if (isOutage(error))
          await this.repository
            .excuse(job.id)
            .catch((err) => this.log.warn({ err, task }, 'an attempt counts although it failed in an outage'));
        throw error;
      }
    };
  }
}
