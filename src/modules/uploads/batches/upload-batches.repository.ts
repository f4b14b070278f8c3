import { Injectable } from '@nestjs/common';
import { asJsonBytes, Database, type Insertion } from '../../../shared/database/index.js';
import type { BatchItem, ItemProblem } from './batch-item.js';
import type { Sender } from './sender.js';
import { UploadBatch } from './upload-batch.entity.js';

/** Whose batch it is. */
export interface BatchOwner {
  readonly customerId: number;
  readonly creatorId: number;
  readonly userId: number | null;
  readonly clientId: string | null;
  readonly dropsiteId: number | null;
  /** The dropsite session that asks for it (the id of its token), or null. */
  readonly sessionId: string | null;
}

export interface NewBatch extends BatchOwner {
  readonly uploadId: string;
  readonly jobId: string;
  readonly payload: readonly unknown[];
  /** Items that were refused already. */
  readonly problems: readonly ItemProblem[];
}

/** A batch that can be uploaded. */
export interface PreparedBatch extends NewBatch {
  readonly items: readonly BatchItem[];
  readonly expiresAt: Date;
}

const INSERT = `INSERT INTO upload_batches
    (customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id, payload, problems, status,
    credentials_expire_at, last_activity_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'preparing', $11, $11)
  ON CONFLICT (customer_id, upload_id) DO NOTHING RETURNING id`;

const INSERT_PREPARED = `INSERT INTO upload_batches (customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id,
    payload, items, problems, status, credentials_expire_at, last_activity_at)
  SELECT customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id, payload, items, problems, 'prepared',
    expires_at, now
  FROM ROWS FROM (
      unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::uuid[], $8::uuid[], $9::jsonb[], $10::jsonb[],
        $11::timestamptz[], $12::timestamptz[]),
      jsonb_array_elements(convert_from($13::bytea, 'UTF8')::jsonb))
    AS batch (customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id, items, problems, expires_at, now, payload)`;

const FILL = `UPDATE upload_batches SET status = 'prepared', items = $2, problems = $3, credentials_expire_at = $4
  WHERE id = $1 AND status = 'preparing'`;

const HAS_PAYLOAD = 'SELECT payload = $2::jsonb AS same FROM upload_batches WHERE id = $1';

const REFRESH = `UPDATE upload_batches SET credentials_expire_at = greatest(credentials_expire_at, $2),
    last_activity_at = greatest(last_activity_at, $3), session_id = $4
  WHERE id = $1 AND status = 'prepared'`;

const TOUCH = `UPDATE upload_batches SET last_activity_at = greatest(last_activity_at, $2) WHERE id = $1`;

const COMPLETE = `UPDATE upload_batches SET status = 'completed', last_activity_at = $2 WHERE id = $1 AND status = 'prepared'`;

const COMPLETE_REAPED = `UPDATE upload_batches SET status = 'completed', last_activity_at = $2 WHERE id = $1 AND status = 'reaped'`;

const ANNOUNCE = `UPDATE upload_batches SET announced_at = $2
  WHERE id = $1 AND announced_at IS NULL AND status IN ('preparing', 'prepared')`;

const DROP = `DELETE FROM upload_batches WHERE id = $1 AND status = 'preparing'`;

/** Every query on batches that their senders cause. All changes are conditional on the status. */
@Injectable()
export class UploadBatchesRepository {
  constructor(private readonly database: Database) {}

  async find(customerId: number, uploadId: string): Promise<UploadBatch | null> {
    return await this.database.repository(UploadBatch).findOneBy({ customerId, uploadId });
  }

  /** The batch of this uploadId that the sender is most likely to mean; an id is unique within a customer only. */
  async findForSender({ caller, clientId }: Sender, uploadId: string): Promise<UploadBatch | null> {
    const found = await this.database.repository(UploadBatch).findBy({ uploadId });
    const isTheirs = (batch: UploadBatch) =>
      caller ? batch.customerId === caller.customerId || batch.userId === caller.userId : batch.clientId === clientId;
    return found.find(isTheirs) ?? found[0] ?? null;
  }

  async findById(id: number): Promise<UploadBatch | null> {
    return await this.database.repository(UploadBatch).findOneBy({ id });
  }

  /** The id of the new batch, which is being prepared; null when the customer has one of this uploadId. */
  async insert(batch: NewBatch, now: Date): Promise<number | null> {
    const content = [JSON.stringify(batch.payload), JSON.stringify(batch.problems)];
    return (await this.database.queryOne<{ id: number }>(INSERT, [...identity(batch), ...content, now]))?.id ?? null;
  }

  /** What inserts batches that can be uploaded at once. */
  insertion(batches: readonly PreparedBatch[], now: Date): Insertion {
    const rows = batches.map((batch) => [
      ...identity(batch),
      ...[JSON.stringify(batch.items), JSON.stringify(batch.problems), batch.expiresAt, now],
    ]);
    const columns = Array.from({ length: 12 }, (_, column) => rows.map((row) => row[column]));
    return { text: INSERT_PREPARED, values: [...columns, asJsonBytes(batches.map(({ payload }) => payload))] };
  }

  /** It can be uploaded from now on. False when it was before, or is gone. */
  async fill(id: number, content: { items: readonly BatchItem[]; problems: readonly ItemProblem[]; expiresAt: Date }): Promise<boolean> {
    return await this.changes(FILL, [id, JSON.stringify(content.items), JSON.stringify(content.problems), content.expiresAt]);
  }

  /** Whether it was prepared from the same payload, whatever the order of keys. */
  async hasPayload(id: number, payload: readonly unknown[]): Promise<boolean> {
    return (await this.database.queryOne<{ same: boolean }>(HAS_PAYLOAD, [id, JSON.stringify(payload)]))?.same ?? false;
  }

  /** New credentials are given out, to this session if it is one's. False when the batch has ended. */
  async refresh(id: number, given: { expiresAt: Date; sessionId: string | null }, now: Date): Promise<boolean> {
    return await this.changes(REFRESH, [id, given.expiresAt, now, given.sessionId]);
  }

  /** Something happened to it. */
  async touch(id: number, now: Date): Promise<void> {
    await this.database.query(TOUCH, [id, now]);
  }

  /** Its upload begins. False when that was said before, or it has ended. */
  async announce(id: number, now: Date): Promise<boolean> {
    return await this.changes(ANNOUNCE, [id, now]);
  }

  /** False when it has ended already. */
  async complete(id: number, now: Date): Promise<boolean> {
    return await this.changes(COMPLETE, [id, now]);
  }

  /** Its sender completes it after the reaper has ended it. False when that was done before. */
  async completeReaped(id: number, now: Date): Promise<boolean> {
    return await this.changes(COMPLETE_REAPED, [id, now]);
  }

  /** Takes back one that could not be prepared. */
  async drop(id: number): Promise<void> {
    await this.database.query(DROP, [id]);
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}

const identity = (batch: NewBatch): unknown[] => {
  const { customerId, creatorId, userId, clientId, dropsiteId, sessionId, uploadId, jobId } = batch;
  return [customerId, creatorId, userId, clientId, dropsiteId, sessionId, uploadId, jobId];
};
