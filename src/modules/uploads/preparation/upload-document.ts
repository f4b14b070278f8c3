import type { StorageLocation } from '../../../shared/storage/index.js';
import type { UploadBatch } from '../batches/upload-batch.entity.js';
import type { Credentials } from '../credentials/credential-issuer.js';

/** The answer to a preparation: the specification's Upload document. */
export interface UploadDocument {
  readonly uploadId: string;
  readonly jobId: string;
  readonly processed: readonly object[];
  readonly error: readonly object[];
  readonly transferAcceleration: boolean;
}

type Content = Pick<UploadBatch, 'uploadId' | 'jobId' | 'items' | 'problems'> & { readonly payload: readonly unknown[] };

/** Every item repeats what was sent of it. Credentials by key; without them (in a result that is kept) they are left out. */
export function uploadDocument(
  { uploadId, jobId, payload, items, problems }: Content,
  { bucket, region, endpoint }: StorageLocation,
  options: { credentials?: ReadonlyMap<string, Credentials>; transferAcceleration: boolean },
): UploadDocument {
  const where = { bucket, region, ...(endpoint !== null && { endpoint, forcePathStyle: true }) };
  const processed = items.map(({ index, mediaContainerId, mediaId, key }) => {
    const credentials = options.credentials?.get(key);
    return { ...asSent(payload[index]), index, id: mediaContainerId, mediaId, ...where, s3Key: key, ...(credentials && { credentials }) };
  });
  const error = problems.map((problem) => ({ ...asSent(payload[problem.index]), ...problem }));
  return { uploadId, jobId, processed, error, transferAcceleration: options.transferAcceleration && endpoint === null };
}

/** Whether a stored result is one: earlier versions stored other results too. */
export const isUploadDocument = (result: object): result is UploadDocument =>
  'uploadId' in result && 'processed' in result && 'error' in result;

/** The document with what was sent of each item; one that repeats it already stays as it is. */
export function withSentFields(document: UploadDocument, payload: readonly unknown[]): UploadDocument {
  const complete = (entry: object) => ({ ...asSent(payload[(entry as { index: number }).index]), ...entry });
  return { ...document, processed: document.processed.map(complete), error: document.error.map(complete) };
}

const asSent = (item: unknown): object => (typeof item === 'object' && item !== null && !Array.isArray(item) ? item : {});
