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
   * One transaction for all attempts that ended meanwhile. Their subscriptions are locked first and in one order, so that two processes, or a process
   * and a deletion, cannot deadlock; the attempts of a deleted subscription are dropped.
   */
  private async recordMany(attempts: readonly RecordedAttempt[]): Promise<ReadonlyMap<string, true>> {
    return await this.database.transaction(async () => {
      const ids = attempts.map(({ run }) => run.subscriptionId);
      const locked = await this.database.query<{ id: number }>(
        'SELECT id FROM subscriptions WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE',
        [ids],
      );
      const existing = new Set(locked.rows.map(({ id }) => id));
      const kept = attempts.filter(({ run }) => existing.has(run.subscriptionId));
      await this.log(kept);
      const settled = await this.settle(kept);
      await this.updateSubscriptions(kept, settled);
      return new Map([...settled].map((id) => [id, true as const]));
    });
  }

  /** Adds an entry for each attempt that has one, unless an earlier call that failed had recorded it nevertheless (`again`). */
  private async log(attempts: readonly RecordedAttempt[]): Promise<void> {
    const entries = attempts.flatMap(({ run, outcome, logged, again }) =>
      logged
        ? {
            subscription_id: run.subscriptionId,
            run_id: run.id,
            instruction: run.instruction,
            message_id: logged.messageId,
            attempt: run.attempts,
            type: logged.type,
            payload: outcome.payload === null || outcome.payload === undefined ? null : this.secrets.sealPayload(outcome.payload),
            status_code: outcome.statusCode,
            reason: outcome.reason === null ? null : toStorableText(outcome.reason),
            duration_ms: logged.durationMs,
            again,
          }
        : [],
    );
    if (entries.length === 0) return;
    await this.database.query(
      `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, payload, status_code, reason, duration_ms)
        SELECT subscription_id, run_id, instruction, message_id, attempt, type, payload, status_code, reason, duration_ms
        FROM jsonb_to_recordset($1::jsonb) AS e (subscription_id int, run_id bigint, instruction smallint, message_id text, attempt int, type text,
          payload text, status_code int, reason text, duration_ms int, again boolean)
        WHERE NOT (e.again AND EXISTS (
          SELECT FROM (
            SELECT l.message_id, l.attempt FROM subscription_logs l WHERE l.subscription_id = e.subscription_id
            ORDER BY l.id DESC LIMIT ${MAX_SEARCHED}) AS newest
          WHERE newest.message_id = e.message_id AND newest.attempt = e.attempt))`,
      [JSON.stringify(entries)],
    );
  }

  /**
   * Sets the new state of each run, only if the worker still has the run and this attempt (the fence). `(… ) IS TRUE` hides the condition from the
   * planner, which would otherwise read all runs of the worker for each of them instead of one run by its id. Returns the ids of these runs.
   */
  private async settle(attempts: readonly RecordedAttempt[]): Promise<ReadonlySet<string>> {
    const states = attempts.map(({ run, outcome, settlement }) => ({
      id: run.id,
      attempt: run.attempts,
      state: settlement.state,
      instruction: settlement.instruction,
      lane: settlement.lane,
      attempts: settlement.attempts,
      attempts_before_replay: settlement.attemptsBeforeReplay,
      results: this.sealResults({ run, outcome }),
      next_attempt_at: settlement.nextAttemptAt,
    }));
    const settled = await this.database.query<{ id: string }>(
      `UPDATE subscription_runs r SET state = e.state, instruction = e.instruction, lane = e.lane, attempts = e.attempts,
          attempts_before_replay = e.attempts_before_replay, results = COALESCE(e.results, r.results), next_attempt_at = e.next_attempt_at,
          locked_by = NULL, finished_at = CASE WHEN e.state IN ('succeeded', 'failed') THEN $3::timestamptz END
        FROM jsonb_to_recordset($1::jsonb) AS e (id bigint, attempt int, state text, instruction smallint, lane text, attempts int,
          attempts_before_replay int, results text, next_attempt_at timestamptz)
        WHERE r.id = e.id AND r.attempts = e.attempt AND (r.state = 'running' AND r.locked_by = $2) IS TRUE
        RETURNING r.id`,
      [JSON.stringify(states), attempts[0]?.worker, this.clock.now()],
    );
    return new Set(settled.rows.map(({ id }) => id));
  }

  /** Sets the last status of each subscription, and the end of one that acts once; rows without a change are not written. */
  private async updateSubscriptions(attempts: readonly RecordedAttempt[], settled: ReadonlySet<string>): Promise<void> {
    const changes = new Map<number, { id: number; status: number | null; processed: boolean }>();
    for (const { run, outcome, logged, settlement } of attempts) {
      const change = changes.get(run.subscriptionId) ?? { id: run.subscriptionId, status: null, processed: false };
      if (logged) change.status = outcome.statusCode;
      change.processed ||= run.once && settlement.complete && settled.has(run.id);
      changes.set(run.subscriptionId, change);
    }
    await this.database.query(
      `UPDATE subscriptions s SET last_executed_status = COALESCE(e.status, s.last_executed_status),
          processed_at = COALESCE(s.processed_at, CASE WHEN e.processed THEN $2::timestamptz END)
        FROM jsonb_to_recordset($1::jsonb) AS e (id int, status int, processed boolean)
        WHERE s.id = e.id AND (s.last_executed_status IS DISTINCT FROM COALESCE(e.status, s.last_executed_status)
          OR (e.processed AND s.processed_at IS NULL))`,
      [JSON.stringify([...changes.values()]), this.clock.now()],
    );
  }

  /** All results of the run, sealed again if there is a new one; null: no change. */
  private sealResults({ run, outcome: { result } }: Pick<EndedAttempt, 'run' | 'outcome'>): string | null {
    return result ? this.secrets.sealResults({ ...this.secrets.openResults(run.results), [result.name]: result.value }) : null;
  }
}

/** Removes from a reason, which may quote a receiver, what PostgreSQL does not accept: NUL and lone surrogates. */
const toStorableText = (reason: string): string => Buffer.from(reason.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '')).toString();
