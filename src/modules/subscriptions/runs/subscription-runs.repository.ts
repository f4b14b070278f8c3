import { Injectable } from '@nestjs/common';
import { In, MoreThanOrEqual, Not, Raw } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, DatabaseMetricsService, Notifications } from '../../../shared/database/index.js';
import { EventsRepository } from '../../../shared/events/index.js';
import { HousekeepingService, WAITED_TOO_LONG } from '../../../shared/jobs/index.js';
import { WorkInProgressService } from '../../../shared/removal/index.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import { SubscriptionLog } from '../logs/subscription-log.entity.js';
import type { ClaimedRun, EndedAttempt } from './claimed-run.js';
import type { Share } from './lane-places.js';
import { RUNS_CHANNEL } from './runs-channel.js';
import type { Settlement } from './settle-run.js';
import { SubscriptionRun } from './subscription-run.entity.js';
import {
  CLAIM_RUNS,
  COUNT_QUEUE,
  IS_ATTEMPT_UNDER_WAY,
  LIST_ATTEMPTS_UNDER_WAY,
  LIST_READY_LANES,
  LIST_RUN_WORKERS,
  LIST_SUBSCRIPTIONS_TO_RELEASE,
  LOCK_SUBSCRIPTION_OF_LOG,
  LOCK_SUBSCRIPTIONS,
  RECORD_ATTEMPTS,
  RELEASE_HELD_RUNS,
  RETURN_RUNS,
  RETURN_UNKNOWN_RUNS,
  RUN_BATCH,
  WAKE_DUE_RUNS,
} from './subscription-runs.queries.js';

const MAX_REASON_LENGTH = 2_000;

/** An attempt to record; `again`: an earlier call failed, which may nevertheless have recorded it. */
export interface RecordedAttempt extends EndedAttempt {
  readonly settlement: Settlement;
  readonly worker: string;
  readonly again: boolean;
}

/** The log entry whose attempt is repeated. */
export type ReplayedLog = Pick<SubscriptionLog, 'id' | 'subscriptionId' | 'runId' | 'instruction' | 'messageId'>;
export type LockedRun = Pick<SubscriptionRun, 'state' | 'instruction' | 'once' | 'attempts' | 'endsAfter'>;

/** The position from which a run starts again. */
export interface ReplayStart {
  readonly runId: string;
  readonly instruction: number;
  readonly lane: string;
  readonly attempts: number;
  readonly endsAfter: number | null;
}

