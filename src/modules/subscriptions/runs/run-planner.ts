import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { type DomainEvent, EventOutbox } from '../../../shared/events/index.js';
import { Quotas } from '../../../shared/quotas/index.js';
import { RUNS_CHANNEL } from './runs-channel.js';

/** One event causes so many runs at most, those of the events included that its runs lead to (contract section 12.10). */
const BUDGET = 1_000;
/** Of one subscription in an hour; what is refused must not fill the log instead of the queue. */
const REFUSALS_LOGGED = 20;

/** `conditions.payload` is a subset of what the event carries when jsonb contains it: deep, and arrays by what is in them (contract section 9). */
const MATCHES = `customer_id = $2 AND name = $3 AND processed_at IS NULL
  AND (methods IS NULL OR $4 = ANY(methods)) AND (payload IS NULL OR $5::jsonb @> payload)`;

const COUNT_MATCHING = `SELECT count(*)::int AS count, $1::bigint AS event FROM subscriptions WHERE ${MATCHES}`;

const insertRuns = (
  subscriptions: string,
): string => `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
  SELECT $1, id, gen_random_uuid(), flag = 2, CASE flag WHEN 2 THEN 'held' ELSE 'ready' END, lanes[1] FROM ${subscriptions}`;

const NOTIFY = `SELECT pg_notify('${RUNS_CHANNEL}', CASE WHEN bool_or(once) THEN 'held' ELSE 'ready' END) FROM planned HAVING count(*) > 0`;

const PLAN = `WITH matching AS (SELECT id, flag, lanes FROM subscriptions WHERE ${MATCHES}),
  planned AS (${insertRuns('matching ORDER BY id LIMIT $6')} RETURNING once),
  notified AS (${NOTIFY})
  SELECT (SELECT count(*) FROM matching)::int AS matching, (SELECT count(*) FROM planned)::int AS planned, (SELECT count(*) FROM notified)`;

const PLAN_FOR_ONE = `WITH planned AS (${insertRuns('subscriptions')} WHERE id = $2 AND customer_id = $3 AND processed_at IS NULL
    AND NOT EXISTS (SELECT FROM subscription_runs WHERE subscription_id = $2) RETURNING once) ${NOTIFY}`;

/**
 * Subscriptions that would have acted, and got no run (run 0); the kind of the first instruction is part of its lane (laneOf). Refusals are
 * counted apart from the entries of runs, which go on between them.
 */
const LOG_REFUSED = `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, reason, duration_ms)
  SELECT id, 0, 0, gen_random_uuid()::text, 1, CASE WHEN split_part(lanes[1], ' ', 2) IN ('api', 'email') THEN split_part(lanes[1], ' ', 2) ELSE 'https' END,
    $6, $7, 0
  FROM subscriptions s WHERE ${MATCHES} AND ($8::int IS NULL OR id = $8)
    AND NOT EXISTS (SELECT FROM subscription_runs r WHERE r.event_id = $1 AND r.subscription_id = s.id)
    AND (SELECT count(*) FROM subscription_logs l WHERE l.subscription_id = s.id AND l.run_id = 0 AND l.reason = $7
      AND l.created_at > now() - interval '1 hour') < ${REFUSALS_LOGGED}
  ORDER BY id`;

/** Other events of the chain wait for the row. Its own runs are counted where they are, so that it need not be changed for them. */
const LOCK_ROOT = `SELECT further_runs + (SELECT count(*)::int FROM subscription_runs WHERE event_id = events.id) AS runs FROM events
  WHERE id = $1 FOR NO KEY UPDATE`;

const CHARGE_ROOT = 'UPDATE events SET further_runs = further_runs + $2 WHERE id = $1';

const COUNT_UNFINISHED = `SELECT count(*)::int AS count FROM (SELECT FROM subscriptions s JOIN subscription_runs r ON r.subscription_id = s.id
  WHERE s.customer_id = $1 AND r.finished_at IS NULL LIMIT $2) AS unfinished`;

