import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { type EventMethod, type EventName, joinEvent } from '../../../shared/events/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { unlessUnreadable } from '../../../shared/secrets/index.js';
import type { InstructionType } from '../instructions/instruction.js';
import { maskPayload } from '../instructions/secret-values.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import { SubscriptionLog } from './subscription-log.entity.js';

const MAX_BIGINT = '9223372036854775807'; // the largest id that the column holds

/** One attempt at one instruction, as its customer sees it. */
export interface LogEntry {
  readonly id: number;
  readonly messageId: string;
  readonly attempt: number;
  readonly type: InstructionType;
  /** The sent payload, without secrets; null: nothing was sent, or it is no longer stored. */
  readonly payload: unknown;
  readonly statusCode: number;
  readonly reason: string | null;
  readonly durationMs: number;
  readonly createdAt: Date;
  /** The payload can no longer be decrypted. */
  readonly secretsUnreadable?: true;
}

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

/**
 * The number of entries that are read. More attempts of a subscription between two attempts at one mail are so rare that a repeated mail is
 * acceptable.
 */
const MAX_SEARCHED = 1_000;

/** Reads the log of subscriptions and deletes old entries. SubscriptionRunsRepository writes it, in one statement with the runs. */
@Injectable()
export class SubscriptionLogsRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SubscriptionSecretsService,
    housekeeping: HousekeepingService,
    { logRetentionDays }: Config,
  ) {
    housekeeping.expire('subscription_logs', `created_at < $1::timestamptz - interval '${logRetentionDays} days'`);
  }

  /** The newest `limit` entries of each subscription among those older than the entry `before`, the newest first and without secrets. */
  async findNewest(subscriptionIds: readonly number[], page: { before?: number; limit: number }): Promise<Map<number, LogEntry[]>> {
    // Raw SQL, because the query builder has no LATERAL join. An entry without a stored payload has that of the event, which exists as long
    // as the run.
    const { rows } = await this.database.query<Row>(
      `SELECT log.subscription_id AS "subscriptionId", log.id::float8 AS id, log.message_id AS "messageId", log.attempt,
          log.type, log.payload AS sealed, log.status_code AS "statusCode", log.reason, log.duration_ms AS "durationMs",
          log.created_at AS "createdAt", event.id AS "eventId", event.name, event.customer_id AS "customerId", event.method, event.payload,
          event.created_at AS "happenedAt"
        FROM unnest($1::int[]) AS wanted (id)
        CROSS JOIN LATERAL (
          SELECT * FROM subscription_logs WHERE subscription_id = wanted.id AND id < $2 ORDER BY id DESC LIMIT $3
        ) AS log
        LEFT JOIN subscription_runs AS run ON log.payload IS NULL AND run.id = log.run_id
        LEFT ${joinEvent('run.event_id')}
        ORDER BY log.id DESC`,
      [subscriptionIds, page.before ?? MAX_BIGINT, page.limit],
    );
    const found = new Map<number, LogEntry[]>(subscriptionIds.map((id) => [id, []]));
    for (const row of rows) found.get(row.subscriptionId)?.push(this.toEntry(row));
    return found;
  }

  /** An entry of this subscription. */
  async find(subscriptionId: number, id: number): Promise<SubscriptionLog | null> {
    return await this.database.repository(SubscriptionLog).findOneBy({ id: String(id), subscriptionId });
  }

  /** The payload that the last attempt with this message id sent; null: there was no attempt, or its payload was not stored. */
  async findLatestPayload(subscriptionId: number, messageId: string): Promise<unknown> {
    // Raw SQL, because only the newest entries may be read: there is no index by message id. Both orders are that of one index, so nothing
    // is sorted.
    const latest = await this.database.queryOne<{ payload: string | null }>(
      `SELECT payload FROM (
          SELECT id, message_id, payload FROM subscription_logs WHERE subscription_id = $1 ORDER BY id DESC LIMIT ${MAX_SEARCHED}
        ) AS newest WHERE message_id = $2 ORDER BY id DESC LIMIT 1`,
      [subscriptionId, messageId],
    );
    return latest?.payload ? this.secrets.openPayload(latest.payload) : null;
  }

  private toEntry(row: Row): LogEntry {
    const { id, messageId, attempt, type, sealed, statusCode, reason, durationMs, createdAt } = row;
    const opened = unlessUnreadable(() => ({ payload: maskPayload(sealed === null ? toEvent(row) : this.secrets.openPayload(sealed)) }));
    const payload = opened?.payload ?? null;
    const entry = { id, messageId, attempt, type, payload, statusCode, reason, durationMs, createdAt };
    return opened ? entry : { ...entry, secretsUnreadable: true };
  }
}

/** The event as receivers get it; null if the run is no longer stored. */
function toEvent({ eventId, name, customerId, method, payload, happenedAt }: Row): unknown {
  return eventId === null ? null : { id: Number(eventId), name, customerId, method, payload, createdAt: happenedAt.toISOString() };
}
