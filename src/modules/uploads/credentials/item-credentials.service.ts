import { Injectable } from '@nestjs/common';
import { type Caller, DROPSITE_SCOPE } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { generalErrors } from '../../../shared/errors.js';
import { MediaItemsRepository } from '../../media/index.js';
import { UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import { assertOwner, unknownUpload } from '../batches/upload-batches.service.js';
import { UploadBytesService } from '../batches/upload-bytes.service.js';
import { parseUploadKey } from '../batches/upload-key.js';
import { uploadErrors } from '../uploads.errors.js';
import type { Credentials } from './credential-issuer.port.js';
import { UploadCredentialsService } from './upload-credentials.service.js';

/** Issues new credentials for one item, if those of its batch have expired or were lost. */
@Injectable()
export class ItemCredentialsService {
  constructor(
    private readonly media: MediaItemsRepository,
    private readonly batches: UploadBatchesRepository,
    private readonly bytes: UploadBytesService,
    private readonly credentials: UploadCredentialsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues credentials to the user or session that owns the batch. Throws `not_found`, `upload_completed`, `too_many_bytes`, `storage_denied` or `storage_unavailable`.
   */
  async issue(caller: Caller, mediaId: number): Promise<Credentials> {
    if (!caller.scopes.has('api') && !caller.scopes.has(DROPSITE_SCOPE)) {
      throw generalErrors.insufficient_scope('Upload credentials require the scope api.');
    }
    const [item] = await this.media.findMany([mediaId]);
    const parts = item && parseUploadKey(item.s3Key);
    const batch = parts && (await this.batches.find(parts.customerId, parts.uploadId));
    if (!item || !batch) throw unknownUpload();
    assertOwner(caller, batch);
    const announced = batch.items.find(({ key }) => key === item.s3Key);
    if (!announced) throw unknownUpload();
    if (item.status === 'successful' || item.status === 'deleted')
      throw uploadErrors.upload_completed('This item has been uploaded and cannot be replaced.');
    await this.bytes.check(batch);
    const [credentials] = (await this.credentials.issue([announced], batch)).values();
    const isOpen =
      credentials &&
      (await this.batches.renew(batch.id, { expiresAt: new Date(credentials.Expiration), sessionId: batch.sessionId }, this.clock.now()));
    if (!isOpen) throw uploadErrors.upload_completed('The batch of this item has ended; prepare a new one.');
    return credentials;
  }
}
