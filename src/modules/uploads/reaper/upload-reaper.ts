import { Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { Config } from '../../../shared/config/index.js';
import { Database, runExclusively } from '../../../shared/database/index.js';
import { Jobs } from '../../../shared/jobs/index.js';
import { Log } from '../../../shared/logging/index.js';
import { ObjectStorage, type ObjectVersion } from '../../../shared/storage/index.js';
import { Clock } from '../../../shared/time/index.js';
import { MediaIntake, type Original } from '../../media/index.js';
import { uploadPrefix } from '../batches/upload-key.js';
import { type EndedBatch, EndedBatchesRepository } from './ended-batches.repository.js';
import { ItemRemover } from './item-remover.js';

const TASK = 'reap_uploads';
const EVERY_MINUTE = '* * * * *';
const PAGE = 100;
/** Batches that may fail before a run gives up. */
const MOST_FAILURES = 10;
/** Items of a batch at a time; they wait for the storage. */
const CONCURRENT_ITEMS = 16;

export interface ReapReport {
  /** Batches that nobody completed in time. */
  readonly reapedBatches: number;
  readonly deletedItems: number;
  /** Items that stay for now, because their object is new. */
  readonly keptItems: number;
}

/**
 * Cleans up after uploads that were not completed (contract section 5): ends batches without activity, then deletes what ended batches left
 * in the storage without a success. Every step can be repeated, so a run that dies is finished by the next.
 */
@Injectable()
export class UploadReaper implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly batches: EndedBatchesRepository,
    private readonly media: MediaIntake,
    private readonly remover: ItemRemover,
    private readonly storage: ObjectStorage,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule(TASK, EVERY_MINUTE);
    this.jobs.handle(TASK, async () => void (await this.reap(this.clock.now())));
  }

  /** One run, as at `now`; null when another process is at it. Throws `storage_unavailable`. */
  async reap(now: Date): Promise<ReapReport | null> {
    const run = await runExclusively(this.database, TASK, async () => await this.reapAlone(now));
    if (run && run.result.reapedBatches + run.result.deletedItems > 0) this.log.info(run.result, 'uploads reaped');
    return run?.result ?? null;
  }

  private async reapAlone(now: Date): Promise<ReapReport> {
    const before = new Date(now.getTime() - this.config.uploadReapAfterSeconds * 1_000);
    const report = { reapedBatches: await this.endAbandoned(before, now), deletedItems: 0, keptItems: 0 };
    const failures: unknown[] = [];
    for (let after = 0; ; ) {
      const batches = await this.batches.listUntidy(now, { after, limit: PAGE });
      for (const batch of batches) {
        after = batch.id;
        try {
          const { deleted, kept } = await this.tidy(batch, before);
          report.deletedItems += deleted;
          report.keptItems += kept;
          if (kept === 0) await this.batches.markTidied(batch.id, now);
        } catch (error) {
          // One batch that cannot be tidied does not keep the others from it; a storage that is down does.
          failures.push(error);
          if (failures.length >= MOST_FAILURES) throw error;
        }
      }
      if (batches.length < PAGE) break;
    }
    if (failures.length > 0) throw failures[0];
    return report;
  }

  private async endAbandoned(before: Date, now: Date): Promise<number> {
    for (let total = 0; ; ) {
      const ended = await this.database.transaction(async () => {
        const batches = await this.batches.abandon(before, now, PAGE);
        await this.media.giveUp(batches.flatMap(({ items }) => items.map(({ mediaId }) => mediaId)));
        return batches.length;
      });
      total += ended;
      if (ended < PAGE) return total;
    }
  }

  private async tidy(batch: EndedBatch, before: Date): Promise<{ deleted: number; kept: number }> {
    // Its credentials have expired, so no multipart upload of it can go on, whatever became of its item.
    for await (const upload of this.storage.listMultipartUploads(uploadPrefix(batch))) await this.storage.abortMultipartUpload(upload);
    const originals = await this.media.findMany(batch.items.map(({ mediaId }) => mediaId));
    const unwanted = originals.filter(({ status }) => status !== 'successful');
    const limit = pLimit(CONCURRENT_ITEMS);
    const removed = await Promise.all(
      unwanted.map((original) => limit(async () => await this.remover.remove(original, { before, ...batch }))),
    );
    await this.removeLaterVersions(batch, originals);
    const deleted = removed.filter(Boolean).length;
    return { deleted, kept: removed.length - deleted };
  }

  /** What was written over an accepted object is delivered to nobody, and costs room. */
  private async removeLaterVersions(batch: EndedBatch, originals: readonly Original[]): Promise<void> {
    const accepted = new Map(originals.map(({ s3Key, status, version }) => [s3Key, status === 'successful' ? version : null]));
    const unwanted: ObjectVersion[] = [];
    for await (const one of this.storage.listVersions(uploadPrefix(batch))) {
      const version = accepted.get(one.key);
      if (version && version !== one.versionId) unwanted.push(one);
    }
    await this.storage.deleteVersions(unwanted);
  }
}
