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
   * False when the item stays: there is an object that may have come after `before`, or its success was reported. The storage is asked before
   * the item is condemned, and again before the object is deleted: an upload that began in time may end in between. Nothing can come after
   * `credentialsExpireAt`; until then the time of an object says little, because that of a multipart upload is when it was begun (S3).
   */
  async remove(
    { id, s3Key, status }: Original,
    { before, credentialsExpireAt }: { before: Date; credentialsExpireAt: Date },
  ): Promise<boolean> {
    const isNew = async () => {
      const object = await this.storage.find(s3Key);
      return object !== null && (object.modifiedAt > before || credentialsExpireAt > before);
    };
    if (status !== 'deleted') {
      if (await isNew()) return false;
      if (!(await this.media.condemn(id))) return false;
    }
    if (await isNew()) {
      await this.media.reprieve(id);
      return false;
    }
    await this.storage.delete(s3Key);
    await this.media.forget(id);
    return true;
  }
}