/** Why a subscription gets no run for an event, as its log says it. */
const REFUSALS = {
  budget: {
    statusCode: 508,
    reason: `budget: one event may cause ${BUDGET} runs, and the event with which this chain began has caused them`,
  },
  quota: { statusCode: 429, reason: 'quota: the customer has as many runs waiting as its quota waitingRuns allows' },
} as const;

/** Notes in the transaction of each event which subscriptions act on it: with the event a run is there, or with its cause neither. */
@Injectable()
export class RunPlanner implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly outbox: EventOutbox,
    private readonly quotas: Quotas,
  ) {}

  onModuleInit(): void {
    this.outbox.witness(async (event) => await this.plan(event));
    this.quotas.countBy('waitingRuns', async (customerId, atMost) => await this.numberOf(COUNT_UNFINISHED, [customerId, atMost]));
  }

  /** A run of one subscription for an event of its customer that was told to nobody; none if it had a run already, or acted. */
  async planFor(event: DomainEvent, subscriptionId: number): Promise<void> {
    if ((await this.budgetOf(event)) < 1) return await this.logRefused(event, 'budget', subscriptionId);
    if ((await this.quotas.room(event.customerId, 'waitingRuns', 1)) < 1) return await this.logRefused(event, 'quota', subscriptionId);
    await this.database.query(PLAN_FOR_ONE, [event.id, subscriptionId, event.customerId]);
    await this.charge(event, 1);
  }

  /** An event never fails because of what its subscriptions may not do any more. */
  private async plan(event: DomainEvent): Promise<void> {
    if (event.rootId === null && (await this.quotas.isFarFromLimit(event.customerId, 'waitingRuns'))) {
      const { matching, planned } = await this.insertRuns(event, BUDGET);
      if (planned < matching) await this.logRefused(event, 'budget');
      return;
    }
    const wanted = await this.numberOf(COUNT_MATCHING, match(event));
    if (wanted === 0) return;
    const budget = Math.min(wanted, await this.budgetOf(event));
    const room = budget > 0 ? await this.quotas.room(event.customerId, 'waitingRuns', budget) : 0;
    const { matching, planned } = room > 0 ? await this.insertRuns(event, room) : { matching: wanted, planned: 0 };
    await this.charge(event, planned);
    if (planned < matching) await this.logRefused(event, room < budget ? 'quota' : 'budget');
  }

  /** What is left of the budget; an event whose chain began with one that is not kept any more begins one of its own. */
  private async budgetOf({ rootId }: DomainEvent): Promise<number> {
    if (rootId === null) return BUDGET;
    const root = await this.database.queryOne<{ runs: number }>(LOCK_ROOT, [rootId]);
    return root ? Math.max(BUDGET - root.runs, 0) : BUDGET;
  }

  private async charge({ rootId }: DomainEvent, runs: number): Promise<void> {
    if (rootId !== null && runs > 0) await this.database.query(CHARGE_ROOT, [rootId, runs]);
  }

  private async insertRuns(event: DomainEvent, atMost: number): Promise<{ matching: number; planned: number }> {
    const row = await this.database.queryOne<{ matching: number; planned: number }>(PLAN, [...match(event), atMost]);
    return row ?? { matching: 0, planned: 0 };
  }

  private async logRefused(event: DomainEvent, why: keyof typeof REFUSALS, subscriptionId: number | null = null): Promise<void> {
    const { statusCode, reason } = REFUSALS[why];
    await this.database.query(LOG_REFUSED, [...match(event), statusCode, reason, subscriptionId]);
  }

  private async numberOf(statement: string, values: readonly unknown[]): Promise<number> {
    return (await this.database.queryOne<{ count: number }>(statement, values))?.count ?? 0;
  }
}

const match = ({ id, customerId, name, method, payload }: DomainEvent): unknown[] => [
  id,
  customerId,
  name,
  method,
  JSON.stringify(payload),
];
