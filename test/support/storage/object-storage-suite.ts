import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshKey, refusal, type StorageTraits, type StorageUnderTest, s3Client } from './object-storage-clients.js';
import { describeSessions } from './object-storage-sessions.js';

const PART = 5 * 1024 ** 2;

/** What the service needs of an object storage, seen from outside: the AWS SDK and plain HTTP. Every server that it may be used with passes. */
export function describeObjectStorage(name: string, start: () => Promise<StorageUnderTest>, traits: StorageTraits = {}): void {
  describe(name, () => {
    let storage: StorageUnderTest;
    let client: S3Client;
    beforeAll(async () => {
      storage = await start();
      client = s3Client(storage, storage.key, traits);
    });
    afterAll(async () => {
      client?.destroy();
      await storage?.stop();
    });
    const context = { storage: () => storage, client: () => client, traits };
    describeObjects(context);
    describeListings(context);
    describeMultipart(context);
    describeSessions(context);
  });
}

/** What the tests of a suite share. */
export interface SuiteContext {
  storage(): StorageUnderTest;
  /** With the service's long-lived key. */
  client(): S3Client;
  readonly traits: StorageTraits;
}

const at = ({ storage }: SuiteContext, Key: string) => ({ Bucket: storage().bucket, Key });

const md5 = (data: Buffer): string => createHash('md5').update(data).digest('hex');

