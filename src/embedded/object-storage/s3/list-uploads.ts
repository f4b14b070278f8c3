import { xmlAnswer, xmlDocument } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import type { UploadDescription } from '../store/descriptions.js';
import { compareKeys } from '../store/key-index.js';
import { OWNER } from './bucket.js';
import { checksumField, encoder, integerQuery, type Operation, query, S3_NAMESPACE } from './call.js';
import { uploadIdOf } from './multipart.js';
import { quoted } from './object-details.js';

const MAX_ENTRIES = 1_000;

export const listParts: Operation = {
  name: 'ListParts',
  method: 'GET',
  on: 'object',
  marker: 'uploadId',
  parameters: ['max-parts', 'part-number-marker'],
  action: 's3:ListMultipartUploadParts',
  run: async (call) => {
    const upload = await call.stores.uploads.get(call.key, uploadIdOf(call));
    const after = integerQuery(call, 'part-number-marker', { fallback: 0, max: 1_000_000 });
    const limit = integerQuery(call, 'max-parts', { fallback: MAX_ENTRIES, max: MAX_ENTRIES });
    const left = (await call.stores.uploads.partsOf(upload.uploadId)).filter(({ number }) => number > after);
    const shown = left.slice(0, limit);
    const content = {
      Bucket: call.bucket,
      Key: call.key,
      UploadId: upload.uploadId,
      Initiator: OWNER,
      Owner: OWNER,
      StorageClass: 'STANDARD',
      PartNumberMarker: after,
      NextPartNumberMarker: shown.at(-1)?.number ?? 0,
      MaxParts: limit,
      IsTruncated: shown.length < left.length,
      ChecksumAlgorithm: upload.checksum?.algorithm,
      ChecksumType: upload.checksum?.type,
      Part: shown.map((part) => ({
        PartNumber: part.number,
        LastModified: new Date(part.modifiedAt).toISOString(),
        ETag: quoted(part.etag),
        Size: part.size,
        ...checksumField(part),
      })),
    };
    return xmlAnswer(xmlDocument('ListPartsResult', content, S3_NAMESPACE));
  },
};

export const listMultipartUploads: Operation = {
  name: 'ListMultipartUploads',
  method: 'GET',
  on: 'bucket',
  marker: 'uploads',
  parameters: ['prefix', 'delimiter', 'key-marker', 'upload-id-marker', 'max-uploads', 'encoding-type'],
  action: 's3:ListBucketMultipartUploads',
  run: async (call) => {
    if (query(call, 'delimiter')) throw new StorageError('NotImplemented', 'A delimiter is not supported here.');
    const [prefix, keyMarker, idMarker] = ['prefix', 'key-marker', 'upload-id-marker'].map((name) => query(call, name) ?? '') as [
      string,
      string,
      string,
    ];
    const limit = integerQuery(call, 'max-uploads', { fallback: MAX_ENTRIES, max: MAX_ENTRIES });
    const uploads = (await call.stores.uploads.list()).filter(({ key }) => key.startsWith(prefix)).sort(compareUploads);
    const left = uploads.filter((upload) => isBehind(upload, keyMarker, idMarker));
    const shown = left.slice(0, limit);
    const encode = encoder(call);
    const last = shown.length < left.length ? shown.at(-1) : undefined;
    const content = {
      Bucket: call.bucket,
      Prefix: encode(prefix),
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: last && encode(last.key),
      NextUploadIdMarker: last?.uploadId,
      MaxUploads: limit,
      EncodingType: query(call, 'encoding-type'),
      IsTruncated: last !== undefined,
      Upload: shown.map((upload) => ({
        Key: encode(upload.key),
        UploadId: upload.uploadId,
        Initiator: OWNER,
        Owner: OWNER,
        StorageClass: 'STANDARD',
        Initiated: new Date(upload.startedAt).toISOString(),
        ChecksumAlgorithm: upload.checksum?.algorithm,
        ChecksumType: upload.checksum?.type,
      })),
    };
    return xmlAnswer(xmlDocument('ListMultipartUploadsResult', content, S3_NAMESPACE));
  },
};

/** By key, then by id, so that a marker always finds its place again. */
function compareUploads(a: UploadDescription, b: UploadDescription): number {
  return compareKeys(a.key, b.key) || compareKeys(a.uploadId, b.uploadId);
}

/** A key marker alone means all uploads of later keys; with an upload id those of the same key that come after it. */
function isBehind({ key, uploadId }: UploadDescription, keyMarker: string, idMarker: string): boolean {
  const order = compareKeys(key, keyMarker);
  return keyMarker === '' || order > 0 || (order === 0 && idMarker !== '' && uploadId > idMarker);
}
