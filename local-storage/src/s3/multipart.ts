import { isAlgorithm } from '../body/checksum.js';
import { emptyAnswer, StorageError, xmlAnswer, xmlDocument } from '../http/messages.js';
import { MAX_PART_NUMBER, OWNER } from '../settings.js';
import { compareKeys } from '../store/key-index.js';
import type { ObjectChecksum, PartDescription, UploadDescription } from '../store/sealed-file.js';
import { type Call, checksumField, encoder, header, integerQuery, type Operation, query, S3_NAMESPACE } from './call.js';
import { quoted, readDetails } from './object-details.js';
import { copyPart, keep, receipt, storeBody } from './put-object.js';

export const createMultipartUpload: Operation = {
  method: 'POST',
  on: 'object',
  marker: 'uploads',
  action: 's3:PutObject',
  run: async (call) => {
    const { bucket, key, stores } = call;
    const checksum = readChecksum(call);
    const upload = await stores.uploads.create({ ...readDetails(call.incoming.headers), key, startedAt: stores.now().getTime(), checksum });
    const headers: Record<string, string> = checksum
      ? { 'x-amz-checksum-algorithm': checksum.algorithm, 'x-amz-checksum-type': checksum.type }
      : {};
    const content = { Bucket: bucket, Key: key, UploadId: upload.uploadId };
    return xmlAnswer(xmlDocument('InitiateMultipartUploadResult', content, S3_NAMESPACE), headers);
  },
};

/** CRC64NVME always covers the whole object, SHA always covers the checksums of the parts. */
function readChecksum(call: Call): Pick<ObjectChecksum, 'algorithm' | 'type'> | undefined {
  const algorithm = header(call, 'x-amz-checksum-algorithm')?.toUpperCase();
  const type = header(call, 'x-amz-checksum-type')?.toUpperCase();
  if (algorithm === undefined) return undefined;
  if (!isAlgorithm(algorithm)) throw new StorageError('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  const chosen = type ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE');
  const possible = algorithm === 'CRC64NVME' ? ['FULL_OBJECT'] : algorithm.startsWith('SHA') ? ['COMPOSITE'] : ['COMPOSITE', 'FULL_OBJECT'];
  if (!possible.includes(chosen)) {
    throw new StorageError(
      'InvalidRequest',
      `The ${chosen} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    );
  }
  return { algorithm, type: chosen === 'FULL_OBJECT' ? 'FULL_OBJECT' : 'COMPOSITE' };
}

export const uploadPart: Operation = {
  method: 'PUT',
  on: 'object',
  marker: 'uploadId',
  parameters: ['partNumber'],
  action: 's3:PutObject',
  run: async (call) => {
    const { stores, key } = call;
    const number = readPartNumber(query(call, 'partNumber'));
    const upload = await stores.uploads.get(key, uploadIdOf(call));
    if (header(call, 'x-amz-copy-source') !== undefined) return await copyPart(call, upload, number);
    const stored = await storeBody(call, {
      compute: upload.checksum?.algorithm,
      describe: ({ md5, size, checksum }): PartDescription => ({ number, size, etag: md5, checksum, modifiedAt: stores.now().getTime() }),
    });
    await keep(stored, async () => await stores.uploads.putPart(upload, number, stored.sealed));
    return emptyAnswer(200, receipt(stored.facts));
  },
};

function readPartNumber(text = ''): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_PART_NUMBER) return number;
  throw new StorageError('InvalidArgument', `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`, {
    ArgumentName: 'partNumber',
    ArgumentValue: text,
  });
}

export const uploadIdOf = (call: Call): string => query(call, 'uploadId') ?? '';

export const abortMultipartUpload: Operation = {
  method: 'DELETE',
  on: 'object',
  marker: 'uploadId',
  action: 's3:AbortMultipartUpload',
  run: async (call) => {
    await call.stores.uploads.abort(call.key, uploadIdOf(call));
    return emptyAnswer(204);
  },
};

const MAX_ENTRIES = 1_000;

export const listParts: Operation = {
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

/** Sorts by key, then by upload id, so that a marker always identifies a position. */
function compareUploads(a: UploadDescription, b: UploadDescription): number {
  return compareKeys(a.key, b.key) || compareKeys(a.uploadId, b.uploadId);
}

/** A key marker alone selects all uploads with later keys; with an upload id, also later uploads with the same key. */
function isBehind({ key, uploadId }: UploadDescription, keyMarker: string, idMarker: string): boolean {
  const order = compareKeys(key, keyMarker);
  return keyMarker === '' || order > 0 || (order === 0 && idMarker !== '' && uploadId > idMarker);
}
