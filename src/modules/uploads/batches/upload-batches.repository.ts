import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull, LessThan, MoreThan, Not, Raw } from 'typeorm';
import type { Caller } from '../../../shared/auth/index.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { type BatchItem, type ExcessBytes, type ItemProblem, UploadBatch } from './upload-batch.entity.js';

/** The sender of a request about an upload. Without a caller, only the id of the upload and the client of the dropsite are known. */
export interface Sender {
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
}

/** The owner of a batch. */
export interface BatchOwner {
  readonly customerId: number;
  readonly creatorId: number;
  readonly userId: number | null;
  readonly clientId: string | null;
  readonly dropsiteId: number | null;
  /** The dropsite session that sends the request (the id of its token), or null. */
  readonly sessionId: string | null;
}

export interface NewBatch extends BatchOwner {
  readonly uploadId: string;
  readonly jobId: string;
  readonly payload: readonly unknown[];
  /** Items that have been refused already. */
  readonly problems: readonly ItemProblem[];
}

/** A batch that can be uploaded. */
export interface PreparedBatch extends NewBatch {
  readonly items: readonly BatchItem[];
  readonly expiresAt: Date;
}

const ENDED = { id: true, status: true, customerId: true, uploadId: true, items: true, credentialsExpireAt: true } as const;
export type EndedBatch = Pick<UploadBatch, keyof typeof ENDED>;

/** A batch without the request, which may have megabytes. */
export type MeasuredBatch = Omit<UploadBatch, 'payload' | 'problems'>;
const MEASURED = {
  ...{ id: true, status: true, customerId: true, uploadId: true, creatorId: true, userId: true, clientId: true, sessionId: true },
  ...{ dropsiteId: true, jobId: true, items: true, excessBytes: true, credentialsExpireAt: true, createdAt: true },
  ...{ lastActivityAt: true, announcedAt: true, tidiedAt: true },
} as const;

/** Days for which ended batches are stored; senders query the state of a batch soon after it ended, if at all. */
const KEPT_DAYS = 90;

