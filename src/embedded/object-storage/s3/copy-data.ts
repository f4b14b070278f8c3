import { createHash } from 'node:crypto';
import { makeDigest } from '../body/checksum.js';
import { StorageError } from '../http/storage-error.js';
import { MAX_PUT_BYTES } from '../settings.js';
import type { OpenObject } from '../store/object-store.js';
import type { ByteRange } from '../store/read-data.js';
import { arnOf, authorize, type Call, header } from './call.js';
import { missing } from './get-object.js';
import type { Stored, Storing } from './store-body.js';

/** The object that x-amz-copy-source names, which the caller must be allowed to read. */
export async function openSource(call: Call): Promise<OpenObject> {
  const { bucket, key, versionId } = parseSource(header(call, 'x-amz-copy-source') ?? '');
  authorize(call, versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', arnOf(bucket, key));
  if (bucket !== call.bucket) throw new StorageError('NoSuchBucket', undefined, { BucketName: bucket });
  const object = await call.stores.objects.open(key, versionId);
  if (object === null) throw missing({ ...call, key }, versionId);
  return object;
}

interface Copying<T extends object> extends Storing<T> {
  readonly range: ByteRange;
}

/** Copies data into a file that has no place yet, and closes the object. What is stored twice does not depend on each other. */
export async function copyData<T extends object>(
  call: Call,
  object: OpenObject,
  { describe, range, compute }: Copying<T>,
): Promise<Stored<T>> {
  const size = range.end - range.start;
  const md5 = createHash('md5');
  const sum = compute && makeDigest(compute);
  const file = await call.stores.disk.create();
  try {
    if (size > MAX_PUT_BYTES) throw new StorageError('EntityTooLarge');
    for await (const data of object.read(range)) {
      for (const digest of [md5, sum]) digest?.update(data);
      await file.append(data);
    }
    const checksum = compute && sum && { algorithm: compute, value: sum.digest().toString('base64') };
    const facts = { size, md5: md5.digest('hex'), checksum };
    const description = describe(facts);
    return { sealed: await file.seal(description), facts, description };
  } catch (error) {
    await object.close();
    await file.discard();
    throw error;
  }
}

/** bucket/key or /bucket/key, encoded, and perhaps a version. */
function parseSource(text: string): { bucket: string; key: string; versionId: string | undefined } {
  const fault = () => new StorageError('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey');
  const [encoded = '', versionId] = text.split('?versionId=');
  const match = /^\/?([^/]+)\/(.+)$/s.exec(decode(encoded, fault));
  if (!match) throw fault();
  return { bucket: match[1] ?? '', key: match[2] ?? '', versionId };
}

function decode(text: string, fault: () => StorageError): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault();
  }
}
