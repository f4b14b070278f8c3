import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Log } from '../../../shared/logging/index.js';
import { ActivitiesRepository } from '../../activity/index.js';
import { MediaItemsRepository } from '../../media/index.js';
import { UploadListener } from '../upload-listener.port.js';
import { uploadErrors } from '../uploads.errors.js';
import { announcedBytesOf, BatchObjectsService, exceedsLimit, type StoredBatch, storedBytesOf } from './batch-objects.service.js';
import type { ExcessBytes } from './upload-batch.entity.js';
import { type MeasuredBatch, UploadBatchesRepository } from './upload-batches.repository.js';
import { abandoned, isEmptied } from './upload-batches.service.js';

/** Counts the bytes that arrive for batches, and closes batches for which too many arrive. */
@Injectable()
export class UploadBytesService {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly objects: BatchObjectsService,
    private readonly media: MediaItemsRepository,
    private readonly activities: ActivitiesRepository,
    private readonly listener: UploadListener,
    private readonly log: Log,
  ) {}

  /** Measures a batch; returns what the storage contains of it. Throws `too_many_bytes` if it is closed, also by this call, and `upload_completed` if it is abandoned. */
  async check(batch: MeasuredBatch): Promise<StoredBatch> {
    const stored = await this.measure(batch);
    if (!stored) throw emptiedError(batch);
    return stored;
  }

  /** Measures a batch and counts what has arrived, reported or not. Returns false if the batch is closed or abandoned. */
  async countArrived(batch: MeasuredBatch): Promise<boolean> {
    const stored = await this.measure(batch);
    if (stored && raiseExcess(batch.excessBytes, batch, stored) !== batch.excessBytes)
      await this.database.transaction(async () => await this.correct(batch, (counted) => raiseExcess(counted, batch, stored)));
    return stored !== null;
  }

  /** Counts, in the ambient transaction, what has arrived for an item whose success is recorded, and returns the announced bytes that have not. */
  async countReported(batch: MeasuredBatch, key: string, { bytes }: StoredBatch): Promise<void> {
    const item = batch.items.find((announced) => announced.key === key);
    const excess = (bytes.get(key) ?? 0) - (item?.size ?? 0);
    if (!item || excess === (batch.excessBytes[item.index] ?? 0)) return;
    await this.correct(batch, (counted) => ({ ...counted, [item.index]: Math.max(excess, counted[item.index] ?? excess) }));
  }

  private async measure(batch: MeasuredBatch): Promise<StoredBatch | null> {
    if (isEmptied(batch)) return null;
    const stored = await this.objects.measure(batch);
    if (!exceedsLimit(batch.items, stored)) return stored;
    await this.close(batch, stored);
    return null;
  }

  private async correct(batch: MeasuredBatch, change: (counted: ExcessBytes) => ExcessBytes): Promise<void> {
    const before = await this.batches.lockExcess(batch.id);
    const after = change(before);
    const bytes = sum(after) - sum(before);
    if (bytes === 0) return;
    await this.batches.recordExcess(batch.id, after);
    await this.listener.bytesCorrected({ batch, bytes });
  }

  private async close(batch: MeasuredBatch, stored: StoredBatch): Promise<void> {
    const { code, detail: message } = tooManyBytes(batch);
    const isClosed = await this.database.transaction(async () => {
      if (!(await this.batches.markClosed(batch.id))) return false;
      await this.media.markFailed(batch.items.map(({ mediaId }) => mediaId));
      await this.activities.revoke(batch.jobId, { code, message });
      await this.correct(batch, (counted) => raiseExcess(counted, batch, stored));
      return true;
    });
    const { id: batchId, customerId } = batch;
    const bytes = { announcedBytes: announcedBytesOf(batch.items), storedBytes: storedBytesOf(stored), entries: stored.entries };
    if (isClosed) this.log.warn({ batchId, customerId, ...bytes }, 'upload closed');
  }
}

/** The error for a batch that is closed or abandoned. */
export const emptiedError = (batch: Pick<MeasuredBatch, 'items' | 'status'>) =>
  batch.status === 'abandoned' ? abandoned() : tooManyBytes(batch);

/** The error for a batch that is closed, because too many bytes arrived. */
const tooManyBytes = ({ items }: Pick<MeasuredBatch, 'items'>) =>
  uploadErrors.too_many_bytes(
    `More bytes arrived than allowed (twice the announced ${announcedBytesOf(items)} bytes, plus 64 MiB), so the batch is closed. Files that were reported before remain; prepare a new batch for the others, with their actual sizes.`,
  );

/** Adds what is stored beyond the announced sizes to the counted excess; the same object if nothing is. Bytes that were deleted stay counted. */
function raiseExcess(counted: ExcessBytes, { items }: Pick<MeasuredBatch, 'items'>, { bytes }: Pick<StoredBatch, 'bytes'>): ExcessBytes {
  const raised = items.flatMap(({ index, key, size }) => {
    const excess = (bytes.get(key) ?? 0) - size;
    return excess > (counted[index] ?? 0) ? [[index, excess] as const] : [];
  });
  return raised.length === 0 ? counted : { ...counted, ...Object.fromEntries(raised) };
}

const sum = (excess: ExcessBytes): number => Object.values(excess).reduce((total, bytes) => total + bytes, 0);
