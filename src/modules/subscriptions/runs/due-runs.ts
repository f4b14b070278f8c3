import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Clock } from '../../../shared/time/index.js';

/** Rows of a statement: short locks, and other work gets in between. */
const BATCH = 1_000;

const WAKE = `WITH due AS (
    SELECT id FROM subscription_runs WHERE state = 'waiting' AND next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  )
  UPDATE subscription_runs SET state = 'ready', next_attempt_at = NULL WHERE id = ANY(ARRAY(SELECT id FROM due))`;

/** From one subscription to the next by the index, however many runs each holds. */
const HOLDING = `WITH RECURSIVE holding (id) AS (
    SELECT min(subscription_id) FROM subscription_runs WHERE state = 'held'
    UNION ALL
    SELECT (SELECT min(r.subscription_id) FROM subscription_runs r WHERE r.state = 'held' AND r.subscription_id > h.id)
      FROM holding h WHERE h.id IS NOT NULL
  )
  SELECT id FROM holding WHERE id IS NOT NULL AND NOT EXISTS (
    SELECT FROM subscription_runs r WHERE r.subscription_id = holding.id AND r.once AND r.state IN ('ready', 'running', 'waiting')
  )`;

const LOCK = `SELECT id FROM subscriptions WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/** Of a subscription that has not acted and has nothing under way the oldest run goes on; of one that has acted all are skipped (BETWEEN as in run-queue.ts). */
const LET_GO = `WITH chosen AS (
    SELECT r.id, s.processed_at IS NOT NULL AS skipped
    FROM subscriptions s CROSS JOIN LATERAL (
      SELECT id FROM subscription_runs WHERE subscription_id BETWEEN s.id AND s.id AND state = 'held' ORDER BY subscription_id, id
      LIMIT CASE WHEN s.processed_at IS NULL THEN 1 ELSE ${BATCH} END
    ) AS r
    WHERE s.id = ANY($1::int[]) AND (s.processed_at IS NOT NULL OR NOT EXISTS (
      SELECT FROM subscription_runs u WHERE u.subscription_id = s.id AND u.once AND u.state IN ('ready', 'running', 'waiting')))
  )
  UPDATE subscription_runs r SET state = CASE WHEN chosen.skipped THEN 'skipped' ELSE 'ready' END,
    finished_at = CASE WHEN chosen.skipped THEN $2::timestamptz END
  FROM chosen WHERE r.id = chosen.id AND r.state = 'held'`;

/** Runs that wait for their time, or for another run, and may go on. */
@Injectable()
export class DueRuns {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Makes runs ready whose next try is due. */
  async wake(): Promise<void> {
    for (let woken = BATCH; woken === BATCH; ) woken = (await this.database.query(WAKE, [this.clock.now()])).rowCount ?? 0;
  }

  /** Lets one run go of each subscription that acts once and has nothing under way, and skips what came too late. */
  async letGo(): Promise<void> {
    for (let changed = 1; changed > 0; ) changed = await this.letSomeGo();
  }

  /**
   * First the locks, then a statement of its own that sees what was committed before they were given: otherwise two processes could let two
   * runs of one subscription go.
   */
  private async letSomeGo(): Promise<number> {
    const { rows: holding } = await this.database.query<{ id: number }>(HOLDING);
    if (holding.length === 0) return 0;
    return await this.database.transaction(async () => {
      const { rows } = await this.database.query<{ id: number }>(LOCK, [holding.map(({ id }) => id)]);
      const values = [rows.map(({ id }) => id), this.clock.now()];
      return rows.length === 0 ? 0 : ((await this.database.query(LET_GO, values)).rowCount ?? 0);
    });
  }
}
