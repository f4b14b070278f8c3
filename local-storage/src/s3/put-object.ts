import { createHash } from 'node:crypto';
import { type Algorithm, checksumHeader, makeDigest } from '../body/checksum.js';
import { type BodyFacts, receive, statedLength } from '../body/payload.js';
import { type Answer, emptyAnswer, StorageError, xmlAnswer, xmlDocument } from '../http/messages.js';
import { MAX_PUT_BYTES } from '../settings.js';
import type { ByteRange } from '../store/disk.js';
import type { OpenObject } from '../store/object-store.js';
import type { ObjectDescription, PartDescription, SealedFile, UploadDescription } from '../store/sealed-file.js';
import { arnOf, authorize, type Call, checksumField, header, type Operation, S3_NAMESPACE } from './call.js';
import { missing } from './get-object.js';
import { quoted, readDetails, versionHeader, writeCondition } from './object-details.js';

export const putObject: Operation = {
  method: 'PUT',
  on: 'object',
  action: 's3:PutObject',
  run: async (call) => await (header(call, 'x-amz-copy-source') === undefined ? putBody(call) : copyObject(call)),
};

async function putBody(call: Call): Promise<Answer> {
  const { key, stores, incoming } = call;
  const details = readDetails(incoming.headers);
  const condition = writeCondition(call);
  condition?.(await stores.objects.find(key)); // before gigabytes are sent in vain; checked again when the object is stored
  const describe = ({ size, md5, checksum }: BodyFacts): ObjectDescription => ({
    ...details,
    key,
    size,
    etag: md5,
    versionId: stores.objects.newVersionId(),
    modifiedAt: stores.now().getTime(),
    checksum: checksum && { ...checksum, type: 'FULL_OBJECT' },
  });
  const stored = await storeBody(call, { describe });
  await keep(stored, async () => await stores.objects.put(stored.sealed, stored.description, condition));
  return emptyAnswer(200, { ...receipt(stored.facts), ...versionHeader(stored.description) });
}

/** PutObject with x-amz-copy-source, with which clients move objects and change their metadata. The copy has a single part. */
async function copyObject(call: Call): Promise<Answer> {
  const { key, stores } = call;
  const object = await openSource(call);
  const { headers, metadata, checksum } = object.description;
  const isReplaced = header(call, 'x-amz-metadata-directive')?.toUpperCase() === 'REPLACE';
  if (object.description.key === key && !isReplaced) {
    await object.close();
    throw new StorageError(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing it.',
    );
  }
  const details = isReplaced ? readDetails(call.incoming.headers) : { headers, metadata };
  const copied = await copyData(call, object, {
    range: { start: 0, end: object.description.size },
    compute: checksum?.algorithm,
    describe: ({ size, md5, checksum: sum }): ObjectDescription => {
      const facts = { size, etag: md5, modifiedAt: stores.now().getTime(), versionId: stores.objects.newVersionId() };
      return { ...details, key, ...facts, checksum: sum && { ...sum, type: 'FULL_OBJECT' } };
    },
  });
  await keep(copied, async () => await stores.objects.put(copied.sealed, copied.description));
  return result('CopyObjectResult', copied.description, versionHeader(copied.description));
}

/** UploadPart with x-amz-copy-source. */
export async function copyPart(call: Call, upload: UploadDescription, number: number): Promise<Answer> {
  const { stores } = call;
  const object = await openSource(call);
  const range = readRange(header(call, 'x-amz-copy-source-range'), object.description.size);
  if (range === null) {
    await object.close();
    throw new StorageError(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last where both are within the object.',
    );
  }
  const copied = await copyData(call, object, {
    range,
    compute: upload.checksum?.algorithm,
    describe: ({ size, md5, checksum }): PartDescription => ({ number, size, etag: md5, checksum, modifiedAt: stores.now().getTime() }),
  });
  await keep(copied, async () => await stores.uploads.putPart(upload, number, copied.sealed));
  return result('CopyPartResult', copied.description);
}

/** Null for text that is not a range, or for a range beyond the object. */
function readRange(text: string | undefined, size: number): { start: number; end: number } | null {
  if (text === undefined) return { start: 0, end: size };
  const match = /^bytes=(\d+)-(\d+)$/.exec(text);
  const [start, end] = [Number(match?.[1]), Number(match?.[2]) + 1];
  return match && start < end && end <= size ? { start, end } : null;
}

type Copied = Pick<PartDescription, 'etag' | 'checksum' | 'modifiedAt'>;

function result(name: string, { etag, checksum, modifiedAt }: Copied, headers: Answer['headers'] = {}): Answer {
  const content = { LastModified: new Date(modifiedAt).toISOString(), ETag: quoted(etag), ...checksumField({ checksum }) };
  return xmlAnswer(xmlDocument(name, content, S3_NAMESPACE), headers);
}

/** Opens the object that x-amz-copy-source names, which the caller must be allowed to read. */
async function openSource(call: Call): Promise<OpenObject> {
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

/** Copies data into a new temporary file, and closes the object. The copy is independent of the original. */
async function copyData<T extends object>(call: Call, object: OpenObject, { describe, range, compute }: Copying<T>): Promise<Stored<T>> {
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

/** Parses bucket/key or /bucket/key, URL-encoded, with an optional version id. */
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

export interface Storing<T extends object> {
  /** Returns the description that is appended to the file. */
  describe(facts: BodyFacts): T;
  /** A checksum to compute if the client sends none. */
  readonly compute?: Algorithm;
}

/** A complete temporary file that has not been moved to its final path. */
export interface Stored<T extends object> {
  readonly sealed: SealedFile;
  readonly facts: BodyFacts;
  readonly description: T;
}

/** Receives a body into a temporary file. @throws StorageError if the body is not what the request stated; the file is then deleted */
export async function storeBody<T extends object>(call: Call, { describe, compute }: Storing<T>): Promise<Stored<T>> {
  if (statedLength(call.body) > MAX_PUT_BYTES) throw new StorageError('EntityTooLarge');
  const file = await call.stores.disk.create();
  try {
    const facts = await receive(call.source(), call.body, { consume: (data) => file.append(data), compute });
    const description = describe(facts);
    return { sealed: await file.seal(description), facts, description };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Moves a file to its final path with `place`; deletes it if that fails. */
export async function keep({ sealed }: Pick<Stored<object>, 'sealed'>, place: () => Promise<void>): Promise<void> {
  try {
    await place();
  } catch (error) {
    await sealed.discard();
    throw error;
  }
}

/** The response headers that describe the received data. */
export function receipt({ md5, checksum }: BodyFacts): Record<string, string> {
  return { etag: quoted(md5), ...(checksum && { [checksumHeader(checksum.algorithm)]: checksum.value }) };
}
