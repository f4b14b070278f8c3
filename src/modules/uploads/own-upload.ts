import type { Caller } from '../../shared/auth/index.js';
import type { CreateUploadDto } from './create-upload.dto.js';
import type { UploadRequest } from './preparation/upload-preparation.js';

/** The upload of a user into its own customer; null is as good as absent. */
export function ownUpload({ customerId, userId }: Caller, { uploadId, payload, waitForCompletion }: CreateUploadDto): UploadRequest {
  const owner = { customerId, creatorId: userId, userId, clientId: null, dropsiteId: null, sessionId: null };
  return { owner, uploadId: uploadId ?? undefined, payload, wait: waitForCompletion ?? true };
}
