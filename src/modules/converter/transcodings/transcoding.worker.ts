import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, Notifications } from '../../../shared/database/index.js';
import { QueueWorker, WorkerPresenceService } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { continueTrace } from '../../../shared/tracing/index.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { TranscodingExecutionService } from '../execution/transcoding-execution.service.js';
import type { TranscodingOutcome } from '../execution/transcoding-outcome.js';
import { WorkFoldersService } from '../execution/work-folders.service.js';
import { ConverterWorkersService } from '../tools/converter-workers.service.js';
import { ToolboxService } from '../tools/toolbox.service.js';
import { WorkLimitsService } from '../tools/work-limits.service.js';
import { findFreePlace, placesOf } from './free-place.js';
import { TranscodingAttempt } from './transcoding-attempt.js';
import { TranscodingCompletionService } from './transcoding-completion.service.js';
import { type ClaimedTranscoding, type FreePlace, type RunningTranscoding, TranscodingsRepository } from './transcodings.repository.js';
import { cancelledIdIn, TRANSCODINGS_CHANNEL } from './transcodings-channel.js';

const CLEANUP_INTERVAL_MS = 60_000;
/** How often the worker checks whether it can work on this machine: while it can, and while it cannot. */
const CHECK_INTERVAL_MS = 60_000;
const CHECK_AGAIN_MS = 10_000;
const STALLED_INTERVAL_MS = 10_000;
/** While the database was down, no worker could renew its claims; workers get this many successful checks to do so. */
const CHECKS_BEFORE_RELEASE = 3;

/**
 * Claims transcodings and works on as many at a time as this process has places for short and for long work (WORKER=inline). Releases the transcodings of workers that died or
 * stalled, so that others continue them.
 */
@Injectable()
export class TranscodingWorker extends QueueWorker {
  /** The number of places for short work, and for long work. */
  readonly places: number;
  /** The attempts that run, by the id of the transcoding. */
  private readonly attempts = new Map<string, TranscodingAttempt>();
  private hasJoined = false;
  /** Why this worker cannot work; null: it can. */
  private problem: string | null = null;
  private checkAt = 0;
  /** Consecutive checks for stalled workers that the database answered. */
  private answeredChecks = 0;

  constructor(
    private readonly activities: ActivitiesRepository,
    private readonly clock: Clock,
    private readonly completion: TranscodingCompletionService,
    config: Config,
    private readonly database: Database,
    private readonly execution: TranscodingExecutionService,
    private readonly folders: WorkFoldersService,
    private readonly limits: WorkLimitsService,
    log: Log,
    notifications: Notifications,
    presence: WorkerPresenceService,
    private readonly toolbox: ToolboxService,
    private readonly transcodings: TranscodingsRepository,
    private readonly workers: ConverterWorkersService,
  ) {
    super(
      { config, log, notifications, presence },
      {
        rows: transcodings,
        workerPrefix: 'converter',
        channel: TRANSCODINGS_CHANNEL,
        tasks: [],
        words: { rows: 'transcoding jobs', result: 'how a transcoding ended', idField: 'jobId' },
      },
    );
    this.places = placesOf(availableParallelism(), config.webConcurrency);
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    if (this.state === 'off') return;
    this.repeat(CLEANUP_INTERVAL_MS, () => this.removeOldFolders());
    this.repeat(STALLED_INTERVAL_MS, () => void this.checkForStalled());
  }

  protected override async leave(): Promise<void> {
    if (!this.hasJoined) return;
    await this.workers.leave(this.name).catch((err: unknown) => this.log.warn({ err }, 'cannot deregister a converter worker'));
  }

  /** Releases the transcodings of workers that have been silent for too long. */
  async releaseStalled(): Promise<void> {
    const stalled = await this.transcodings.findStalled();
    await this.interrupt(stalled, 'its worker stalled.');
    if (stalled.length > 0) this.wake();
  }

  protected receive(message: string): void {
    const id = cancelledIdIn(message);
    if (id !== null) this.attempts.get(id)?.stop();
    else this.wake();
  }

  protected async releaseRowsOf(deadWorkers: readonly string[]): Promise<void> {
    await this.interrupt(await this.transcodings.findClaimedBy(deadWorkers), 'its worker died.');
  }

  protected override stopWork(): void {
    for (const attempt of this.attempts.values()) attempt.release();
  }

  protected async poll(): Promise<void> {
    if (this.clock.now().getTime() >= this.checkAt) await this.checkMachine();
    if (this.problem !== null) return;
    await this.fillPlaces(false);
    await this.fillPlaces(true);
  }

