import { defineErrors } from '../../shared/errors/index.js';

export const uploadErrors = defineErrors({
  upload_id_conflict: { kind: 'conflict', meaning: 'The uploadId names another batch; leave it out, or choose a new UUID.' },
  upload_completed: { kind: 'conflict', meaning: 'The batch was completed, or given up and cleaned away; prepare a new one.' },
  upload_preparing: { kind: 'conflict', meaning: 'The batch is still being prepared; ask jobResult until it answers with the document.' },
  bucket_doubtful: {
    kind: 'conflict',
    meaning:
      'Most of what the database or the bucket has is missing in the other, so one of them is hardly the right one; nothing was mended.',
  },
  bucket_mismatch: {
    kind: 'invalid',
    meaning: 'The bucket is not the one that createUpload answered for this key; nothing was changed. Report the item with that bucket.',
  },
  object_missing: {
    kind: 'conflict',
    meaning:
      'There is no object under the key; upload it, then report it again. An item that was deleted with its batch has to be prepared anew.',
  },
  client_mismatch: {
    kind: 'unauthenticated',
    meaning: 'The header clientid is missing or not that of the dropsite; send the one that deliver answered.',
  },
});
