import { Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { Clock } from '../../shared/clock.js';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { JobsService } from '../../shared/jobs/index.js';
import { Log } from '../../shared/logging/index.js';
import { ObjectStorage } from '../../shared/storage/index.js';
import { type MediaItem, MediaItemsRepository, wasAccepted } from '../media/index.js';
import { BatchObjectsService } from './batches/batch-objects.service.js';
import { type EndedBatch, UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { isEmptied } from './batches/upload-batches.service.js';
import { uploadItems } from './upload-metrics.js';

const TASK = 'reap_uploads';
const EVERY_MINUTE = '* * * * *';
const PAGE_SIZE = 100;
/** A run ends after this many batches could not be cleaned up: the storage is probably unavailable. */
const MAX_FAILURES = 10;
/** Concurrent removals of a batch; they mostly wait for the storage. */
const CONCURRENT_ITEMS = 16;

export interface ReapReport {
  /** Batches that were not completed in time. */
  readonly reapedBatches: number;
  readonly deletedItems: number;
  /** Items that are not removed yet, because their object is new. */
  readonly keptItems: number;
}

/**
 * Cleans up after uploads that were not completed (contract section 5): ends batches without activity, then deletes the objects of ended
 * batches whose success was not reported, or whose items have been removed since. Every step can be repeated, so the next run finishes one that was interrupted.
 */
@Injectable()
export class UploadReaperJob implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly objects: BatchObjectsService,
    private readonly media: MediaItemsRepository,
    private readonly storage: ObjectStorage,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(TASK, EVERY_MINUTE);
    this.jobs.handle(TASK, async () => void (await this.reap(this.clock.now())));
  }

  /** Performs one run, as of `now`; null while another process runs it. Throws `storage_unavailable`. */
  async reap(now: Date): Promise<ReapReport | null> {
    const run = await this.database.runExclusively(TASK, async () => await this.reapExclusively(now));
    if (run && run.result.reapedBatches + run.result.deletedItems > 0) this.log.info(run.result, 'uploads reaped');
    return run?.result ?? null;
  }

  private async reapExclusively(now: Date): Promise<ReapReport> {
    const before = new Date(now.getTime() - this.config.uploadReapAfterSeconds * 1_000);
    const report = { reapedBatches: await this.endAbandoned(before, now), deletedItems: 0, keptItems: 0 };
    const failures: unknown[] = [];
    for (let after = 0; ; ) {
      const batches = await this.batches.listForCleanup(now, { after, limit: PAGE_SIZE });
      for (const batch of batches) {
        after = batch.id;
        try {
          const { deleted, kept } = await this.cleanUp(batch, isEmptied(batch) ? now : before); // it keeps nothing new
          report.deletedItems += deleted;
          report.keptItems += kept;
          if (kept === 0) await this.batches.markCleanedUp(batch.id, now);
        } catch (error) {
          // A batch that cannot be cleaned up does not end the run; an unavailable storage does.
          failures.push(error);
          if (failures.length >= MAX_FAILURES) throw error;
        }
      }
      if (batches.length < PAGE_SIZE) break;
    }
    if (failures.length > 0) throw failures[0];
    return report;
  }

  private async endAbandoned(before: Date, now: Date): Promise<number> {
    for (let total = 0; ; ) {
      const ended = await this.database.transaction(async () => {
        const batches = await this.batches.markReaped(before, now, PAGE_SIZE);
        await this.media.markFailed(batches.flatMap(({ items }) => items.map(({ mediaId }) => mediaId)));
        return batches.length;
      });
      total += ended;
      if (ended < PAGE_SIZE) return total;
    }
  }

  private async cleanUp(batch: EndedBatch, before: Date): Promise<{ deleted: number; kept: number }> {
    // The credentials of the batch have expired, so none of its multipart uploads can continue, regardless of the status of the item.
    await this.objects.abortMultipartUploads(batch);
    const originals = await this.media.findMany(batch.items.map(({ mediaId }) => mediaId));
    const unwanted = originals.filter((item) => !wasAccepted(item)); // accepted items are removed by jobs of their own
    const limit = pLimit(CONCURRENT_ITEMS);
    const removed = await Promise.all(unwanted.map((original) => limit(async () => await this.removeItem(original, { before, ...batch }))));
    await this.objects.removeOtherVersions(batch, originals);
    await this.removeUnknownObjects(batch, originals);
    const deleted = removed.filter(Boolean).length;
    return { deleted, kept: removed.length - deleted };
  }

  /**
   * Removes an item; false if it stays because an object may have arrived after `before`, or its success was reported. The storage is queried before
   * the removal is scheduled, and again before the object is deleted, because an upload that started in time may end in between. Nothing can arrive
   * after `credentialsExpireAt`; until then the time of an object proves little, because S3 dates a multipart upload by its start.
   */
  private async removeItem(
    { id, s3Key, status }: MediaItem,
    { before, credentialsExpireAt }: { before: Date; credentialsExpireAt: Date },
  ): Promise<boolean> {
    const isNew = async () => {
      const object = await this.storage.find(s3Key);
      return object !== null && (object.modifiedAt > before || credentialsExpireAt > before);
    };
    if (status !== 'deleted') {
      if (await isNew()) return false;
      if (!(await this.media.scheduleRemoval(id))) return false;
    }
    if (await isNew()) {
      await this.media.cancelRemoval(id);
      return false;
    }
    await this.storage.delete(s3Key);
    await this.media.delete(id);
    uploadItems.reaped.count += 1;
    return true;
  }

  /**
   * Deletes what arrived under the keys of items that no longer exist: their media container may have been removed while the credentials were still
   * valid. The keys are those of the batch, because no row names them any more.
   */
  private async removeUnknownObjects({ items }: EndedBatch, originals: readonly MediaItem[]): Promise<void> {
    const known = new Set(originals.map(({ s3Key }) => s3Key));
    await this.storage.deleteMany(items.map(({ key }) => key).filter((key) => !known.has(key)));
  }
}
