import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { EventOutbox } from '../../../shared/events/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { Clock } from '../../../shared/time/index.js';
import { MediaIntake, type Original } from '../../media/index.js';
import { assertMayFinish, type Sender, unknownUpload } from '../batches/sender.js';
import { SenderBatches } from '../batches/sender-batches.js';
import type { UploadBatch } from '../batches/upload-batch.entity.js';
import { UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import { parseUploadKey } from '../batches/upload-key.js';
import { uploadErrors } from '../uploads.errors.js';
import { BatchCompletionListeners } from './batch-completion-listener.js';
import { ItemSuccessListeners } from './item-success-listener.js';

export interface CompletedUpload {
  readonly uploadId: string;
  readonly status: 'completed';
  readonly items: readonly { readonly mediaContainerId: number; readonly status: 'successful' | 'unsuccessful' }[];
}

/** What senders say when they have uploaded: an item is there, the whole batch is. */
@Injectable()
export class UploadCompletion {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly senderBatches: SenderBatches,
    private readonly media: MediaIntake,
    private readonly storage: ObjectStorage,
    private readonly events: EventOutbox,
    private readonly itemListeners: ItemSuccessListeners,
    private readonly listeners: BatchCompletionListeners,
    private readonly clock: Clock,
  ) {}

  /**
   * The item under a key was uploaded. Its size and entity tag are read from the storage; repeating the call returns the same answer and sends
   * no further event. Throws `not_found`, `bucket_mismatch`, `object_missing`, `storage_unavailable`, and what assertMayFinish throws.
   */
  async succeed(sender: Sender, { bucket, key }: { bucket: string; key: string }): Promise<{ mediaContainerId: number; mediaId: number }> {
    const { batch, item } = await this.findItem(sender, bucket, key);
    if (item.status !== 'successful') await this.record(batch, item);
    return { mediaContainerId: item.mediaContainerId, mediaId: item.id };
  }

  /**
   * The whole batch was uploaded; items without success count as unsuccessful. Repeating the call returns the same answer and sends no further
   * event. A batch that the reaper has ended is completed too, once something of it has arrived.
   */
  async complete(sender: Sender, uploadId: string): Promise<CompletedUpload> {
    const batch = await this.senderBatches.get(sender, uploadId);
    if (batch.status === 'preparing')
      throw uploadErrors.upload_preparing('The batch is still being prepared; there is nothing to complete yet.');
    await this.database.transaction(async () => {
      if (await this.close(batch)) await this.finish(batch, sender);
    });
    return await this.describe(batch);
  }

  private async findItem(sender: Sender, bucket: string, key: string): Promise<{ batch: UploadBatch; item: Original }> {
    const parts = parseUploadKey(key);
    const batch = parts && (await this.batches.find(parts.customerId, parts.uploadId));
    if (!batch) throw unknownUpload();
    assertMayFinish(sender, batch);
    const item = await this.media.findByKey(key);
    if (item && item.bucket !== bucket) throw bucketMismatch(item, bucket);
    if (item) return { batch, item };
    throw batch.items.some((announced) => announced.key === key) ? itemDeleted(key) : unknownUpload();
  }

  private async record(batch: UploadBatch, item: Original): Promise<void> {
    const object = await this.storage.find(item.s3Key);
    if (!object) throw objectMissing(item.s3Key);
    const now = this.clock.now();
    await this.database.transaction(async () => {
      await this.batches.touch(batch.id, now); // batch before item, as everywhere, or two processes could wait for each other
      if (!(await this.media.succeed(item.id, object))) return;
      await this.itemListeners.tell({ batch, announcedBytes: item.fileSize, size: object.size });
      const { mediaContainerId, id: mediaId, customerId } = item;
      await this.events.publish({
        name: 'event:s3success',
        customerId,
        method: 'create',
        payload: { mediaContainerId, mediaId, customerId },
      });
    });
    const [after] = await this.media.findMany([item.id]);
    if (after?.status !== 'successful') throw itemDeleted(item.s3Key); // the reaper was first
  }

  /** False when the batch was completed before, or was reaped and nothing of it has arrived. */
  private async close(batch: UploadBatch): Promise<boolean> {
    const now = this.clock.now();
    if (await this.batches.complete(batch.id, now)) return true;
    const { items } = await this.describe(batch);
    return items.some(({ status }) => status === 'successful') && (await this.batches.completeReaped(batch.id, now));
  }

  private async finish(batch: UploadBatch, { caller }: Sender): Promise<void> {
    await this.media.giveUp(batch.items.map(({ mediaId }) => mediaId));
    const { uploadId, customerId, dropsiteId } = batch;
    const mediaContainerIds = (await this.describe(batch)).items
      .filter(({ status }) => status === 'successful')
      .map(({ mediaContainerId }) => mediaContainerId);
    const origin = dropsiteId === null ? {} : { dropsiteId, mediaContainerId: mediaContainerIds[0] };
    await this.events.publish({
      name: 'event:uploadComplete',
      customerId,
      method: 'update',
      payload: { uploadId, mediaContainerIds, ...origin },
    });
    await this.listeners.tell({ batch, mediaContainerIds, caller });
  }

  private async describe({ uploadId, items }: UploadBatch): Promise<CompletedUpload> {
    const originals = await this.media.findMany(items.map(({ mediaId }) => mediaId));
    const successful = new Set(originals.filter(({ status }) => status === 'successful').map(({ id }) => id));
    return {
      uploadId,
      status: 'completed',
      items: items.map(({ mediaContainerId, mediaId }) => ({
        mediaContainerId,
        status: successful.has(mediaId) ? 'successful' : 'unsuccessful',
      })),
    };
  }
}

const bucketMismatch = ({ bucket, s3Key }: Original, sent: string) =>
  uploadErrors.bucket_mismatch(`The key ${s3Key} belongs to the bucket "${bucket}", not to "${sent}". Report the item with that bucket.`);

const objectMissing = (key: string) =>
  uploadErrors.object_missing(`There is no object under ${key}. Upload it, then report its success again.`);

/** The reaper has taken it: uploading under the same key would not bring it back. */
const itemDeleted = (key: string) =>
  uploadErrors.object_missing(`What was to come under ${key} was not reported in time and is deleted. Prepare a new upload of it.`);
