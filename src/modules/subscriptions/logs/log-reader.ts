import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import type { EventMethod, EventName } from '../../../shared/events/index.js';
import { unlessUnreadable } from '../../../shared/secrets/index.js';
import { InstructionVault } from '../instructions/instruction-vault.js';
import { maskPayload } from '../instructions/mask-secrets.js';
import type { LogEntry } from './log-entry.js';
import { SubscriptionLog } from './subscription-log.entity.js';

/** Where no payload was kept it is the event's, which is there as long as the run. */
const FIND_NEWEST = `SELECT log.subscription_id AS "subscriptionId", log.id::float8 AS id, log.message_id AS "messageId", log.attempt, log.type,
    log.payload AS sealed, log.status_code AS "statusCode", log.reason, log.duration_ms AS "durationMs", log.created_at AS "createdAt",
    event.id AS "eventId", event.name, event.customer_id AS "customerId", event.method, event.payload, event.created_at AS "happenedAt"
  FROM unnest($1::int[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM subscription_logs WHERE subscription_id = wanted.id AND id < $2 ORDER BY id DESC LIMIT $3
  ) AS log
  LEFT JOIN subscription_runs AS run ON log.payload IS NULL AND run.id = log.run_id
  LEFT JOIN events AS event ON event.id = run.event_id
  ORDER BY log.id DESC`;

const NEWEST = '9223372036854775807'; // the largest id that the column holds

interface Row extends Omit<LogEntry, 'payload'> {
  readonly subscriptionId: number;
  readonly sealed: string | null;
  readonly eventId: string | null;
  readonly name: EventName;
  readonly customerId: number;
  readonly method: EventMethod;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly happenedAt: Date;
}

/** The log of subscriptions for those who look at it: the newest entries first, without secrets. */
@Injectable()
export class LogReader {
  constructor(
    private readonly database: Database,
    private readonly vault: InstructionVault,
  ) {}

  /** Of each subscription the newest so many entries that are older than the one of `before`. */
  async findNewest(subscriptionIds: readonly number[], page: { before?: number; limit: number }): Promise<Map<number, LogEntry[]>> {
    const { rows } = await this.database.query<Row>(FIND_NEWEST, [subscriptionIds, page.before ?? NEWEST, page.limit]);
    const found = new Map<number, LogEntry[]>(subscriptionIds.map((id) => [id, []]));
    for (const row of rows) found.get(row.subscriptionId)?.push(this.toEntry(row));
    return found;
  }

  /** An entry of this subscription. */
  async find(subscriptionId: number, id: number): Promise<SubscriptionLog | null> {
    return await this.database.repository(SubscriptionLog).findOneBy({ id: String(id), subscriptionId });
  }

  private toEntry(row: Row): LogEntry {
    const { id, messageId, attempt, type, sealed, statusCode, reason, durationMs, createdAt } = row;
    const opened = unlessUnreadable(() => ({ payload: maskPayload(sealed === null ? eventOf(row) : this.vault.openPayload(sealed)) }));
    const payload = opened?.payload ?? null;
    const entry = { id, messageId, attempt, type, payload, statusCode, reason, durationMs, createdAt };
    return opened ? entry : { ...entry, secretsUnreadable: true };
  }
}

/** As receivers get it. */
function eventOf({ eventId, name, customerId, method, payload, happenedAt }: Row): unknown {
  return eventId === null ? null : { id: Number(eventId), name, customerId, method, payload, createdAt: happenedAt.toISOString() };
}
