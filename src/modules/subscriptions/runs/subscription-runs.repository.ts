import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, Not, Raw } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database, DatabaseMetricsService, MAX_COUNTED_ROWS } from '../../../shared/database/index.js';
import { EventsRepository, joinEvent } from '../../../shared/events/index.js';
import { HousekeepingService, WAITED_TOO_LONG } from '../../../shared/jobs/index.js';
import type { LongWork } from '../../../shared/removal/index.js';
import type { ClaimedRun } from './claimed-run.js';
import { SubscriptionRun } from './subscription-run.entity.js';

/** The number of rows in a batch, small enough that locks are short and other work is not delayed. */
const RUN_BATCH = 1_000;

/** The number of concurrent attempts in a process: they mostly wait for receivers, and each needs a connection. */
const MAX_ATTEMPTS = 256;
/** The number of concurrent attempts of one customer in a process: those of eight lanes, so that some that do not answer leave room for others. */
const MAX_ATTEMPTS_OF_CUSTOMER = 64;
/** The number of concurrent attempts in one lane of a process: few, because a receiver that does not answer occupies all of them. */
const MAX_ATTEMPTS_OF_LANE = 8;

/** Counts the runs in a state by an index that does not contain ended runs, the largest part of the table. */
const countState = (state: string, age: string): string =>
  `SELECT 'subscription_runs' AS queue, '${state}' AS state, count(*)::int AS length, ${age} AS age
    FROM (SELECT * FROM subscription_runs WHERE state = '${state}' LIMIT ${MAX_COUNTED_ROWS}) AS counted`;

/** The seconds since the earliest of these times; 0 without a time, or if it is in the future. */
const secondsSince = (earliest: string): string => `greatest(coalesce(extract(epoch FROM now() - ${earliest}), 0), 0)::float8`;

/**
 * The length and age of the queue (DatabaseMetricsService). For the age of ready runs, only runs that have waited since their event count,
 * not runs that are attempted again or were held; for the age of waiting runs, only runs whose next attempt is overdue.
 */
const COUNT_QUEUE = [
  countState('ready', secondsSince('min(created_at) FILTER (WHERE attempts = 0 AND instruction = 0 AND NOT once)')),
  countState('waiting', secondsSince('min(next_attempt_at)')),
  countState('running', 'NULL'),
  countState('held', 'NULL'),
].join(' UNION ALL ');

/**
 * The queue of runs: claims, releases, and deletion after LOG_RETENTION_DAYS. RunPlanningRepository creates runs, RunAttemptsRepository records
 * what became of them, ReplaysRepository restarts them. Raw SQL where claims skip locked rows, batches are changed in one statement, or a
 * change depends on the current state of a row, which TypeORM cannot express.
 */
