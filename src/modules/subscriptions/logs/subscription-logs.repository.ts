import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import type { EventMethod, EventName } from '../../../shared/events/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { unlessUnreadable } from '../../../shared/secrets/index.js';
import type { InstructionType } from '../instructions/instruction.js';
import { maskPayload } from '../instructions/secret-values.js';
import { SubscriptionSecretsService } from '../instructions/subscription-secrets.service.js';
import { SubscriptionLog } from './subscription-log.entity.js';
import { FIND_LATEST_PAYLOAD, FIND_NEWEST_LOGS } from './subscription-logs.queries.js';

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
    const { rows } = await this.database.query<Row>(FIND_NEWEST_LOGS, [subscriptionIds, page.before ?? MAX_BIGINT, page.limit]);
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
    const latest = await this.database.queryOne<{ payload: string | null }>(FIND_LATEST_PAYLOAD, [subscriptionId, messageId]);
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
