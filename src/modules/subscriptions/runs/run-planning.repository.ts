import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { type DomainEvent, EventsRepository } from '../../../shared/events/index.js';
import { INSTRUCTION_TYPES } from '../instructions/instruction-kinds.js';
import { RUNS_CHANNEL } from './runs-channel.js';
import { SubscriptionRun } from './subscription-run.entity.js';

/** The number of subscriptions that matched an event, and of those that got a run. */
export interface PlannedRuns {
  readonly matching: number;
  readonly planned: number;
}

/** Why subscriptions get no run for an event, as their log states it. */
export interface Refusal {
  readonly statusCode: number;
  readonly reason: string;
}

/** The number of refusals that are logged for one subscription in an hour, so that the log does not grow instead of the queue. */
const MAX_REFUSALS_LOGGED = 20;

/**
 * Selects the subscriptions that match an event: jsonb must contain the payload of their conditions, at any depth and with lists compared by their
 * elements (contract section 9).
 */
const MATCHES = `customer_id = $2 AND name = $3 AND processed_at IS NULL
  AND (methods IS NULL OR $4 = ANY(methods)) AND (payload IS NULL OR $5::jsonb @> payload)`;

const insertRuns = (
  subscriptions: string,
): string => `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
  SELECT $1, id, gen_random_uuid(), flag = 2, CASE flag WHEN 2 THEN 'held' ELSE 'ready' END, lanes[1] FROM ${subscriptions}`;

const NOTIFY = `SELECT pg_notify('${RUNS_CHANNEL}', CASE WHEN bool_or(once) THEN 'held' ELSE 'ready' END) FROM planned HAVING count(*) > 0`;

/** The type of the first instruction is part of its lane (laneOf); all other targets are hosts of https instructions. */
const FIRST_TYPE = `split_part(lanes[1], ' ', 2)`;
const TYPES = INSTRUCTION_TYPES.map((type) => `'${type}'`).join(', ');

/**
 * Creates runs in the transaction of their event, and counts them. Raw SQL, because thousands of subscriptions may match, so that PostgreSQL
 * compares and inserts them in one statement. FOR KEY SHARE waits for a concurrent deletion of a subscription, which then gets no run, so that
 * the foreign key does not fail.
 */
@Injectable()
export class RunPlanningRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventsRepository,
  ) {}

  async countMatching(event: DomainEvent): Promise<number> {
    // $1 is not used for counting, but bound because all of these statements share their first five parameters.
    return await this.count(`SELECT count(*)::int AS count, $1::bigint AS event FROM subscriptions WHERE ${MATCHES}`, toMatchValues(event));
  }

  /** Creates a run of each matching subscription, at most `limit` of them. */
  async planRuns(event: DomainEvent, limit: number): Promise<PlannedRuns> {
    const planned = await this.database.queryOne<PlannedRuns>(
      `WITH matching AS (SELECT id, flag, lanes FROM subscriptions WHERE ${MATCHES} FOR KEY SHARE),
        planned AS (${insertRuns('matching ORDER BY id LIMIT $6')} RETURNING once),
        notified AS (${NOTIFY})
        SELECT (SELECT count(*) FROM matching)::int AS matching, (SELECT count(*) FROM planned)::int AS planned, (SELECT count(*) FROM notified)`,
      [...toMatchValues(event), limit],
    );
    return planned ?? { matching: 0, planned: 0 };
  }

  /** Creates a run of one subscription, unless the subscription has a run or has acted. */
  async planOneRun({ id, customerId }: DomainEvent, subscriptionId: number): Promise<void> {
    await this.database.query(
      `WITH planned AS (${insertRuns('subscriptions')} WHERE id = $2 AND customer_id = $3 AND processed_at IS NULL
        AND NOT EXISTS (SELECT FROM subscription_runs WHERE subscription_id = $2) FOR KEY SHARE OF subscriptions RETURNING once) ${NOTIFY}`,
      [id, subscriptionId, customerId],
    );
  }

  /** Logs a refusal for the matching subscriptions without a run; `subscriptionId`: only for this one. */
  async logRefused(event: DomainEvent, { statusCode, reason }: Refusal, subscriptionId: number | null = null): Promise<void> {
    // A refusal has the run 0. Refusals are counted separately from the entries of runs, which continue between them.
    await this.database.query(
      `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, reason, duration_ms)
        SELECT id, 0, 0, gen_random_uuid()::text, 1, CASE WHEN ${FIRST_TYPE} IN (${TYPES}) THEN ${FIRST_TYPE} ELSE 'https' END,
          $6, $7, 0
        FROM subscriptions s WHERE ${MATCHES} AND ($8::int IS NULL OR id = $8)
          AND NOT EXISTS (SELECT FROM subscription_runs r WHERE r.event_id = $1 AND r.subscription_id = s.id)
          AND (SELECT count(*) FROM subscription_logs l WHERE l.subscription_id = s.id AND l.run_id = 0 AND l.reason = $7
            AND l.created_at > now() - interval '1 hour') < ${MAX_REFUSALS_LOGGED}
        ORDER BY id FOR KEY SHARE OF s`,
      [...toMatchValues(event), statusCode, reason, subscriptionId],
    );
  }

  /** Whether a subscription has a run, ended or not. */
  async hasRun(subscriptionId: number): Promise<boolean> {
    return await this.database.repository(SubscriptionRun).existsBy({ subscriptionId });
  }

  /**
   * Locks the event with which a chain began, so that other events of the chain wait; returns the number of runs that the chain has caused, null if
   * the event is no longer stored. The event's own runs are counted in their table, so that its row need not change for them.
   */
  async lockRootEvent(id: string): Promise<number | null> {
    const furtherRuns = await this.events.lockFurtherRuns(id);
    return furtherRuns === null ? null : furtherRuns + (await this.database.repository(SubscriptionRun).countBy({ eventId: id }));
  }

  /** The number of a customer's runs that have not ended, counted up to `limit`. */
  async countUnfinished(customerId: number, limit: number): Promise<number> {
    return await this.count(
      `SELECT count(*)::int AS count FROM (SELECT FROM subscriptions s JOIN subscription_runs r ON r.subscription_id = s.id
        WHERE s.customer_id = $1 AND r.finished_at IS NULL LIMIT $2) AS unfinished`,
      [customerId, limit],
    );
  }

  private async count(statement: string, values: readonly unknown[]): Promise<number> {
    const row = await this.database.queryOne<{ count: number }>(statement, values);
    return row?.count ?? 0;
  }
}

const toMatchValues = ({ id, customerId, name, method, payload }: DomainEvent): unknown[] => [
  id,
  customerId,
  name,
  method,
  JSON.stringify(payload),
];