/** Reads and writes upload batches. Every change of a status is conditional on the previous status. */
@Injectable()
export class UploadBatchesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('upload_batches', `tidied_at < $1::timestamptz - interval '${KEPT_DAYS} days'`);
  }

  async find(customerId: number, uploadId: string): Promise<UploadBatch | null> {
    return await this.repository.findOneBy({ customerId, uploadId });
  }

  /** The batch with this uploadId that the sender most likely means; an id is unique only within a customer. */
  async findForSender({ caller, clientId }: Sender, uploadId: string): Promise<UploadBatch | null> {
    const found = await this.repository.findBy({ uploadId });
    const isTheirs = (batch: UploadBatch) =>
      caller ? batch.customerId === caller.customerId || batch.userId === caller.userId : batch.clientId === clientId;
    return found.find(isTheirs) ?? found[0] ?? null;
  }

  async findById(id: number): Promise<UploadBatch | null> {
    return await this.repository.findOneBy({ id });
  }

  /** Whether the batch was prepared from the same payload, regardless of the order of keys. */
  async hasPayload(id: number, payload: readonly unknown[]): Promise<boolean> {
    const isEqual = Raw((column) => `${column} = CAST(:payload AS jsonb)`, { payload: JSON.stringify(payload) });
    return await this.repository.existsBy({ id, payload: isEqual } as FindOptionsWhere<UploadBatch>);
  }

  /** Inserts a batch that a job prepares, and returns its id; null if the customer has a batch with this uploadId. */
  async insertPreparing(batch: NewBatch, now: Date): Promise<number | null> {
    const row = { ...identityOf(batch), payload: [...batch.payload], problems: [...batch.problems] };
    const values = { ...row, status: 'preparing' as const, credentialsExpireAt: now, lastActivityAt: now };
    const insert = this.repository
      .createQueryBuilder()
      .insert()
      .values(values as object)
      .orIgnore()
      .returning('id');
    const { raw } = await insert.updateEntity(false).execute();
    return (raw as { id: number }[])[0]?.id ?? null;
  }

  /** Inserts a batch that can be uploaded at once. Throws the violation of the unique key if the customer has a batch with this uploadId. */
  async insertPrepared(batch: PreparedBatch, now: Date): Promise<void> {
    const { items, problems, payload, expiresAt } = batch;
    const content = { payload: [...payload], items: [...items], problems: [...problems] };
    const times = { credentialsExpireAt: expiresAt, lastActivityAt: now };
    await this.repository.insert({ ...identityOf(batch), ...content, status: 'prepared', ...times } as object);
  }

  /** Marks a batch as ready for uploads; false if it already was, or is deleted. */
  async markPrepared(
    id: number,
    { items, problems, expiresAt }: Pick<PreparedBatch, 'items' | 'problems' | 'expiresAt'>,
  ): Promise<boolean> {
    const content = { items: [...items], problems: [...problems], credentialsExpireAt: expiresAt };
    return await this.update({ id, status: 'preparing' }, { status: 'prepared', ...content });
  }

  /** Records new credentials, and the dropsite session to which they are issued; false if the batch has ended. */
  async renew(id: number, { expiresAt, sessionId }: { expiresAt: Date; sessionId: string | null }, now: Date): Promise<boolean> {
    // Raw SQL: concurrent requests must not move a time backwards, and TypeORM's update accepts no expression with parameters.
    const { rowCount } = await this.database.query(
      `UPDATE upload_batches SET credentials_expire_at = greatest(credentials_expire_at, $2),
          last_activity_at = greatest(last_activity_at, $3), session_id = $4
        WHERE id = $1 AND status = 'prepared'`,
      [id, expiresAt, now, sessionId],
    );
    return (rowCount ?? 0) > 0;
  }

  /** Restarts the inactivity period of a batch; false if it is closed or abandoned. Locks the row until the transaction ends. */
  async recordActivity(id: number, now: Date): Promise<boolean> {
    // Raw SQL: concurrent requests must not move the time backwards.
    const { rowCount } = await this.database.query(
      `UPDATE upload_batches SET last_activity_at = greatest(last_activity_at, $2) WHERE id = $1 AND status NOT IN ('closed', 'abandoned')`,
      [id, now],
    );
    return rowCount === 1;
  }

  /** Up to `limit` batches that may be uploaded to, because their last credentials expire after `since`; in the order of their ids. */
  async listInProgress(since: Date, { after, limit }: Portion): Promise<MeasuredBatch[]> {
    const where = { id: MoreThan(after), status: Not('preparing' as const), tidiedAt: IsNull(), credentialsExpireAt: MoreThan(since) };
    return await this.repository.find({ select: MEASURED, where, order: { id: 'ASC' }, take: limit });
  }

  /** The excess that has been counted. Locks the row until the transaction ends, so that concurrent measurements count the same bytes once. */
  async lockExcess(id: number): Promise<ExcessBytes> {
    const batch = await this.repository.findOne({
      select: { id: true, excessBytes: true },
      where: { id },
      lock: { mode: 'pessimistic_write' },
    });
    return batch?.excessBytes ?? {};
  }

  async recordExcess(id: number, excessBytes: ExcessBytes): Promise<void> {
    await this.update({ id }, { excessBytes });
  }

  /** Closes a batch; false if that was done before. */
  async markClosed(id: number): Promise<boolean> {
    return await this.update({ id, status: In(['prepared', 'completed', 'reaped']) }, { status: 'closed', tidiedAt: null });
  }

  /** Marks a batch as abandoned, and returns it as it was before; null if that was done before. Locks the row until the transaction ends. */
  async markAbandoned(id: number): Promise<UploadBatch | null> {
    const batch = await this.repository.findOne({ where: { id, status: Not('abandoned' as const) }, lock: { mode: 'pessimistic_write' } });
    if (batch) await this.update({ id }, { status: 'abandoned', tidiedAt: null });
    return batch;
  }

  /** Records that the upload of a batch starts; false if that was recorded before, or the batch has ended. */
  async markAnnounced(id: number, now: Date): Promise<boolean> {
    return await this.update({ id, announcedAt: IsNull(), status: In(['preparing', 'prepared']) }, { announcedAt: now });
  }

  /** Completes a batch; false if it has already ended. */
  async markCompleted(id: number, now: Date): Promise<boolean> {
    return await this.update({ id, status: 'prepared' }, { status: 'completed', lastActivityAt: now });
  }

  /** Completes a batch that the reaper has ended; false if that was done before. */
  async markReapedCompleted(id: number, now: Date): Promise<boolean> {
    return await this.update({ id, status: 'reaped' }, { status: 'completed', lastActivityAt: now });
  }

  /** Ends up to `limit` batches that have had no activity since `before` and whose credentials have expired at `now`, and returns them. */
  async markReaped(before: Date, now: Date, limit: number): Promise<Pick<EndedBatch, 'id' | 'items'>[]> {
    // Raw SQL: ends a page of batches, and skips those that another transaction has locked.
    const { rows } = await this.database.query<EndedBatch>(
      `UPDATE upload_batches SET status = 'reaped'
        WHERE id = ANY(ARRAY(SELECT id FROM upload_batches
          WHERE status IN ('preparing', 'prepared') AND last_activity_at < $1 AND credentials_expire_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
        RETURNING id, items`,
      [before, now, limit],
    );
    return rows;
  }

  /** Ended batches that may have left unwanted objects in the storage; a page in the order of their ids. */
  async listForCleanup(now: Date, { after, limit }: Portion): Promise<EndedBatch[]> {
    const where = {
      status: In(['completed', 'reaped', 'closed', 'abandoned']),
      tidiedAt: IsNull(),
      credentialsExpireAt: LessThan(now),
      id: MoreThan(after),
    };
    return await this.repository.find({ select: ENDED, where, order: { id: 'ASC' }, take: limit });
  }

  async markCleanedUp(id: number, now: Date): Promise<void> {
    await this.update({ id }, { tidiedAt: now });
  }

  /** Deletes a batch that could not be prepared. */
  async deletePreparing(id: number): Promise<void> {
    await this.repository.delete({ id, status: 'preparing' });
  }

  private async update(where: FindOptionsWhere<UploadBatch>, changes: Partial<UploadBatch>): Promise<boolean> {
    return ((await this.repository.update(where, changes as object)).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(UploadBatch);
  }
}

const identityOf = (batch: NewBatch) => {
  const { customerId, creatorId, userId, clientId, dropsiteId, sessionId, uploadId, jobId } = batch;
  return { customerId, creatorId, userId, clientId, dropsiteId, sessionId, uploadId, jobId };
};
