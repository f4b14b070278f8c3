import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import { Activities } from '../../activity/index.js';
import { JobExecution } from '../execution/job-execution.js';
import type { JobOutcome } from '../execution/job-outcome.js';
import { WorkFolders } from '../execution/work-folders.js';
import { ConverterWorkers } from '../tools/converter-workers.js';
import { Toolbox } from '../tools/toolbox.js';
import type { ClaimedJob } from './claimed-job.js';
import { JobAttempt } from './job-attempt.js';
import { JobLeases } from './job-leases.js';
import { JobSettlement } from './job-settlement.js';
import { jobOfCancellation, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

/** Nothing waits longer than that: the next try of a job, a notification that got lost. */
const LOOK_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;
/** How often it is looked whether the machine lets this worker work: while it does, and while it does not. */
const EXAMINE_EVERY_MS = 60_000;
const EXAMINE_AGAIN_MS = 10_000;
/** A statement whose answer was lost may still be at work so long (statement_timeout, and a little more). */
const DOUBT_MS = 35_000;
/** What has not stopped so long after the service stopped is left to other processes; background jobs have 5 s in all. */
const ENDING_MS = 4_000;

/** Programs use several cores, and requests are to be answered meanwhile: half of the cores, shared by the web processes. */
const slotsOf = ({ webConcurrency }: Config): number => Math.max(1, Math.floor(availableParallelism() / 2 / webConcurrency));

/** Takes jobs from the line and works on as many at a time as this process has slots (WORKER=inline). */
@Injectable()
export class TranscodingWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** As it stands in `locked_by` of a job. */
  readonly name = `converter-${randomUUID()}`;
  readonly slots: number;
  /** What goes on, by job. */
  private readonly attempts = new Map<string, JobAttempt>();
  private readonly underWay = new Set<Promise<void>>();
  private state: 'off' | 'on' | 'stopping' = 'off';
  private hasJoined = false;
  /** Why this worker cannot work; null: it can. */
  private problem: string | null = null;
  private examineAt = 0;
  private timers: readonly NodeJS.Timeout[] = [];
  private looking: Promise<void> | null = null;
  /** Whether to look once more after the look that goes on. */
  private wished = false;
  /** Until then (performance.now) jobs may be taken in the name of this worker of which it knows nothing. */
  private doubtUntil = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly activities: Activities,
    private readonly database: Database,
    private readonly execution: JobExecution,
    private readonly folders: WorkFolders,
    private readonly leases: JobLeases,
    private readonly notifications: Notifications,
    private readonly presence: WorkerPresence,
    private readonly settlement: JobSettlement,
    private readonly toolbox: Toolbox,
    private readonly workers: ConverterWorkers,
    private readonly log: Log,
  ) {
    this.slots = slotsOf(config);
  }

  onModuleInit(): void {
    this.notifications.on(TRANSCODINGS_CHANNEL, (message) => {
      const jobId = jobOfCancellation(message);
      if (jobId !== null) this.attempts.get(jobId)?.stop();
      else this.wake();
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.worker === 'off') return;
    this.presence.announce(this.name);
    this.state = 'on';
    this.timers = [setInterval(() => this.wake(), LOOK_EVERY_MS), setInterval(() => this.sweep(), SWEEP_EVERY_MS)];
    this.wake();
  }

  /** Before the connection pool closes (onApplicationShutdown). What does not stop in time is taken over by others when the lock is free. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    for (const timer of this.timers) clearInterval(timer);
    await this.looking;
    for (const attempt of this.attempts.values()) attempt.giveUp();
    const patience = new AbortController();
    await Promise.race([Promise.all(this.underWay), delay(ENDING_MS, undefined, patience).catch(() => {})]);
    patience.abort();
    this.state = 'off';
    await this.workers.leave(this.name).catch((err: unknown) => this.log.warn({ err }, 'cannot say that a converter worker has ended'));
    await this.presence.withdraw(this.name);
  }

  /** Looks for jobs now, or once more after the look that goes on. */
  wake(): void {
    this.wished = true;
    if (this.state === 'on') this.looking ??= this.lookWhileWished();
  }

  private async lookWhileWished(): Promise<void> {
    try {
      while (this.wished && this.state === 'on') {
        this.wished = false;
        await this.look();
      }
    } catch (err) {
      this.doubtUntil = performance.now() + DOUBT_MS;
      this.log.warn({ err }, 'cannot look for transcoding jobs, trying again');
    }
    this.looking = null;
  }

  private async look(): Promise<void> {
    if (this.clock.now().getTime() >= this.examineAt) await this.examine();
    if (this.problem !== null) return;
    if (performance.now() < this.doubtUntil) await this.leases.giveBackAllBut([...this.attempts.keys()], this.name);
    while (this.state === 'on' && this.attempts.size < this.slots) {
      const job = await this.leases.claim(await this.toolbox.programs(), this.name);
      if (!job) return;
      this.begin(job);
    }
  }

  /** Finds out whether the machine lets this worker work. A change is told once: in the log, and to all processes. */
  private async examine(): Promise<void> {
    const problem = await this.folders.findProblem();
    if (!this.hasJoined || problem !== this.problem) {
      await (problem === null ? this.workers.join(this.name) : this.workers.excuse(this.name, problem));
      if (problem !== null) this.log.error({ worker: this.name, problem }, 'a converter worker cannot work, looking again');
    }
    const isNew = problem === null && (!this.hasJoined || this.problem !== null);
    this.hasJoined = true;
    this.problem = problem;
    this.examineAt = this.clock.now().getTime() + (problem === null ? EXAMINE_EVERY_MS : EXAMINE_AGAIN_MS);
    if (isNew) this.sweep();
  }

  private begin(job: ClaimedJob): void {
    const attempt = new JobAttempt(job, async (own, percent) => await this.show(own, percent));
    this.attempts.set(job.id, attempt);
    const working = this.work(attempt)
      .catch((err: unknown) => this.log.error({ err, jobId: job.id }, 'how a transcoding ended was not recorded'))
      .then(() => {
        attempt.close();
        this.attempts.delete(job.id);
        this.underWay.delete(working);
        this.wake();
      });
    this.underWay.add(working);
  }

  private async work(attempt: JobAttempt): Promise<void> {
    const outcome = await this.run(attempt);
    const { job, givenUp } = attempt;
    if (givenUp && outcome.kind === 'later') return await this.leases.giveBack(job, this.name);
    await this.settlement.settle({ job, holder: this.name, outcome, goesOn: () => this.state !== 'off' });
  }

  private async run(attempt: JobAttempt): Promise<JobOutcome> {
    try {
      return await this.execution.run(attempt.job, attempt);
    } catch (err) {
      this.log.error({ err, jobId: attempt.job.id }, 'the work on a transcoding failed');
      return { kind: 'later', reason: 'the work on it failed unexpectedly.' };
    }
  }

  private sweep(): void {
    if (!this.hasJoined || this.problem !== null) return;
    this.folders.sweep().catch((err: unknown) => this.log.warn({ err }, 'cannot remove what dead workers left on the disk, trying again'));
  }

  private async show(job: ClaimedJob, percent: number): Promise<boolean> {
    return await this.database.transaction(async () => {
      const isOurs = await this.leases.beat(job, this.name);
      if (isOurs) await this.activities.advance(job.id, percent);
      return isOurs;
    });
  }
}