async function read({ client, ...context }: SuiteContext, key: string, more: object = {}): Promise<Buffer> {
  const { Body } = await client().send(new GetObjectCommand({ ...at({ client, ...context }, key), ...more }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

function describeObjects(context: SuiteContext): void {
  const { storage, client } = context;

  it('keeps an object with its type and metadata', async () => {
    const key = freshKey('äöü & 100% +.txt');
    const Body = Buffer.from('hello');
    const put = await client().send(
      new PutObjectCommand({ ...at(context, key), Body, ContentType: 'text/plain', Metadata: { origin: 'suite' } }),
    );
    const head = await client().send(new HeadObjectCommand(at(context, key)));
    expect(put.ETag).toBe(`"${md5(Body)}"`);
    expect(head).toMatchObject({ ETag: put.ETag, ContentLength: 5, ContentType: 'text/plain', Metadata: { origin: 'suite' } });
    expect((await read(context, key)).toString()).toBe('hello');
  });

  it('takes a stream of known length', async () => {
    const key = freshKey();
    const data = randomBytes(300_000);
    await client().send(new PutObjectCommand({ ...at(context, key), Body: Readable.from([data]), ContentLength: data.length }));
    expect((await read(context, key)).equals(data)).toBe(true);
  });

  it('keeps an empty object', async () => {
    const key = freshKey();
    await client().send(new PutObjectCommand({ ...at(context, key), Body: '', ContentLength: 0 }));
    expect(await client().send(new HeadObjectCommand(at(context, key)))).toMatchObject({ ContentLength: 0 });
    expect(await read(context, key)).toHaveLength(0);
  });

  it('replaces an object as a whole', async () => {
    const key = freshKey();
    for (const Body of ['first, longer', 'second']) await client().send(new PutObjectCommand({ ...at(context, key), Body }));
    expect((await read(context, key)).toString()).toBe('second');
  });

  it('answers ranges, and says when there is nothing at that place', async () => {
    const key = freshKey();
    await client().send(new PutObjectCommand({ ...at(context, key), Body: '0123456789' }));
    const ranges = ['bytes=0-3', 'bytes=4-', 'bytes=-2', 'bytes=8-99'];
    const answers = await Promise.all(ranges.map(async (Range) => (await read(context, key, { Range })).toString()));
    expect(answers).toEqual(['0123', '456789', '89', '89']);
    const beyond = client().send(new GetObjectCommand({ ...at(context, key), Range: 'bytes=10-' }));
    expect(await refusal(beyond)).toMatchObject({ status: 416 });
  });

  it('heeds preconditions of reads', async () => {
    const key = freshKey();
    const { ETag } = await client().send(new PutObjectCommand({ ...at(context, key), Body: 'x' }));
    expect(await refusal(client().send(new GetObjectCommand({ ...at(context, key), IfNoneMatch: ETag })))).toMatchObject({ status: 304 });
    expect(await refusal(client().send(new GetObjectCommand({ ...at(context, key), IfMatch: '"other"' })))).toMatchObject({ status: 412 });
    expect(await refusal(client().send(new GetObjectCommand({ ...at(context, key), IfMatch: ETag })))).toBeNull();
  });

  it('deletes, and does not mind what is not there', async () => {
    const keys = [freshKey(), freshKey(), freshKey()];
    for (const key of keys) await client().send(new PutObjectCommand({ ...at(context, key), Body: 'x' }));
    await client().send(new DeleteObjectCommand(at(context, keys[0] ?? '')));
    const Objects = [...keys, freshKey()].map((Key) => ({ Key }));
    const { Errors } = await client().send(new DeleteObjectsCommand({ Bucket: storage().bucket, Delete: { Objects } }));
    expect(Errors ?? []).toEqual([]);
    for (const key of keys) expect(await refusal(client().send(new HeadObjectCommand(at(context, key))))).toMatchObject({ status: 404 });
    expect(await refusal(client().send(new DeleteObjectCommand(at(context, keys[0] ?? ''))))).toBeNull();
  });

  it('refuses data that does not fit its Content-MD5, and keeps what was there', async () => {
    const key = freshKey();
    await client().send(new PutObjectCommand({ ...at(context, key), Body: 'good' }));
    const ContentMD5 = createHash('md5').update('something else').digest('base64');
    const wrong = client().send(new PutObjectCommand({ ...at(context, key), Body: 'bad', ContentMD5 }));
    expect(await refusal(wrong)).toMatchObject({ code: 'BadDigest', status: 400 });
    expect((await read(context, key)).toString()).toBe('good');
  });

  it('knows its bucket and no other', async () => {
    expect(await refusal(client().send(new HeadBucketCommand({ Bucket: storage().bucket })))).toBeNull();
    const elsewhere = client().send(new PutObjectCommand({ Bucket: 'no-such-bucket', Key: 'x', Body: 'x' }));
    expect(await refusal(elsewhere)).toMatchObject({ code: 'NoSuchBucket', status: 404 });
  });
}

function describeListings(context: SuiteContext): void {
  const { storage, client } = context;

  it('lists page by page, in order', async () => {
    const Prefix = freshKey('');
    const keys = Array.from({ length: 7 }, (_, index) => `${Prefix}${index}`);
    for (const key of [...keys].reverse()) await client().send(new PutObjectCommand({ ...at(context, key), Body: key }));
    const listed: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client().send(new ListObjectsV2Command({ Bucket: storage().bucket, Prefix, MaxKeys: 3, ContinuationToken }));
      expect(page.Contents?.length).toBeLessThanOrEqual(3);
      listed.push(...(page.Contents ?? []).map(({ Key }) => Key));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    expect(listed).toEqual(keys);
  });

  it('shows folders by a delimiter, in both versions of the listing', async () => {
    const Prefix = freshKey('');
    for (const name of ['a/1', 'a/2', 'b', 'c/1'])
      await client().send(new PutObjectCommand({ ...at(context, `${Prefix}${name}`), Body: 'x' }));
    const input = { Bucket: storage().bucket, Prefix, Delimiter: '/' };
    const pages = [await client().send(new ListObjectsV2Command(input)), await client().send(new ListObjectsCommand(input))];
    for (const { Contents, CommonPrefixes } of pages) {
      expect(Contents?.map(({ Key }) => Key)).toEqual([`${Prefix}b`]);
      expect(CommonPrefixes?.map((one) => one.Prefix)).toEqual([`${Prefix}a/`, `${Prefix}c/`]);
    }
  });
}

function describeMultipart(context: SuiteContext): void {
  const { storage, client, traits } = context;
  const begin = async (key: string) => (await client().send(new CreateMultipartUploadCommand(at(context, key)))).UploadId ?? '';
  const putPart = async (key: string, UploadId: string, PartNumber: number, Body: Buffer) =>
    await client().send(new UploadPartCommand({ ...at(context, key), UploadId, PartNumber, Body }));
  const complete = async (key: string, UploadId: string, Parts: { PartNumber: number; ETag: string | undefined }[]) =>
    await client().send(new CompleteMultipartUploadCommand({ ...at(context, key), UploadId, MultipartUpload: { Parts } }));

  it('puts parts that arrive in any order together', async () => {
    const key = freshKey();
    const UploadId = await begin(key);
    const data = [randomBytes(PART), randomBytes(PART + 1), randomBytes(17)] as const;
    const tags = new Map<number, string | undefined>();
    for (const number of [3, 1, 2]) tags.set(number, (await putPart(key, UploadId, number, data[number - 1] ?? Buffer.alloc(0))).ETag);
    const Parts = [1, 2, 3].map((PartNumber) => ({ PartNumber, ETag: tags.get(PartNumber) }));
    const { ETag } = await complete(key, UploadId, Parts);
    const whole = createHash('md5')
      .update(Buffer.concat(data.map((part) => Buffer.from(md5(part), 'hex'))))
      .digest('hex');
    const expected = `"${whole}-3"`;
    if (traits.answersETag !== false) expect(ETag).toBe(expected);
    expect(await client().send(new HeadObjectCommand(at(context, key)))).toMatchObject({ ETag: expected, ContentLength: 2 * PART + 18 });
    expect((await read(context, key)).equals(Buffer.concat(data))).toBe(true);
    expect(
      (await read(context, key, { Range: `bytes=${PART - 3}-${2 * PART + 5}` })).equals(
        Buffer.concat(data).subarray(PART - 3, 2 * PART + 6),
      ),
    ).toBe(true);
  });

  it('takes what lib-storage sends, several parts at once', async () => {
    const key = freshKey();
    const data = randomBytes(3 * PART + 5);
    const upload = new Upload({
      client: client(),
      params: { ...at(context, key), Body: Readable.from(slices(data, 100_000)) },
      queueSize: 3,
      partSize: PART,
    });
    await upload.done();
    expect((await read(context, key)).equals(data)).toBe(true);
  });

  it('lists the parts of an upload, page by page, and the uploads under way', async () => {
    const key = freshKey();
    const UploadId = await begin(key);
    for (const number of [1, 2, 5]) await putPart(key, UploadId, number, Buffer.from(`part ${number}`));
    const first = await client().send(new ListPartsCommand({ ...at(context, key), UploadId, MaxParts: 2 }));
    const next = await client().send(new ListPartsCommand({ ...at(context, key), UploadId, PartNumberMarker: first.NextPartNumberMarker }));
    expect([first.IsTruncated, next.IsTruncated]).toEqual([true, false]);
    const parts = [...(first.Parts ?? []), ...(next.Parts ?? [])].map(({ PartNumber, Size }) => `${PartNumber}: ${Size} bytes`);
    expect(parts).toEqual(['1: 6 bytes', '2: 6 bytes', '5: 6 bytes']);
    const { Uploads } = await client().send(new ListMultipartUploadsCommand({ Bucket: storage().bucket, Prefix: key }));
    expect(Uploads).toMatchObject([{ Key: key, UploadId }]);
  });

  it('forgets an aborted upload and its parts', async () => {
    const key = freshKey();
    const UploadId = await begin(key);
    const { ETag } = await putPart(key, UploadId, 1, Buffer.from('x'));
    await client().send(new AbortMultipartUploadCommand({ ...at(context, key), UploadId }));
    expect(await refusal(putPart(key, UploadId, 2, Buffer.from('x')))).toMatchObject({ code: 'NoSuchUpload', status: 404 });
    const gone = traits.knowsGoneUploads === false ? {} : { code: 'NoSuchUpload', status: 404 };
    expect(await refusal(complete(key, UploadId, [{ PartNumber: 1, ETag }]))).toMatchObject(gone);
    expect(await refusal(client().send(new HeadObjectCommand(at(context, key))))).toMatchObject({ status: 404 });
  });

  it('refuses to complete with parts that are missing, wrong, in wrong order or too small', async () => {
    const key = freshKey();
    const UploadId = await begin(key);
    const small = (await putPart(key, UploadId, 1, Buffer.from('small'))).ETag;
    const last = (await putPart(key, UploadId, 2, Buffer.from('last'))).ETag;
    const part = (PartNumber: number, ETag: string | undefined) => ({ PartNumber, ETag });
    const attempt = async (...parts: ReturnType<typeof part>[]) => (await refusal(complete(key, UploadId, parts)))?.code;
    expect(await attempt(part(3, last))).toBe('InvalidPart');
    expect(await attempt(part(1, last))).toBe('InvalidPart');
    expect(await attempt(part(1, small), part(2, last))).toBe('EntityTooSmall');
    if (traits.choosesParts === false) return;
    expect(await attempt(part(2, last), part(1, small))).toBe('InvalidPartOrder');
    expect(await attempt(part(1, small))).toBeUndefined();
  });

  it('takes a part again, and the last one counts', async () => {
    const key = freshKey();
    const UploadId = await begin(key);
    await putPart(key, UploadId, 1, Buffer.from('first'));
    const { ETag } = await putPart(key, UploadId, 1, Buffer.from('second'));
    await complete(key, UploadId, [{ PartNumber: 1, ETag }]);
    expect((await read(context, key)).toString()).toBe('second');
  });
}

function* slices(data: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < data.length; start += size) yield data.subarray(start, start + size);
}