/** All state changes of runs except their creation (see RunPlanningRepository), and their deletion after LOG_RETENTION_DAYS. */
@Injectable()
export class SubscriptionRunsRepository {
  private readonly write: (attempt: RecordedAttempt) => Promise<true | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly secrets: SubscriptionSecretsService,
    private readonly notifications: Notifications,
    events: EventsRepository,
    housekeeping: HousekeepingService,
    work: WorkInProgressService,
    { logRetentionDays }: Config,
    metrics: DatabaseMetricsService,
  ) {
    metrics.countQueues(COUNT_QUEUE);
    this.write = database.batched(
      ({ run }) => run.id,
      async (attempts) => {
        const rows = attempts.map((one, n) => this.toRow(one, n));
        const values = [JSON.stringify(rows), attempts[0]?.worker, this.clock.now()];
        const settled = await database.query<{ id: string }>(RECORD_ATTEMPTS, values);
        return new Map(settled.rows.map(({ id }) => [id, true as const]));
      },
    );
    housekeeping.expire('subscription_runs', `finished_at < $1::timestamptz - interval '${logRetentionDays} days'`);
    work.register(async (customerIds) => await this.attemptsUnderWay(customerIds));
    events.expireUnreferenced({ table: 'subscription_runs', days: logRetentionDays });
  }

  /**
   * Whether the next attempt at a run has been due for more than a minute, or a run is ready that was created more than a minute ago. When a run
   * became ready again is not stored, so it counts at once. This is asked only while no worker is running; otherwise such a run would never be reported.
   */
  async hasWaitingRun(): Promise<boolean> {
    const tooLongAgo = Raw((column) => `${column} < ${WAITED_TOO_LONG}`);
    return await this.repository.existsBy([
      { state: 'ready', createdAt: tooLongAgo },
      { state: 'waiting', nextAttemptAt: tooLongAgo },
    ]);
  }

  /** Lanes with ready runs, in a round that begins after the lane `after`. */
  async listReadyLanes(after: string, limit: number): Promise<string[]> {
    const { rows } = await this.database.query<{ lane: string }>(LIST_READY_LANES, [after, limit]);
    return rows.map(({ lane }) => lane);
  }

  /** ready → running: claims the oldest runs of each lane for a worker, as many as its share permits. */
  async claim(shares: readonly Share[], worker: string): Promise<ClaimedRun[]> {
    const [lanes, places] = [shares.map((share) => share.lane), shares.map((share) => share.places)];
    return (await this.database.query<ClaimedRun>(CLAIM_RUNS, [lanes, places, worker])).rows;
  }

  /** running → ready: returns runs whose attempt did not start. */
  async returnRuns(runs: readonly ClaimedRun[], worker: string): Promise<void> {
    await this.database.query(RETURN_RUNS, [runs.map(({ id }) => id), worker]);
  }

  /** running → ready: returns runs that the worker claimed without knowing it. Must not be called while it claims. */
  async releaseAllExcept(known: readonly string[], worker: string): Promise<void> {
    await this.database.query(RETURN_UNKNOWN_RUNS, [known, worker]);
  }

  /** Returns a function that checks whether the attempts that are in progress now have ended; they use the texts with which they were claimed. */
  private async attemptsUnderWay(customerIds: readonly number[]): Promise<() => Promise<boolean>> {
    const { rows } = await this.database.query<{ id: string; attempts: number }>(LIST_ATTEMPTS_UNDER_WAY, [customerIds]);
    const values = [rows.map(({ id }) => id), rows.map(({ attempts }) => attempts)];
    return async () => !(await this.database.queryOne<{ found: boolean }>(IS_ATTEMPT_UNDER_WAY, values))?.found;
  }

  /** The workers that have claimed runs. */
  async listWorkers(): Promise<string[]> {
    return (await this.database.query<{ worker: string }>(LIST_RUN_WORKERS)).rows.map(({ worker }) => worker);
  }

  /**
   * running → ready: releases the runs of workers that died. Their attempts count, so that a worker that was presumed dead by mistake cannot record
   * an attempt in place of its successor.
   */
  async releaseRunsOfDead(workers: readonly string[]): Promise<void> {
    await this.repository.update({ state: 'running', lockedBy: In([...workers]) }, { state: 'ready', lockedBy: null });
  }

  /** waiting → ready: makes the runs whose next attempt is due ready. */
  async wakeDue(): Promise<void> {
    for (let woken = RUN_BATCH; woken === RUN_BATCH; ) woken = (await this.database.query(WAKE_DUE_RUNS, [this.clock.now()])).rowCount ?? 0;
  }

  /**
   * held → ready or skipped: releases one run of each subscription that acts once and has none in progress, and skips those of subscriptions that
   * have acted.
   */
  async releaseHeld(): Promise<void> {
    for (let changed = 1; changed > 0; ) changed = await this.releaseSomeHeld();
  }

  /** Records an attempt and the new state of its run. False: the worker no longer had the run, whose state is unchanged. */
  async recordAttempt(attempt: RecordedAttempt): Promise<boolean> {
    return (await this.write(attempt)) ?? false;
  }

  /** The run of a log entry and the lane of its instruction, both locked; null if the run or the instruction was deleted. */
  async lockForReplay(log: ReplayedLog): Promise<{ run: LockedRun; lane: string } | null> {
    const found = await this.database.queryOne<{ lane: string | null }>(LOCK_SUBSCRIPTION_OF_LOG, [log.subscriptionId, log.instruction]);
    const where = { id: log.runId, subscriptionId: log.subscriptionId };
    const run = await this.repository.findOne({ where, lock: { mode: 'pessimistic_write' } });
    return found?.lane && run ? { run, lane: found.lane } : null;
  }

  /** Whether another run of a subscription that acts once is in progress. */
  async hasOtherRunUnderWay({ subscriptionId, runId }: ReplayedLog): Promise<boolean> {
    return await this.repository.existsBy({ subscriptionId, once: true, state: In(['ready', 'running', 'waiting']), id: Not(runId) });
  }

  /** The number of the last attempt with the message id of a log entry. */
  async countAttempts({ subscriptionId, id, messageId }: ReplayedLog): Promise<number> {
    const logs = this.database.repository(SubscriptionLog);
    return (await logs.maximum('attempt', { subscriptionId, id: MoreThanOrEqual(id), messageId })) ?? 0;
  }

  /** ended or waiting → ready: starts a replay. */
  async startReplay({ runId, instruction, lane, attempts, endsAfter }: ReplayStart): Promise<void> {
    const restarted = { state: 'ready', nextAttemptAt: null, finishedAt: null } as const;
    await this.repository.update({ id: runId }, { ...restarted, instruction, lane, attempts, attemptsBeforeReplay: attempts, endsAfter });
    await this.notifications.notify(RUNS_CHANNEL, 'ready');
  }

  /**
   * Takes the locks first, and then uses a separate statement that sees what was committed before they were granted: otherwise two processes could
   * release two runs of one subscription.
   */
  private async releaseSomeHeld(): Promise<number> {
    const { rows: subscriptions } = await this.database.query<{ id: number }>(LIST_SUBSCRIPTIONS_TO_RELEASE);
    if (subscriptions.length === 0) return 0;
    return await this.database.transaction(async () => {
      const { rows } = await this.database.query<{ id: number }>(LOCK_SUBSCRIPTIONS, [subscriptions.map(({ id }) => id)]);
      const values = [rows.map(({ id }) => id), this.clock.now()];
      return rows.length === 0 ? 0 : ((await this.database.query(RELEASE_HELD_RUNS, values)).rowCount ?? 0);
    });
  }

  private get repository() {
    return this.database.repository(SubscriptionRun);
  }

  private toRow({ run, outcome, logged, settlement, again }: RecordedAttempt, n: number): object {
    return {
      n,
      run_id: run.id,
      subscription_id: run.subscriptionId,
      tried: run.instruction,
      attempt: run.attempts,
      message_id: logged?.messageId,
      type: logged?.type,
      payload: outcome.payload === null || outcome.payload === undefined ? null : this.secrets.sealPayload(outcome.payload),
      status_code: outcome.statusCode,
      reason: outcome.reason === null ? null : toStorableText(outcome.reason),
      duration_ms: logged?.durationMs,
      again,
      state: settlement.state,
      instruction: settlement.instruction,
      lane: settlement.lane,
      attempts: settlement.attempts,
      attempts_before_replay: settlement.attemptsBeforeReplay,
      results: this.sealResults({ run, outcome }),
      next_attempt_at: settlement.nextAttemptAt,
      complete: settlement.complete,
    };
  }

  /** All results of the run, sealed again if there is a new one; null: no change. */
  private sealResults({ run, outcome: { result } }: Pick<EndedAttempt, 'run' | 'outcome'>): string | null {
    return result ? this.secrets.sealResults({ ...this.secrets.openResults(run.results), [result.name]: result.value }) : null;
  }
}

/** Removes from a reason, which may quote a receiver, what PostgreSQL does not accept: NUL and lone surrogates. */
const toStorableText = (reason: string): string => Buffer.from(reason.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '')).toString();
