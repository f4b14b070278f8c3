import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { type DomainEvent, EventOutbox } from '../../../shared/events/index.js';
import { RUNS_CHANNEL } from './runs-channel.js';

/** `conditions.payload` is a subset of what the event carries when jsonb contains it: deep, and arrays by what is in them (contract section 9). */
const MATCHES = `customer_id = $2 AND name = $3 AND processed_at IS NULL
  AND (methods IS NULL OR $4 = ANY(methods)) AND (payload IS NULL OR $5::jsonb @> payload)`;

const NEW_RUN = `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
  SELECT $1, id, gen_random_uuid(), flag = 2, CASE flag WHEN 2 THEN 'held' ELSE 'ready' END, lanes[1] FROM subscriptions`;

const TELL = `SELECT pg_notify('${RUNS_CHANNEL}', CASE WHEN bool_or(once) THEN 'held' ELSE 'ready' END) FROM planned HAVING count(*) > 0`;

const PLAN = `WITH planned AS (${NEW_RUN} WHERE ${MATCHES} RETURNING once) ${TELL}`;

const PLAN_FOR_ONE = `WITH planned AS (${NEW_RUN} WHERE id = $2 AND customer_id = $3 AND processed_at IS NULL
    AND NOT EXISTS (SELECT FROM subscription_runs WHERE subscription_id = $2) RETURNING once) ${TELL}`;

/** Notes in the transaction of each event which subscriptions act on it: with the event a run is there, or with its cause neither. */
@Injectable()
export class RunPlanner implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly outbox: EventOutbox,
  ) {}

  onModuleInit(): void {
    this.outbox.witness(async (event) => await this.plan(event));
  }

  /** A run of one subscription for an event of its customer that was told to nobody; none if it had a run already, or acted. */
  async planFor(event: DomainEvent, subscriptionId: number): Promise<void> {
    await this.database.query(PLAN_FOR_ONE, [event.id, subscriptionId, event.customerId]);
  }

  private async plan({ id, customerId, name, method, payload }: DomainEvent): Promise<void> {
    await this.database.query(PLAN, [id, customerId, name, method, JSON.stringify(payload)]);
  }
}
