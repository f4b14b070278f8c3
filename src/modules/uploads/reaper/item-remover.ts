import { Injectable } from '@nestjs/common';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { MediaIntake, type Original } from '../../media/index.js';

/** Deletes originals that never became successful, with their objects. */
@Injectable()
export class ItemRemover {
  constructor(
    private readonly media: MediaIntake,
    private readonly storage: ObjectStorage,
  ) {}

  /**
   * False when the item stays: its object was modified after `before`, or its success was reported. The storage is asked before the item is
   * condemned, and again before the object is deleted: an upload that began in time may end in between.
   */
  async remove({ id, s3Key, status }: Original, before: Date): Promise<boolean> {
    if (status !== 'deleted') {
      if (await this.isRecent(s3Key, before)) return false;
      if (!(await this.media.condemn(id))) return false;
    }
    if (await this.isRecent(s3Key, before)) {
      await this.media.reprieve(id);
      return false;
    }
    await this.storage.delete(s3Key);
    await this.media.forget(id);
    return true;
  }

  private async isRecent(key: string, before: Date): Promise<boolean> {
    const object = await this.storage.find(key);
    return object !== null && object.modifiedAt > before;
  }
}
