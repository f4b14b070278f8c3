import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { Log } from '../../shared/logging/index.js';
import { ActivitiesRepository } from '../activity/index.js';
import { MediaItemsRepository } from '../media/index.js';
import { BatchObjectsService } from './batches/batch-objects.service.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';
import { type Sender, UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { abandoned, UploadBatchesService } from './batches/upload-batches.service.js';
import type { AbandonedUploadResponse } from './upload.dto.js';
import { UploadCompletionService } from './upload-completion.service.js';
import { uploadItems } from './upload-metrics.js';

/** Ends batches whose senders give up: what arrived stays, everything else is removed. */
@Injectable()
export class UploadAbandonmentService {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly senderBatches: UploadBatchesService,
    private readonly completion: UploadCompletionService,
    private readonly media: MediaItemsRepository,
    private readonly activities: ActivitiesRepository,
    private readonly objects: BatchObjectsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Abandons a batch in any state: removes the items that have not arrived and returns the number of media containers that went with them. Files that
   * arrived are announced as by `complete`, unless they were. Repeating the call removes nothing. Throws what UploadBatchesService.get throws.
   */
  async abandon(sender: Sender, uploadId: string): Promise<AbandonedUploadResponse> {
    const batch = await this.senderBatches.get(sender, uploadId);
    const removed = await this.database.transaction(async () => await this.remove(batch));
    // Also after a repeated call, because the first one may not have reached the storage.
    if (batch.credentialsExpireAt > this.clock.now() || removed !== null) await this.discardObjects(batch);
    return { uploadId: batch.uploadId, removed: removed ?? 0 };
  }

  /** Removes rows in the ambient transaction; null if the batch was abandoned before. */
  private async remove({ id }: UploadBatch): Promise<number | null> {
    const before = await this.batches.markAbandoned(id);
    if (!before) return null;
    const { code, detail: message } = abandoned();
    await this.activities.revoke(before.jobId, { code, message });
    const { items, containers } = await this.media.deleteUnarrived(before.items.map(({ mediaId }) => mediaId));
    if (before.status !== 'completed') await this.completion.publishArrived(before);
    this.database.afterCommit(() => {
      uploadItems.abandoned.count += items;
    });
    return containers;
  }

  /** Removes objects and parts. What remains, or is uploaded while credentials are valid, the job that measures uploads removes. */
  private async discardObjects(batch: UploadBatch): Promise<void> {
    const removal = this.objects.discard(batch);
    await removal.catch((err: unknown) => this.log.warn({ err, batchId: batch.id }, 'cannot empty an abandoned upload; a job will'));
  }
}