@Injectable()
export class SubscriptionRunsRepository implements LongWork {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    events: EventsRepository,
    housekeeping: HousekeepingService,
    { logRetentionDays }: Config,
    metrics: DatabaseMetricsService,
  ) {
    metrics.countQueues(COUNT_QUEUE);
    housekeeping.expire('subscription_runs', `finished_at < $1::timestamptz - interval '${logRetentionDays} days'`);
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

  /**
   * ready → running: claims runs for a worker, the oldest of each lane, as many as the limits of lanes, customers and the process permit beside the
   * attempts in progress, whose lanes are `attempted` (one element for each attempt).
   *
   * - `ready`: the lanes with ready runs. Jumps from one lane to the next in the index, so that a lane costs the same whether one run or a million
   *   runs are ready.
   * - `places`: the attempts that the limit of each lane still permits. `place` counts the attempts of the customer. The lanes with the fewest
   *   attempts come first; the order is otherwise random, so that each lane has its turn.
   * - `shares`: the places that the other limits permit. A customer gets no more places than it leaves free, so that a few busy customers leave
   *   room for later ones.
   * - `picked`: `lane BETWEEN x AND x` is an equality that the planner does not recognise as one: with `=` it would consider the order by `lane`
   *   given, and might scan all ended runs in the order of their ids.
   */
  async claim(worker: string, attempted: readonly string[]): Promise<ClaimedRun[]> {
    const { rows } = await this.database.query<ClaimedRun>(
      `WITH RECURSIVE ready (lane) AS (
          SELECT min(lane) FROM subscription_runs WHERE state = 'ready'
          UNION ALL
          SELECT (SELECT min(r.lane) FROM subscription_runs r WHERE r.state = 'ready' AND r.lane > ready.lane)
            FROM ready WHERE ready.lane IS NOT NULL
        ), lanes AS (
          SELECT lane, split_part(lane, ' ', 1) AS customer FROM ready WHERE lane IS NOT NULL
        ), attempted AS (
          SELECT lane, split_part(lane, ' ', 1) AS customer FROM unnest($2::text[]) AS attempted (lane)
        ), places AS (
          SELECT lanes.lane, coalesce(of_customer.count, 0) + row_number() OVER (PARTITION BY customer ORDER BY n, random()) AS place
          FROM lanes
            LEFT JOIN (SELECT lane, count(*) FROM attempted GROUP BY lane) AS of_lane USING (lane)
            LEFT JOIN (SELECT customer, count(*) FROM attempted GROUP BY customer) AS of_customer USING (customer)
            CROSS JOIN generate_series(coalesce(of_lane.count, 0) + 1, ${MAX_ATTEMPTS_OF_LANE}) AS n
        ), shares AS (
          SELECT lane, count(*) AS places
          FROM (
            SELECT lane, place, ${MAX_ATTEMPTS} - cardinality($2::text[]) - row_number() OVER (ORDER BY place, random()) AS free_after FROM places
          ) AS ordered
          WHERE place <= least(${MAX_ATTEMPTS_OF_CUSTOMER}, free_after + 1)
          GROUP BY lane
        ), picked AS (
          SELECT r.id FROM shares CROSS JOIN LATERAL (
            SELECT id FROM subscription_runs WHERE state = 'ready' AND lane BETWEEN shares.lane AND shares.lane ORDER BY lane, id
            LIMIT shares.places FOR UPDATE SKIP LOCKED
          ) AS r
        ), claimed AS (
          UPDATE subscription_runs SET state = 'running', locked_by = $1, attempts = attempts + 1, next_attempt_at = NULL
          WHERE id = ANY(ARRAY(SELECT id FROM picked)) RETURNING *
        )
        SELECT r.id, r.message_id AS "messageId", r.once, r.lane, r.instruction, r.ends_after AS "endsAfter", r.attempts,
          r.attempts_before_replay AS "attemptsBeforeReplay", r.results,
          event.id AS "eventId", event.name AS "eventName", event.method, event.payload, event.depth, event.root_id AS "rootEventId", event.traceparent,
          event.created_at AS "eventCreatedAt", s.id AS "subscriptionId", s.customer_id AS "customerId",
          s.last_editor_id AS "lastEditorId", s.instructions, s.signing_secret AS "signingSecret", s.lanes
        FROM claimed r ${joinEvent('r.event_id')} JOIN subscriptions s ON s.id = r.subscription_id ORDER BY r.id`,
      [worker, attempted],
    );
    return rows;
  }

  /** running → ready: returns runs that the worker claimed without knowing it. Must not be called while it claims. */
  async releaseAllExcept(known: readonly string[], worker: string): Promise<void> {
    await this.release({ lockedBy: worker, ...(known.length > 0 && { id: Not(In([...known])) }) });
  }

  /** Returns a function that checks whether the attempts that are in progress now have ended; they use the texts with which they were claimed. */
  async inProgress(customerIds: readonly number[]): Promise<() => Promise<boolean>> {
    const { rows } = await this.database.query<{ id: string; attempts: number }>(
      `SELECT r.id, r.attempts FROM subscription_runs r JOIN subscriptions s ON s.id = r.subscription_id
        WHERE r.state = 'running' AND s.customer_id = ANY($1::int[])`,
      [customerIds],
    );
    const values = [rows.map(({ id }) => id), rows.map(({ attempts }) => attempts)];
    return async () => {
      const running = await this.database.queryOne(
        `SELECT FROM unnest($1::bigint[], $2::int[]) AS known (id, attempts)
          JOIN subscription_runs r ON r.id = known.id AND r.attempts = known.attempts AND r.state = 'running' LIMIT 1`,
        values,
      );
      return running === null;
    };
  }

  /** The workers that have claimed runs. */
  async listWorkers(): Promise<string[]> {
    // Raw SQL, because a repository of TypeORM finds no distinct values.
    const { rows } = await this.database.query<{ worker: string }>(
      `SELECT DISTINCT locked_by AS worker FROM subscription_runs WHERE state = 'running'`,
    );
    return rows.map(({ worker }) => worker);
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
    for (let woken = RUN_BATCH; woken === RUN_BATCH; ) woken = await this.wakeSomeDue();
  }

  /**
   * held → ready or skipped: releases one run of each subscription that acts once and has none in progress, and skips those of subscriptions that
   * have acted.
   */
  async releaseHeld(): Promise<void> {
    for (let changed = 1; changed > 0; ) changed = await this.releaseSomeHeld();
  }

  /** The attempt does not count, and no other process can claim the run meanwhile. */
  private async release(where: FindOptionsWhere<SubscriptionRun>): Promise<void> {
    const released = { state: 'ready', lockedBy: null, attempts: () => 'attempts - 1' } as const;
    await this.repository.update({ ...where, state: 'running' }, released);
  }

  private async wakeSomeDue(): Promise<number> {
    const { rowCount } = await this.database.query(
      `WITH due AS (
          SELECT id FROM subscription_runs WHERE state = 'waiting' AND next_attempt_at <= $1
          ORDER BY next_attempt_at LIMIT ${RUN_BATCH} FOR UPDATE SKIP LOCKED
        )
        UPDATE subscription_runs SET state = 'ready', next_attempt_at = NULL WHERE id = ANY(ARRAY(SELECT id FROM due))`,
      [this.clock.now()],
    );
    return rowCount ?? 0;
  }

  /**
   * Takes the locks first, and then uses a separate statement that sees what was committed before they were granted: otherwise two processes could
   * release two runs of one subscription.
   */
  private async releaseSomeHeld(): Promise<number> {
    // Subscriptions with held runs and no run in progress. Jumps from one subscription to the next in the index, however many held runs each
    // has.
    const { rows: subscriptions } = await this.database.query<{ id: number }>(`WITH RECURSIVE holding (id) AS (
        SELECT min(subscription_id) FROM subscription_runs WHERE state = 'held'
        UNION ALL
        SELECT (SELECT min(r.subscription_id) FROM subscription_runs r WHERE r.state = 'held' AND r.subscription_id > h.id)
          FROM holding h WHERE h.id IS NOT NULL
      )
      SELECT id FROM holding WHERE id IS NOT NULL AND NOT EXISTS (
        SELECT FROM subscription_runs r WHERE r.subscription_id = holding.id AND r.once AND r.state IN ('ready', 'running', 'waiting')
      )`);
    if (subscriptions.length === 0) return 0;
    return await this.database.transaction(async () => {
      const { rows } = await this.database.query<{ id: number }>(
        `SELECT id FROM subscriptions WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
        [subscriptions.map(({ id }) => id)],
      );
      // Makes the oldest held run of each subscription ready, or skips its held runs if the subscription has acted. BETWEEN is used as in
      // `claim`.
      const { rowCount } = await this.database.query(
        `WITH chosen AS (
            SELECT r.id, s.processed_at IS NOT NULL AS skipped
            FROM subscriptions s CROSS JOIN LATERAL (
              SELECT id FROM subscription_runs WHERE subscription_id BETWEEN s.id AND s.id AND state = 'held' ORDER BY subscription_id, id
              LIMIT CASE WHEN s.processed_at IS NULL THEN 1 ELSE ${RUN_BATCH} END
            ) AS r
            WHERE s.id = ANY($1::int[]) AND (s.processed_at IS NOT NULL OR NOT EXISTS (
              SELECT FROM subscription_runs u WHERE u.subscription_id = s.id AND u.once AND u.state IN ('ready', 'running', 'waiting')))
          )
          UPDATE subscription_runs r SET state = CASE WHEN chosen.skipped THEN 'skipped' ELSE 'ready' END,
            finished_at = CASE WHEN chosen.skipped THEN $2::timestamptz END
          FROM chosen WHERE r.id = chosen.id AND r.state = 'held'`,
        [rows.map(({ id }) => id), this.clock.now()],
      );
      return rowCount ?? 0;
    });
  }

  private get repository() {
    return this.database.repository(SubscriptionRun);
  }
}
