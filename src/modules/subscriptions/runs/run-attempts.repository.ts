import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import type { EndedAttempt } from './claimed-run.js';
import type { Settlement } from './settle-run.js';

const MAX_REASON_LENGTH = 2_000;
/** The number of log entries that are searched for an attempt that may have been recorded before: a process has no more concurrent attempts. */
const MAX_SEARCHED = 1_000;

/** An attempt to record; `again`: an earlier call failed, which may nevertheless have recorded it. */
export interface RecordedAttempt extends EndedAttempt {
  readonly settlement: Settlement;
  readonly worker: string;
  readonly again: boolean;
}

/** Records attempts: in the log, in the state of their run, and in the last status of the subscription. */
@Injectable()
export class RunAttemptsRepository {
  private readonly write: (attempt: RecordedAttempt) => Promise<true | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly secrets: SubscriptionSecretsService,
  ) {
    this.write = database.batched(
      ({ run }) => run.id,
      async (attempts) => await this.recordMany(attempts),
    );
  }

  /** Records an attempt and the new state of its run. False: the worker no longer had the run, whose state is unchanged. */
  async record(attempt: RecordedAttempt): Promise<boolean> {
    return (await this.write(attempt)) ?? false;
  }

  /**
   * One statement, because all of it has to happen or nothing, and because at thousands of attempts per second each round trip to the database
   * counts.
   *
   * - `ended`: the attempts, as one JSON parameter.
   * - `locked`: the subscriptions, locked first and in one order, so that two processes, or a process and a deletion, cannot deadlock.
   * - `logged`: an entry for each attempt, unless an earlier call that failed had recorded it nevertheless (`again`).
   * - `settled`: the new state of each run, only if the worker still has the run and this attempt (the fence). `(… ) IS TRUE` hides the
   *   condition from the planner, which would otherwise read all runs of the worker for each of them instead of one run by its id.
   * - `latest`: the newest status of each subscription.
   * - `updated`: the last status of each subscription, and the end of a subscription that acts once; rows without a change are not written.
   */
  private async recordMany(attempts: readonly RecordedAttempt[]): Promise<ReadonlyMap<string, true>> {
    const rows = attempts.map((one, n) => this.toRow(one, n));
    const settled = await this.database.query<{ id: string }>(
      `WITH ended AS (
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
            SELECT FROM (
              SELECT l.message_id, l.attempt FROM subscription_logs l WHERE l.subscription_id = e.subscription_id
              ORDER BY l.id DESC LIMIT ${MAX_SEARCHED}) AS newest
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
        ), updated AS (
          UPDATE subscriptions s SET last_executed_status = COALESCE(latest.status_code, s.last_executed_status),
            processed_at = COALESCE(s.processed_at, CASE WHEN done.processed THEN $3::timestamptz END)
          FROM locked LEFT JOIN latest ON latest.subscription_id = locked.id
            LEFT JOIN (SELECT subscription_id, bool_or(processed) AS processed FROM settled GROUP BY 1) AS done ON done.subscription_id = locked.id
          WHERE s.id = locked.id AND (s.last_executed_status IS DISTINCT FROM COALESCE(latest.status_code, s.last_executed_status)
            OR (done.processed AND s.processed_at IS NULL))
        )
        SELECT id FROM settled`,
      [JSON.stringify(rows), attempts[0]?.worker, this.clock.now()],
    );
    return new Map(settled.rows.map(({ id }) => [id, true as const]));
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
