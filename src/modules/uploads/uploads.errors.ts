import { defineErrors } from '../../shared/errors.js';

export const uploadErrors = defineErrors({
  upload_id_conflict: { kind: 'conflict', meaning: 'The uploadId names another batch; leave it out, or choose a new UUID.' },
  upload_completed: {
    kind: 'conflict',
    meaning: 'The batch was completed or abandoned, or was not completed in time and was deleted; prepare a new one.',
  },
  too_many_bytes: {
    kind: 'conflict',
    meaning:
      'More bytes arrived for the batch than twice the announced sizes and 64 MiB, in all versions and parts; it is closed, and what was not reported before is deleted. Prepare a new batch with the actual sizes.',
  },
  upload_preparing: { kind: 'conflict', meaning: 'The batch is still being prepared; repeat jobResult until it returns the document.' },
  bucket_doubtful: {
    kind: 'conflict',
    meaning:
      'More than half of the objects in the bucket have no record in the database, or more than half of the uploads have no object in the bucket, so the bucket or the database is probably the wrong one; nothing was deleted or marked.',
  },
  bucket_mismatch: {
    kind: 'invalid',
    meaning: 'The bucket is not the one that createUpload returned for this key; nothing was changed. Report the item with that bucket.',
  },
  object_missing: {
    kind: 'conflict',
    meaning:
      'No object exists under the key; upload it, then report it again. An item that was deleted with its batch must be prepared again.',
  },
  client_mismatch: {
    kind: 'unauthenticated',
    meaning: 'The header clientid is missing or belongs to another dropsite; send the clientId that deliver returns.',
  },
});
