import { Injectable } from '@nestjs/common';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import type { PictureSize } from './picture-size.entity.js';
import { PicturesRepository } from './pictures.repository.js';

/** By this time a process whose claim has expired has ended its last request to the storage. */
const WRITTEN_LATE_MS = 60_000;

/** Deletes the objects of picture sizes, and then their rows; the housekeeping continues an interrupted deletion. */
@Injectable()
export class PictureRemovalService {
  constructor(
    private readonly pictures: PicturesRepository,
    private readonly storage: ObjectStorage,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.register('picture_sizes', async (now, limit) => {
      const expired = await this.pictures.findExpired(new Date(now.getTime() - WRITTEN_LATE_MS), limit);
      await this.deleteObjects(expired);
      return expired.length;
    });
  }

  /** Deletes the sizes of media items that are being removed or whose content was replaced. Throws `storage_unavailable`. */
  async removeOf(mediaItemIds: readonly number[]): Promise<void> {
    await this.deleteObjects(await this.pictures.remove(mediaItemIds));
  }

  private async deleteObjects(sizes: readonly Pick<PictureSize, 'id' | 's3Key'>[]): Promise<void> {
    if (sizes.length === 0) return;
    await this.storage.deleteMany(sizes.map(({ s3Key }) => s3Key));
    await this.pictures.delete(sizes.map(({ id }) => id));
  }
}
