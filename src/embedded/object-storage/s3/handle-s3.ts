import type { Answer } from '../http/answer.js';
import type { Incoming } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import { BUCKET, MAX_KEY_BYTES } from '../settings.js';
import { type Authority, authenticate } from '../sts/authenticate.js';
import { arnOf, authorize, type Call, type Operation, type Stores } from './call.js';
import { findOperation } from './operations.js';

/** Who is it → what is asked → may they → is the bucket there → do it. */
export async function handleS3(incoming: Incoming, { authority, stores, source }: S3Context): Promise<Answer> {
  const { identity, signer, payload } = authenticate(incoming, authority, { service: 's3' });
  const { bucket, key } = splitPath(incoming.path);
  const on = key !== '' ? 'object' : bucket !== '' ? 'bucket' : 'service';
  const operation = findOperation(on, incoming);
  const call: Call = { incoming, identity, bucket, key, body: { headers: incoming.headers, payload, signer }, stores, source };
  if (operation.action !== null) authorize(call, operation.action, resourceOf(operation, call));
  if (on !== 'service') checkNames(call);
  return await operation.run(call);
}

export interface S3Context {
  readonly authority: Authority;
  readonly stores: Stores;
  readonly source: Call['source'];
}

/** Path style: /bucket/key. A key may hold anything, `../` and double slashes too: it is no path. */
function splitPath(path: string): { bucket: string; key: string } {
  const end = path.indexOf('/', 1);
  return end === -1 ? { bucket: path.slice(1), key: '' } : { bucket: path.slice(1, end), key: path.slice(end + 1) };
}

const resourceOf = ({ on }: Operation, { bucket, key }: Call): string => (on === 'service' ? '*' : arnOf(bucket, key));

function checkNames({ bucket, key }: Call): void {
  if (bucket !== BUCKET) throw new StorageError('NoSuchBucket', undefined, { BucketName: bucket });
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES)
    throw new StorageError('KeyTooLongError', undefined, { Size: String(size), MaxSizeAllowed: String(MAX_KEY_BYTES) });
}
