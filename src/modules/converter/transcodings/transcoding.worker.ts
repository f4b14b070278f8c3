import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import { WorkerPresence } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { Clock } from '../../../shared/time/index.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { TranscodingExecutionService } from '../execution/transcoding-execution.service.js';
import type { TranscodingOutcome } from '../execution/transcoding-outcome.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { ConverterWorkersService } from '../tools/converter-workers.service.js';
import { ToolboxService } from '../tools/toolbox.service.js';
import { TranscodingAttempt } from './transcoding-attempt.js';
import { TranscodingCompletionService } from './transcoding-completion.service.js';
import { type ClaimedTranscoding, TranscodingsRepository } from './transcodings.repository.js';
import { cancelledIdIn, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

/** The longest delay of a retry that is due, or after a notification that was lost. */
const POLL_INTERVAL_MS = 1_000;
const CLEANUP_INTERVAL_MS = 60_000;
/** How often the worker checks whether the machine lets it work: while it does, and while it does not. */
const CHECK_INTERVAL_MS = 60_000;
const CHECK_AGAIN_MS = 10_000;
/** How long a statement may still run whose answer was lost (statement_timeout, and a little more). */
const UNKNOWN_CLAIMS_MS = 35_000;
/** What has not stopped by then is left to other processes; background jobs have 5 s in all. */
const SHUTDOWN_MS = 4_000;

/** Programs use several cores, and requests have to be answered meanwhile: half of the cores, shared by the web processes. */
const slotsOf = ({ webConcurrency }: Config): number => Math.max(1, Math.floor(availableParallelism() / 2 / webConcurrency));

/** Claims transcodings and works on as many at a time as this process has slots (WORKER=inline). */
@Injectable()
export class TranscodingWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** As it is stored in `locked_by` of a transcoding. */
  readonly name = `converter-${randomUUID()}`;
  readonly slots: number;
  /** The attempts that run, by the id of the transcoding. */
  private readonly attempts = new Map<string, TranscodingAttempt>();
  private readonly running = new Set<Promise<void>>();
  private state: 'off' | 'on' | 'stopping' = 'off';
  private hasJoined = false;
  /** Why this worker cannot work; null: it can. */
  private problem: string | null = null;
  private checkAt = 0;
  private timers: readonly NodeJS.Timeout[] = [];
  private polling: Promise<void> | null = null;
  /** Whether to poll once more after the poll that runs. */
  private pollRequested = false;
  /** Until this moment (performance.now) there may be claims of this worker that it does not know. */
  private unknownClaimsUntil = 0;

  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletionService,
    private readonly config: Config,
    private readonly database: Database,
    private readonly execution: TranscodingExecutionService,
    private readonly folders: WorkFoldersService,
    private readonly log: Log,
    private readonly notifications: Notifications,
    private readonly presence: WorkerPresence,
    private readonly toolbox: ToolboxService,
    private readonly transcodings: TranscodingsRepository,
    private readonly workers: ConverterWorkersService,
  ) {
    this.slots = slotsOf(config);
  }

  onModuleInit(): void {
    this.notifications.on(TRANSCODINGS_CHANNEL, (message) => {
      const id = cancelledIdIn(message);
      if (id !== null) this.attempts.get(id)?.stop();
      else this.wake();
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.worker === 'off') return;
    this.presence.announce(this.name);
    this.state = 'on';
    this.timers = [setInterval(() => this.wake(), POLL_INTERVAL_MS), setInterval(() => this.removeOldFolders(), CLEANUP_INTERVAL_MS)];
    this.wake();
  }

  /** Before the connection pool closes (onApplicationShutdown). What does not stop in time is continued by others once the advisory lock is free. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.state === 'off') return;
    this.state = 'stopping';
    for (const timer of this.timers) clearInterval(timer);
    await this.polling;
    for (const attempt of this.attempts.values()) attempt.release();
    const patience = new AbortController();
    await Promise.race([Promise.all(this.running), delay(SHUTDOWN_MS, undefined, patience).catch(() => {})]);
    patience.abort();
    this.state = 'off';
    await this.workers.leave(this.name).catch((err: unknown) => this.log.warn({ err }, 'cannot say that a converter worker has ended'));
    await this.presence.withdraw(this.name);
  }

  /** Polls for transcodings now, or once more after the poll that runs. */
  wake(): void {
    this.pollRequested = true;
    if (this.state === 'on') this.polling ??= this.pollWhileRequested();
  }

  private async pollWhileRequested(): Promise<void> {
    try {
      while (this.pollRequested && this.state === 'on') {
        this.pollRequested = false;
        await this.poll();
      }
    } catch (err) {
      this.unknownClaimsUntil = performance.now() + UNKNOWN_CLAIMS_MS;
      this.log.warn({ err }, 'cannot look for transcoding jobs, trying again');
    }
    this.polling = null;
  }

  private async poll(): Promise<void> {
    if (this.clock.now().getTime() >= this.checkAt) await this.checkMachine();
    if (this.problem !== null) return;
    if (performance.now() < this.unknownClaimsUntil) await this.transcodings.releaseAllExcept([...this.attempts.keys()], this.name);
    while (this.state === 'on' && this.attempts.size < this.slots) {
      const transcoding = await this.transcodings.claim(await this.toolbox.programs(), this.name);
      if (!transcoding) return;
      this.startAttempt(transcoding);
    }
  }

  /** Finds out whether the machine lets this worker work. A change is reported once: in the log, and to all processes. */
  private async checkMachine(): Promise<void> {
    const problem = await this.folders.findProblem();
    if (!this.hasJoined || problem !== this.problem) {
      await (problem === null ? this.workers.join(this.name) : this.workers.reportProblem(this.name, problem));
      if (problem !== null) this.log.error({ worker: this.name, problem }, 'a converter worker cannot work, looking again');
    }
    const isNew = problem === null && (!this.hasJoined || this.problem !== null);
    this.hasJoined = true;
    this.problem = problem;
    this.checkAt = this.clock.now().getTime() + (problem === null ? CHECK_INTERVAL_MS : CHECK_AGAIN_MS);
    if (isNew) this.removeOldFolders();
  }

  private startAttempt(transcoding: ClaimedTranscoding): void {
    const attempt = new TranscodingAttempt(transcoding, async (own, percent) => await this.renewClaim(own, percent));
    this.attempts.set(transcoding.id, attempt);
    const working = this.work(attempt)
      .catch((err: unknown) => this.log.error({ err, jobId: transcoding.id }, 'how a transcoding ended was not recorded'))
      .then(() => {
        attempt.close();
        this.attempts.delete(transcoding.id);
        this.running.delete(working);
        this.wake();
      });
    this.running.add(working);
  }

  private async work(attempt: TranscodingAttempt): Promise<void> {
    const outcome = await this.execute(attempt);
    const { transcoding, isReleased } = attempt;
    if (isReleased && outcome.kind === 'later') return await this.transcodings.release(transcoding, this.name);
    await this.completion.record({ transcoding, worker: this.name, outcome, goesOn: () => this.state !== 'off' });
  }

  private async execute(attempt: TranscodingAttempt): Promise<TranscodingOutcome> {
    try {
      return await this.execution.run(attempt.transcoding, attempt);
    } catch (err) {
      this.log.error({ err, jobId: attempt.transcoding.id }, 'the work on a transcoding failed');
      return { kind: 'later', reason: 'the work on it failed unexpectedly.' };
    }
  }

  private removeOldFolders(): void {
    if (!this.hasJoined || this.problem !== null) return;
    this.folders
      .removeAbandoned()
      .catch((err: unknown) => this.log.warn({ err }, 'cannot remove what dead workers left on the disk, trying again'));
  }

  private async renewClaim(transcoding: ClaimedTranscoding, percent: number): Promise<boolean> {
    return await this.database.transaction(async () => {
      const isClaimed = await this.transcodings.renewClaim(transcoding, this.name);
      if (isClaimed) await this.activities.advance(transcoding.id, percent);
      return isClaimed;
    });
  }
}