  private async fillPlaces(isLong: boolean): Promise<void> {
    const { places, limits } = this;
    while (this.state === 'on') {
      const place = findFreePlace(isLong, [...this.attempts.values()], { places, lastPlaceSeconds: limits.lastPlaceSeconds });
      const transcoding = place && (await this.transcodings.claim(await this.toolbox.programs(), this.name, place));
      if (!transcoding) return;
      this.startAttempt(transcoding, place);
    }
  }

  /** Checks whether this worker can work on the machine. A change is reported once: in the log, and to all processes. */
  private async checkMachine(): Promise<void> {
    const problem = await this.folders.findProblem();
    if (!this.hasJoined || problem !== this.problem) {
      await (problem === null ? this.workers.join(this.name) : this.workers.reportProblem(this.name, problem));
      if (problem !== null) this.log.error({ worker: this.name, problem }, 'a converter worker cannot work, checking again');
    }
    const isNew = problem === null && (!this.hasJoined || this.problem !== null);
    this.hasJoined = true;
    this.problem = problem;
    this.checkAt = this.clock.now().getTime() + (problem === null ? CHECK_INTERVAL_MS : CHECK_AGAIN_MS);
    if (isNew) this.removeOldFolders();
  }

  private startAttempt(transcoding: ClaimedTranscoding, place: FreePlace): void {
    const attempt = new TranscodingAttempt(transcoding, place, async (own, percent) => await this.renewClaim(own, percent));
    this.attempts.set(transcoding.id, attempt);
    this.track(transcoding.id, this.work(attempt), () => {
      attempt.close();
      this.attempts.delete(transcoding.id);
      this.wake();
    });
  }

  private async work(attempt: TranscodingAttempt): Promise<void> {
    const { id, formatId, attempt: number, traceparent } = attempt.transcoding;
    const attributes = { 'job.id': id, 'format.id': formatId, attempt: number };
    await continueTrace(traceparent, { name: 'transcoding', kind: 'consumer', attributes }, async (span) => {
      const outcome = await this.execute(attempt);
      span?.add({ outcome: outcome.kind });
      await this.recordOutcome(attempt, outcome);
    });
  }

  private async recordOutcome(attempt: TranscodingAttempt, outcome: TranscodingOutcome): Promise<void> {
    const { transcoding, isReleased } = attempt;
    if (isReleased && outcome.kind === 'later') return await this.transcodings.release(transcoding, this.name);
    if (outcome.kind === 'elsewhere') return await this.leaveTo(outcome.program, transcoding);
    if (outcome.kind === 'longer') return await this.transcodings.expectLonger(transcoding, this.name, outcome.expectedSeconds);
    await this.record(
      transcoding.id,
      async ({ refused }) => await this.completion.record({ transcoding, worker: this.name, outcome, refused }),
    );
  }

  /** Releases the transcoding for a worker that also has this program, which only this original needs. */
  private async leaveTo(program: string, transcoding: ClaimedTranscoding): Promise<void> {
    const programs = new Set([...(await this.transcodings.findPrograms(transcoding.id)), program]);
    await this.transcodings.requirePrograms(transcoding, this.name, [...programs]);
  }

  private async execute(attempt: TranscodingAttempt): Promise<TranscodingOutcome> {
    try {
      return await this.execution.run(attempt.transcoding, attempt);
    } catch (err) {
      this.log.error({ err, jobId: attempt.transcoding.id }, 'the work on a transcoding failed');
      return { kind: 'later', reason: 'the work on it failed unexpectedly.' };
    }
  }

  private async renewClaim(transcoding: ClaimedTranscoding, percent: number): Promise<boolean> {
    return await this.database.transaction(async () => {
      const isClaimed = await this.transcodings.renewClaim(transcoding, this.name);
      if (isClaimed) await this.activities.advance(transcoding.id, percent);
      return isClaimed;
    });
  }

  private async checkForStalled(): Promise<void> {
    try {
      await (this.answeredChecks < CHECKS_BEFORE_RELEASE ? this.transcodings.listWorkers() : this.releaseStalled());
      this.answeredChecks += 1;
    } catch (err) {
      this.answeredChecks = 0;
      this.log.warn({ err }, 'cannot release stalled transcodings, trying again');
    }
  }

  private async interrupt(transcodings: readonly RunningTranscoding[], reason: string): Promise<void> {
    for (const transcoding of transcodings) await this.completion.interrupt(transcoding, transcoding.lockedBy, reason);
  }

  private removeOldFolders(): void {
    if (!this.hasJoined || this.problem !== null) return;
    this.folders
      .removeAbandoned()
      .catch((err: unknown) => this.log.warn({ err }, 'cannot remove the folders of dead workers, trying again'));
  }
}
