import { isAlgorithm } from '../body/checksum.js';
import { emptyAnswer, xmlAnswer, xmlDocument } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import { MAX_PART_NUMBER } from '../settings.js';
import type { ObjectChecksum, PartDescription } from '../store/descriptions.js';
import { type Call, header, type Operation, query, S3_NAMESPACE } from './call.js';
import { readDetails } from './object-details.js';
import { copyPart } from './put-object.js';
import { keep, receipt, storeBody } from './store-body.js';

export const createMultipartUpload: Operation = {
  name: 'CreateMultipartUpload',
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

/** CRC64NVME is only ever of the whole object, SHA only ever of the parts' checksums. */
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
  name: 'UploadPart',
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
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  on: 'object',
  marker: 'uploadId',
  action: 's3:AbortMultipartUpload',
  run: async (call) => {
    await call.stores.uploads.abort(call.key, uploadIdOf(call));
    return emptyAnswer(204);
  },
};
