import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { Clock } from '../../../shared/time/index.js';
import { InstructionVault } from '../instructions/instruction-vault.js';
import type { EndedTry } from './ended-try.js';
import { type Settlement, settleRun } from './settle-run.js';

const LONGEST_REASON = 2_000;
/** Where a try is looked for that may have been recorded already: no more of them can be under way in a process. */
const NEWEST = 1_000;

/**
 * The log of the tries, what becomes of their runs, and the last status of their subscriptions, all or nothing. Subscriptions are locked
 * first and in one order, so that two processes cannot wait for each other, nor for somebody who deletes one. A run is changed only while it
 * is still of this process and this try; the log tells of the try in any case. Runs are found by their ids alone (IS TRUE hides the rest from
 * the planner): all that a process has would be read for each of them otherwise.
 */
const RECORD = `WITH ended AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS e (n int, run_id bigint, subscription_id int, tried smallint, attempt int, message_id text,
      type text, payload text, status_code int, reason text, duration_ms int, again boolean, state text, instruction smallint, lane text,
      attempts int, attempts_before_replay int, results text, next_attempt_at timestamptz, complete boolean)
  ), locked AS MATERIALIZED (
    SELECT id FROM subscriptions WHERE id = ANY(ARRAY(SELECT subscription_id FROM ended)) ORDER BY id FOR NO KEY UPDATE
  ), logged AS (
    INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, payload, status_code, reason, duration_ms)
    SELECT locked.id, e.run_id, e.tried, e.message_id, e.attempt, e.type, e.payload, e.status_code, e.reason, e.duration_ms
    FROM ended e JOIN locked ON locked.id = e.subscription_id
    WHERE e.message_id IS NOT NULL AND NOT (e.again AND EXISTS (
      SELECT FROM (SELECT l.message_id, l.attempt FROM subscription_logs l WHERE l.subscription_id = e.subscription_id ORDER BY l.id DESC LIMIT ${NEWEST}) AS newest
      WHERE newest.message_id = e.message_id AND newest.attempt = e.attempt))
    ORDER BY e.n
  ), settled AS (
    UPDATE subscription_runs r SET state = e.state, instruction = e.instruction, lane = e.lane, attempts = e.attempts,
      attempts_before_replay = e.attempts_before_replay, results = COALESCE(e.results, r.results), next_attempt_at = e.next_attempt_at,
      locked_by = NULL, finished_at = CASE WHEN e.state IN ('succeeded', 'failed') THEN $3::timestamptz END
    FROM ended e JOIN locked ON locked.id = e.subscription_id
    WHERE r.id = e.run_id AND r.attempts = e.attempt AND (r.state = 'running' AND r.locked_by = $2) IS TRUE
    RETURNING r.id, r.subscription_id, r.once AND e.complete AS processed
  ), latest AS (
    SELECT DISTINCT ON (subscription_id) subscription_id, status_code FROM ended WHERE message_id IS NOT NULL ORDER BY subscription_id, n DESC
  ), told AS (
    UPDATE subscriptions s SET last_executed_status = COALESCE(latest.status_code, s.last_executed_status),
      processed_at = COALESCE(s.processed_at, CASE WHEN done.processed THEN $3::timestamptz END)
    FROM locked LEFT JOIN latest ON latest.subscription_id = locked.id
      LEFT JOIN (SELECT subscription_id, bool_or(processed) AS processed FROM settled GROUP BY 1) AS done ON done.subscription_id = locked.id
    WHERE s.id = locked.id AND (s.last_executed_status IS DISTINCT FROM COALESCE(latest.status_code, s.last_executed_status)
      OR (done.processed AND s.processed_at IS NULL))
  )
  SELECT id FROM settled`;

interface Recorded extends EndedTry {
  readonly settlement: Settlement;
  readonly holder: string;
  readonly again: boolean;
}

/** Writes down how tries ended, many at a time. */
@Injectable()
export class TryRecords {
  private readonly write: (ended: Recorded) => Promise<true | null>;

  constructor(
    database: Database,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly vault: InstructionVault,
  ) {
    this.write = database.batched(
      ({ run }) => run.id,
      async (ended) => {
        const rows = ended.map((one, n) => this.row(one, n));
        const values = [JSON.stringify(rows), ended[0]?.holder, this.clock.now()];
        const settled = await database.query<{ id: string }>(RECORD, values);
        return new Map(settled.rows.map(({ id }) => [id, true as const]));
      },
    );
  }

  /**
   * Records a try of the run that `holder` has; `again`: an earlier call failed, and may have been heard nevertheless. Answers what became of
   * the run, or null when it was not the holder's any more.
   */
  async record(ended: EndedTry, holder: string, again: boolean): Promise<Settlement | null> {
    const circumstances = { now: this.clock.now(), schedule: this.config.retryScheduleSeconds, random: Math.random() };
    const settlement = settleRun(ended.run, ended.outcome, circumstances);
    return (await this.write({ ...ended, settlement, holder, again })) ? settlement : null;
  }

  private row({ run, outcome, logged, settlement, again }: Recorded, n: number): object {
    return {
      n,
      run_id: run.id,
      subscription_id: run.subscriptionId,
      tried: run.instruction,
      attempt: run.attempts,
      message_id: logged?.messageId,
      type: logged?.type,
      payload: outcome.payload === null || outcome.payload === undefined ? null : this.vault.sealPayload(outcome.payload),
      status_code: outcome.statusCode,
      reason: outcome.reason === null ? null : storable(outcome.reason),
      duration_ms: logged?.durationMs,
      again,
      state: settlement.state,
      instruction: settlement.instruction,
      lane: settlement.lane,
      attempts: settlement.attempts,
      attempts_before_replay: settlement.attemptsBeforeReplay,
      results: this.results({ run, outcome }),
      next_attempt_at: settlement.nextAttemptAt,
      complete: settlement.complete,
    };
  }

  /** All that the run has of results, sealed anew when one came. */
  private results({ run, outcome: { result } }: Pick<EndedTry, 'run' | 'outcome'>): string | null {
    return result ? this.vault.sealResults({ ...this.vault.openResults(run.results), [result.name]: result.value }) : null;
  }
}

/** Others have a say in what a reason is; PostgreSQL takes no NUL and no half of a surrogate pair. */
const storable = (reason: string): string => Buffer.from(reason.slice(0, LONGEST_REASON).replaceAll('\0', '')).toString();
