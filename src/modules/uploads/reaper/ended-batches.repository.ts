import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';
import type { UploadBatch } from '../batches/upload-batch.entity.js';

export type EndedBatch = Pick<UploadBatch, 'id' | 'customerId' | 'uploadId' | 'items' | 'credentialsExpireAt'>;

/** Senders ask for the state of a batch soon after it ended, if at all. */
const KEPT_DAYS = 90;

const ABANDON = `UPDATE upload_batches SET status = 'reaped'
  WHERE id = ANY(ARRAY(SELECT id FROM upload_batches
    WHERE status IN ('preparing', 'prepared') AND last_activity_at < $1 AND credentials_expire_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING id, items`;

const UNTIDY = `SELECT id, customer_id AS "customerId", upload_id AS "uploadId", items, credentials_expire_at AS "credentialsExpireAt"
  FROM upload_batches WHERE status IN ('completed', 'reaped') AND tidied_at IS NULL AND credentials_expire_at < $1 AND id > $2 ORDER BY id LIMIT $3`;

const TIDIED = 'UPDATE upload_batches SET tidied_at = $2 WHERE id = $1';

/** Every query of the reaper on batches. */
@Injectable()
export class EndedBatchesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('upload_batches', `tidied_at < $1::timestamptz - interval '${KEPT_DAYS} days'`);
  }

  /** Ends up to `limit` batches without activity since `before`, whose credentials have expired at `now`. Answers them. */
  async abandon(before: Date, now: Date, limit: number): Promise<Pick<EndedBatch, 'id' | 'items'>[]> {
    return (await this.database.query<EndedBatch>(ABANDON, [before, now, limit])).rows;
  }

  /** Ended batches of which something may be left in the storage that is not wanted; a page in the order of their ids. */
  async listUntidy(now: Date, page: { after: number; limit: number }): Promise<EndedBatch[]> {
    return (await this.database.query<EndedBatch>(UNTIDY, [now, page.after, page.limit])).rows;
  }

  async markTidied(id: number, now: Date): Promise<void> {
    await this.database.query(TIDIED, [id, now]);
  }
}
