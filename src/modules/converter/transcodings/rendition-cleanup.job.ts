import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { JobsService, UNTIL_DONE } from '../../../shared/jobs/index.js';
import { collect, ObjectStorage } from '../../../shared/storage/index.js';
import { MediaItemsRepository } from '../../media/index.js';
import { type RenditionPlace, renditionKey, renditionPrefix } from './rendition-key.js';
import { TranscodingsRepository } from './transcodings.repository.js';

const TASK = 'sweep_renditions';

/** By this time a worker that stalled during an upload has ended, or its credentials have expired. */
const REPEAT_AFTER_MS = 3_600_000;

/** Removes from the storage the objects of a transcoding's attempts that did not become media items. */
@Injectable()
export class RenditionCleanupJob implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly inventory: MediaItemsRepository,
    private readonly jobs: JobsService,
    private readonly storage: ObjectStorage,
    private readonly transcodings: TranscodingsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<RenditionPlace>(TASK, async (place) => await this.remove(place));
  }

  /** Schedules the removal, in the ambient transaction: now, and again when no worker can still be writing there. */
  async request({ customerId, mediaContainerId, id }: RenditionPlace): Promise<void> {
    const place = { customerId, mediaContainerId, id };
    const later = new Date(this.clock.now().getTime() + REPEAT_AFTER_MS);
    await this.jobs.add(TASK, place, { key: `${TASK} ${id}`, maxAttempts: UNTIL_DONE });
    await this.jobs.add(TASK, place, { key: `${TASK} ${id} again`, runAt: later, maxAttempts: UNTIL_DONE });
  }

  /**
   * Removes the objects. The storage is listed before the database is read, because an object listed now and unknown to the database afterwards can
   * never become a media item.
   */
  private async remove(place: RenditionPlace): Promise<void> {
    const prefix = renditionPrefix(place);
    const [objects, uploads] = [await collect(this.storage.list(prefix)), await collect(this.storage.listMultipartUploads(prefix))];
    const keys = objects.map(({ key }) => key);
    const isKept = await this.findKept(place, keys);
    for (const upload of uploads) if (!isKept(upload.key)) await this.storage.abortMultipartUpload(upload);
    await this.storage.deleteMany(keys.filter((key) => !isKept(key)));
  }

  /** Returns a test for the keys to keep: those of media items, and those that the current attempt writes. */
  private async findKept(place: RenditionPlace, keys: readonly string[]): Promise<(key: string) => boolean> {
    const attempt = await this.transcodings.findAttempt(place.id);
    const media = new Set((await this.inventory.findManyByKey(keys)).map(({ s3Key }) => s3Key));
    const present = attempt === null ? null : renditionKey({ ...place, attempt }, '');
    return (key) => media.has(key) || (present !== null && key.startsWith(present));
  }
}
