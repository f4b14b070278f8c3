import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { EventOutboxService } from '../../shared/events/index.js';
import { Log } from '../../shared/logging/index.js';
import { ObjectStorage, type StoredObject } from '../../shared/storage/index.js';
import {
  ChecksumsJob,
  FirstFactsService,
  isTrack,
  type MediaItem,
  MediaItemsRepository,
  TrackUploadsService,
  type UploadedFile,
  wasAccepted,
} from '../media/index.js';
import { BatchObjectsService, type StoredBatch } from './batches/batch-objects.service.js';
import type { UploadBatch } from './batches/upload-batch.entity.js';
import { type Sender, UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { abandoned, assertMayFinish, isEmptied, UploadBatchesService, unknownUpload } from './batches/upload-batches.service.js';
import { emptiedError, UploadBytesService } from './batches/upload-bytes.service.js';
import { parseUploadKey } from './batches/upload-key.js';
import type { CompletedItemResponse, UploadCompleteResponse } from './upload.dto.js';
import { UploadListener } from './upload-listener.port.js';
import { countRefusedReport, uploadItems } from './upload-metrics.js';
import { uploadErrors } from './uploads.errors.js';

/** Records what senders report: the success of an item, and the completion of a batch. */
@Injectable()
export class UploadCompletionService {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly senderBatches: UploadBatchesService,
    private readonly media: MediaItemsRepository,
    private readonly tracks: TrackUploadsService,
    private readonly firstFacts: FirstFactsService,
    private readonly storage: ObjectStorage,
    private readonly events: EventOutboxService,
    private readonly objects: BatchObjectsService,
    private readonly bytes: UploadBytesService,
    private readonly checksums: ChecksumsJob,
    private readonly listener: UploadListener,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Records that the item under a key was uploaded. Its size and entity tag are read from the storage; repeating the call returns the same answer
   * and sends no further event. Throws `not_found`, `bucket_mismatch`, `object_missing`, `storage_unavailable`, `track_unreadable`, `too_many_tracks`,
   * `object_changed`, `too_many_bytes`, and what assertMayFinish throws.
   */
  async reportItem(
    sender: Sender,
    { bucket, key }: { bucket: string; key: string },
  ): Promise<{ mediaContainerId: number; mediaId: number }> {
    try {
      const { batch, item } = await this.findItem(sender, bucket, key);
      if (!wasAccepted(item)) await this.recordSuccess(batch, item);
      return { mediaContainerId: item.mediaContainerId, mediaId: item.id };
    } catch (error) {
      countRefusedReport(error);
      throw error;
    }
  }

  /**
   * Completes a batch; items without a reported success count as unsuccessful. Repeating the call returns the same answer and sends no further event.
   * A batch that the reaper has ended is also completed, if at least one of its items has arrived. Throws `upload_preparing`, `too_many_bytes`,
   * `upload_completed` if it was abandoned, `storage_unavailable`, and what UploadBatchesService.get throws.
   */
  async complete(sender: Sender, uploadId: string): Promise<UploadCompleteResponse> {
    const batch = await this.senderBatches.get(sender, uploadId);
    if (batch.status === 'preparing')
      throw uploadErrors.upload_preparing('The batch is still being prepared; complete it when its items have been uploaded.');
    if (batch.status !== 'completed') await this.bytes.check(batch);
    await this.database.transaction(async () => {
      if (!(await this.markCompleted(batch))) return;
      await this.media.markFailed(batch.items.map(({ mediaId }) => mediaId));
      await this.publishCompletion(batch, sender);
    });
    return await this.describe(batch);
  }

  /** Announces, in the ambient transaction, the files of a batch that arrived before it was abandoned. A dropsite session remains, so that the call can be repeated. */
  async publishArrived(batch: UploadBatch): Promise<void> {
    if ((await this.findArrived(batch)).length > 0) await this.publishCompletion(batch, { caller: null });
  }

  private async findItem(sender: Sender, bucket: string, key: string): Promise<{ batch: UploadBatch; item: MediaItem }> {
    const parts = parseUploadKey(key);
    const batch = parts && (await this.batches.find(parts.customerId, parts.uploadId));
    if (!batch) throw unknownUpload();
    assertMayFinish(sender, batch);
    const item = await this.media.findByKey(key);
    if (item && item.bucket !== bucket) throw bucketMismatch(item, bucket);
    if (item) return { batch, item };
    if (!batch.items.some((announced) => announced.key === key)) throw unknownUpload();
    throw batch.status === 'abandoned' ? abandoned() : itemDeleted(key);
  }

  private async recordSuccess(batch: UploadBatch, item: MediaItem): Promise<void> {
    if (isEmptied(batch)) throw emptiedError(batch);
    const object = await this.storage.find(item.s3Key);
    if (!object) throw objectMissing(item.s3Key);
    const stored = await this.bytes.check(batch);
    const now = this.clock.now();
    const file = await this.read(item, object);
    const recorded = this.database.transaction(async () => {
      const isOpen = await this.batches.recordActivity(batch.id, now); // locks the batch before the item, as everywhere, to avoid deadlocks
      if (!isOpen) throw emptiedError((await this.batches.findById(batch.id)) ?? batch);
      if (!(await this.markUploaded(item, object, file))) return;
      await this.bytes.countReported(batch, item.s3Key, stored);
      if (object.crc32 === null) await this.checksums.request(`media item ${item.id}`, [item.id]);
      const [{ mediaContainerId, id: mediaId, customerId, role, language } = item] = await this.media.findMany([item.id]);
      await this.events.publish({
        name: 'event:s3success',
        customerId,
        method: 'create',
        payload: { mediaContainerId, mediaId, customerId, role, language },
      });
      this.database.afterCommit(() => {
        uploadItems.successful.count += 1;
      });
    });
    await recorded.finally(async () => await this.tracks.discardUnrecorded(item, file));
    const [after] = await this.media.findMany([item.id]);
    if (!after || !wasAccepted(after)) throw itemDeleted(item.s3Key); // the reaper scheduled its removal first
    await this.removeOtherVersions(batch, after, stored);
  }

  /** Removes earlier versions of an accepted object. The reaper removes what remains, so the report does not depend on it. */
  private async removeOtherVersions(batch: UploadBatch, item: MediaItem, { versions }: StoredBatch): Promise<void> {
    const removal = this.objects.removeOtherVersions(batch, [item], versions);
    await removal.catch((err: unknown) => this.log.warn({ err }, 'cannot remove the earlier versions of an upload; the reaper will'));
  }

  /** Reads the file of a track, or the beginning of another file. */
  private async read(item: MediaItem, object: StoredObject): Promise<UploadedFile> {
    if (isTrack(item)) return await this.tracks.read(item, object);
    return { facts: await this.firstFacts.read(item, object), webVttKey: null };
  }

  private async markUploaded(item: MediaItem, object: StoredObject, file: UploadedFile): Promise<boolean> {
    return await (isTrack(item) ? this.tracks.markUploaded(item, object, file) : this.media.markUploaded(item.id, object, file));
  }

  /** Marks a batch as completed; false if it was completed before, or was reaped and none of its files has arrived. */
  private async markCompleted(batch: UploadBatch): Promise<boolean> {
    const now = this.clock.now();
    if (await this.batches.markCompleted(batch.id, now)) return true;
    const after = await this.batches.findById(batch.id);
    if (after && isEmptied(after)) throw emptiedError(after);
    return (await this.findArrived(batch)).length > 0 && (await this.batches.markReapedCompleted(batch.id, now));
  }

  private async publishCompletion(batch: UploadBatch, { caller }: Pick<Sender, 'caller'>): Promise<void> {
    const { uploadId, customerId, dropsiteId } = batch;
    const arrived = await this.findArrived(batch);
    this.database.afterCommit(() => {
      uploadItems.unsuccessful.count += batch.items.length - arrived.length;
    });
    const mediaContainerIds = [...new Set(arrived.map(({ mediaContainerId }) => mediaContainerId))]; // a container may get several tracks
    const origin = dropsiteId === null ? {} : { dropsiteId, mediaContainerId: mediaContainerIds[0] };
    await this.events.publish({
      name: 'event:uploadComplete',
      customerId,
      method: 'update',
      payload: { uploadId, mediaContainerIds, ...origin },
    });
    await this.listener.batchCompleted({ batch, mediaContainerIds, caller });
  }

  private async findArrived(batch: UploadBatch): Promise<CompletedItemResponse[]> {
    return (await this.describe(batch)).items.filter(({ status }) => status === 'successful');
  }

  private async describe({ uploadId, items }: UploadBatch): Promise<UploadCompleteResponse> {
    const found = await this.media.findMany(items.map(({ mediaId }) => mediaId));
    const successful = new Set(found.filter(wasAccepted).map(({ id }) => id));
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

const bucketMismatch = ({ bucket, s3Key }: Pick<MediaItem, 'bucket' | 's3Key'>, sent: string) =>
  uploadErrors.bucket_mismatch(`The key ${s3Key} belongs to the bucket "${bucket}", not to "${sent}". Report the item with that bucket.`);

const objectMissing = (key: string) =>
  uploadErrors.object_missing(`No object exists under ${key}. Upload it, then report its success again.`);

/** The error for an item that the reaper has deleted: uploading under the same key would not restore it. */
const itemDeleted = (key: string) =>
  uploadErrors.object_missing(
    `The item under ${key} has been deleted: it was not reported in time, or its media container was deleted. Prepare a new upload of the file.`,
  );
