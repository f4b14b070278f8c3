import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import {
  type ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toAmzTime } from '../../src/embedded/object-storage/signature/amz-time.js';
import { canonicalRequest, encodeRfc3986, sha256Hex } from '../../src/embedded/object-storage/signature/canonical-request.js';
import { signRequest } from '../../src/embedded/object-storage/signature/sign-request.js';
import { scopeText, signatureOf, signingKey } from '../../src/embedded/object-storage/signature/signing-key.js';
import { type RunningObjectStorage, startObjectStorage } from '../../src/embedded/object-storage/start-object-storage.js';
import { assumeRole, type Credentials, freshKey, refusal, s3Client } from '../support/object-storage-clients.js';
import { makeTestFolder, removeTestFolder } from '../support/test-cluster.js';

const PART = 5 * 1024 ** 2;
const EMPTY = sha256Hex('');

let folder: string;
let storage: RunningObjectStorage & { stop(): Promise<void> };
let client: S3Client;
let offsetMs = 0;

beforeAll(async () => {
  folder = makeTestFolder();
  const now = () => new Date(Date.now() + offsetMs);
  const running = await startObjectStorage({ dataDir: path.join(folder, 'storage'), host: '127.0.0.1', port: 0, now, durable: false });
  storage = { ...running, stop: running.close };
  client = s3Client(storage, storage.key);
});
beforeEach(() => {
  offsetMs = 0;
});
afterAll(async () => {
  client.destroy();
  await storage.close();
  await removeTestFolder(folder);
});

const at = (Key: string) => ({ Bucket: storage.bucket, Key });
const urlOf = (target: string) => new URL(`${storage.endpoint}/${storage.bucket}${target}`);

interface Sending {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly payload?: string;
  readonly key?: Credentials;
}

/** A request that is signed by hand; `host` is added by fetch itself. */
async function send(method: string, target: string, { headers = {}, body, payload, key = storage.key }: Sending = {}) {
  const url = urlOf(target);
  const hash = payload ?? (body === undefined ? EMPTY : sha256Hex(Buffer.from(body)));
  const request = { method, url, headers: { ...headers, 'x-amz-content-sha256': hash }, payload: hash };
  const { host: _, ...signed } = signRequest(request, { key, region: storage.region, service: 's3', at: new Date() });
  const response = await fetch(url, { method, headers: signed, body: body === undefined ? undefined : new Uint8Array(Buffer.from(body)) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const codeOf = (document: string): string => /<Code>(\w+)<\/Code>/.exec(document)?.[1] ?? '';

function presign(
  key: string,
  more: Record<string, string> = {},
  { accessKeyId, secretAccessKey, sessionToken }: Credentials = storage.key,
): URL {
  const url = urlOf(`/${key}`);
  const time = toAmzTime(new Date());
  const scope = { date: time.slice(0, 8), region: storage.region, service: 's3' };
  const query = Object.entries({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scopeText(scope)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host',
    ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
    ...more,
  });
  const request = { method: 'GET', path: decodeURIComponent(url.pathname), query, headers: new Map([['host', url.host]]) };
  const canonical = canonicalRequest(request, { signedHeaders: ['host'], payload: 'UNSIGNED-PAYLOAD' });
  const toSign = ['AWS4-HMAC-SHA256', time, scopeText(scope), sha256Hex(canonical)].join('\n');
  const signature = signatureOf(signingKey(secretAccessKey, scope), toSign);
  url.search = [...query, ['X-Amz-Signature', signature]]
    .map(([name = '', value = '']) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`)
    .join('&');
  return url;
}

describe('A browser', () => {
  it('may send anything from any page', async () => {
    const headers = {
      origin: 'https://page.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,x-amz-date',
    };
    const preflight = await fetch(urlOf('/any'), { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(Number(preflight.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('sees the ETag, and errors too', async () => {
    const put = await send('PUT', `/${freshKey()}`, { body: 'x' });
    expect(put.headers.get('access-control-expose-headers')).toContain('ETag');
    expect((await fetch(urlOf('/any'))).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('A request', () => {
  it('without a signature is refused', async () => {
    const response = await fetch(urlOf('/any'));
    expect([response.status, codeOf(await response.text())]).toEqual([403, 'AccessDenied']);
  });

  it.each([
    ['a wrong secret', () => ({ ...storage.key, secretAccessKey: 'wrong' }), 403, 'SignatureDoesNotMatch'],
    ['an unknown key', () => ({ ...storage.key, accessKeyId: 'AKIAUNKNOWN' }), 403, 'InvalidAccessKeyId'],
  ])('with %s is refused', async (_name, key, status, code) => {
    const answer = await send('GET', '/any', { key: key() });
    expect([answer.status, codeOf(answer.text)]).toEqual([status, code]);
  });

  it('of another time is refused, one within a quarter of an hour is not', async () => {
    offsetMs = 16 * 60_000;
    expect(codeOf((await send('GET', '/any')).text)).toBe('RequestTimeTooSkewed');
    offsetMs = -14 * 60_000;
    expect(codeOf((await send('GET', '/any')).text)).toBe('NoSuchKey');
  });

  it('with a header that is not signed is refused', async () => {
    const url = urlOf(`/${freshKey()}`);
    const request = { method: 'PUT', url, headers: { 'x-amz-content-sha256': EMPTY }, payload: EMPTY };
    const { host: _, ...signed } = signRequest(request, { key: storage.key, region: storage.region, service: 's3', at: new Date() });
    const response = await fetch(url, { method: 'PUT', headers: { ...signed, 'x-amz-meta-owner': 'somebody' } });
    expect([response.status, codeOf(await response.text())]).toEqual([403, 'AccessDenied']);
  });

  it('whose body is not the signed one is refused', async () => {
    const answer = await send('PUT', `/${freshKey()}`, { body: 'other', payload: sha256Hex('signed') });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, 'XAmzContentSHA256Mismatch']);
  });

  it.each(['?acl', '?tagging', '?policy', '?versions', '?lifecycle'])('for %s is not implemented', async (target) => {
    const answer = await send('GET', `/${target}`);
    expect([answer.status, codeOf(answer.text)]).toEqual([501, 'NotImplemented']);
  });

  it.each(['x-amz-tagging', 'x-amz-server-side-encryption', 'x-amz-object-lock-mode'])('with %s is not implemented', async (name) => {
    const answer = await send('PUT', `/${freshKey()}`, { body: 'x', headers: { [name]: 'AES256' } });
    expect([answer.status, codeOf(answer.text)]).toEqual([501, 'NotImplemented']);
  });

  it('asks before it sends a body that would be refused', async () => {
    const ask = async (key: Credentials) => {
      const url = urlOf(`/${freshKey()}`);
      const request = { method: 'PUT', url, headers: { 'x-amz-content-sha256': sha256Hex('body') }, payload: sha256Hex('body') };
      const headers = signRequest(request, { key, region: storage.region, service: 's3', at: new Date() });
      const outgoing = httpRequest(url, { method: 'PUT', headers: { ...headers, expect: '100-continue', 'content-length': 4 } });
      let wasAsked = false;
      outgoing.on('continue', () => {
        wasAsked = true;
        outgoing.end('body');
      });
      outgoing.flushHeaders();
      const status = await new Promise((resolve) => outgoing.on('response', (response) => resolve(response.resume().statusCode)));
      outgoing.destroy();
      return [wasAsked, status];
    };
    expect(await ask(storage.key)).toEqual([true, 200]);
    expect(await ask({ ...storage.key, secretAccessKey: 'wrong' })).toEqual([false, 403]);
  });
});

describe('A presigned address', () => {
  it('answers with the type and name that it says', async () => {
    const key = freshKey();
    await client.send(new PutObjectCommand({ ...at(key), Body: 'hello', ContentType: 'text/plain' }));
    const disposition = 'attachment; filename="a b+ü.txt"';
    const response = await fetch(presign(key, { 'response-content-type': 'image/x', 'response-content-disposition': disposition }));
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([200, 'hello', 'image/x']);
    expect(response.headers.get('content-disposition')).toContain('attachment');
  });

  it('counts as long as it says, and only as it is', async () => {
    const key = freshKey();
    await client.send(new PutObjectCommand({ ...at(key), Body: 'x' }));
    const url = presign(key);
    expect((await fetch(String(url).replace('Expires=60', 'Expires=61'))).status).toBe(403);
    offsetMs = 61_000;
    expect((await fetch(url)).status).toBe(403);
    offsetMs = 59_000;
    expect((await fetch(url)).status).toBe(200);
  });

  it('of a session ends with the session', async () => {
    const key = freshKey();
    await client.send(new PutObjectCommand({ ...at(key), Body: 'x' }));
    const session = await assumeRole(storage);
    const url = presign(key, { 'X-Amz-Expires': '86400' }, session);
    expect((await fetch(url)).status).toBe(200);
    offsetMs = 901_000;
    const response = await fetch(url);
    expect([response.status, codeOf(await response.text())]).toEqual([400, 'ExpiredToken']);
  });
});

describe('A key', () => {
  it.each(['ä ö/ü&<>"\'', '../../etc/passwd', 'a//b', '/leading', '.', '..', '%2F+%20', '🎬.mp4', 'tab\there', `${'k'.repeat(1024)}`])(
    'may be %j',
    async (key) => {
      await client.send(new PutObjectCommand({ ...at(key), Body: key }));
      const { Body } = await client.send(new GetObjectCommand(at(key)));
      const { Contents } = await client.send(new ListObjectsV2Command({ ...at(key), Prefix: key, MaxKeys: 1 }));
      expect([await Body?.transformToString(), Contents?.[0]?.Key]).toEqual([key, key]);
    },
  );

  it('has 1,024 bytes at most', async () => {
    const tooLong = client.send(new PutObjectCommand({ ...at('ü'.repeat(513)), Body: 'x' }));
    expect(await refusal(tooLong)).toEqual({ code: 'KeyTooLongError', status: 400 });
  });
});

describe('A checksum', () => {
  const algorithms: ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

  it.each(algorithms.filter((one) => one !== 'CRC64NVME'))('%s is checked, kept and answered', async (ChecksumAlgorithm) => {
    const key = freshKey();
    const put = await client.send(new PutObjectCommand({ ...at(key), Body: 'hello', ChecksumAlgorithm }));
    const head = await client.send(new HeadObjectCommand({ ...at(key), ChecksumMode: 'ENABLED' }));
    const field = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    expect(put[field]).toMatch(/=$/);
    expect(head).toMatchObject({ [field]: put[field], ChecksumType: 'FULL_OBJECT' });
  });

  it.each(algorithms)('%s that is wrong keeps the object out', async (algorithm) => {
    const key = freshKey();
    const wrong = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 }[algorithm as 'CRC32'];
    const headers = { [`x-amz-checksum-${algorithm.toLowerCase()}`]: Buffer.alloc(wrong).toString('base64') };
    const answer = await send('PUT', `/${key}`, { body: 'hello', headers });
    expect([answer.status, codeOf(answer.text)]).toEqual([400, 'BadDigest']);
    expect(await refusal(client.send(new HeadObjectCommand(at(key))))).toMatchObject({ status: 404 });
  });

  it('may follow the body', async () => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32('hello'));
    const put = async (trailer: string) => {
      const headers = { 'x-amz-decoded-content-length': '5', 'x-amz-trailer': 'x-amz-checksum-crc32', 'content-encoding': 'aws-chunked' };
      const body = `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:${trailer}\r\n\r\n`;
      return await send('PUT', `/${freshKey()}`, { headers, body, payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' });
    };
    expect((await put(sum.toString('base64'))).headers.get('x-amz-checksum-crc32')).toBe(sum.toString('base64'));
    expect(codeOf((await put('AAAAAA==')).text)).toBe('BadDigest');
  });

  it('of a whole object is put together from those of its parts', async () => {
    const key = freshKey();
    const created = await client.send(
      new CreateMultipartUploadCommand({ ...at(key), ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
    );
    const data = [randomBytes(PART), randomBytes(100)];
    const Parts = [];
    for (const [index, Body] of data.entries()) {
      const part = { ...at(key), UploadId: created.UploadId, PartNumber: index + 1, Body };
      Parts.push({ PartNumber: index + 1, ETag: (await client.send(new UploadPartCommand({ ...part, ChecksumAlgorithm: 'CRC32' }))).ETag });
    }
    const done = await client.send(
      new CompleteMultipartUploadCommand({ ...at(key), UploadId: created.UploadId, MultipartUpload: { Parts } }),
    );
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(Buffer.concat(data)));
    expect(done).toMatchObject({ ChecksumCRC32: sum.toString('base64'), ChecksumType: 'FULL_OBJECT' });
  });
});

describe('A write', () => {
  it('with If-None-Match: * happens once, however many try', async () => {
    const key = freshKey();
    const attempts = Array.from({ length: 8 }, (_, index) =>
      client.send(new PutObjectCommand({ ...at(key), Body: String(index), IfNoneMatch: '*' })),
    );
    const refusals = await Promise.all(attempts.map(refusal));
    expect(refusals.filter((one) => one === null)).toHaveLength(1);
    expect(refusals.find((one) => one !== null)).toEqual({ code: 'PreconditionFailed', status: 412 });
  });

  it('replaces an object that somebody is reading, who reads the old one to its end', async () => {
    const key = freshKey();
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(key)));
    const data = [randomBytes(PART), randomBytes(PART)];
    const Parts = [];
    for (const [index, Body] of data.entries())
      Parts.push({
        PartNumber: index + 1,
        ETag: (await client.send(new UploadPartCommand({ ...at(key), UploadId, PartNumber: index + 1, Body }))).ETag,
      });
    await client.send(new CompleteMultipartUploadCommand({ ...at(key), UploadId, MultipartUpload: { Parts } }));
    const { Body } = await client.send(new GetObjectCommand(at(key)));
    await client.send(new PutObjectCommand({ ...at(key), Body: 'new' }));
    const old = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(createHash('md5').update(old).digest('hex')).toBe(createHash('md5').update(Buffer.concat(data)).digest('hex'));
    expect(await text((await client.send(new GetObjectCommand(at(key)))).Body as NodeJS.ReadableStream & AsyncIterable<Buffer>)).toBe(
      'new',
    );
  });

  it('that is repeated after a lost answer completes the same upload', async () => {
    const key = freshKey();
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(key)));
    const { ETag } = await client.send(new UploadPartCommand({ ...at(key), UploadId, PartNumber: 1, Body: 'x' }));
    const complete = () =>
      client.send(new CompleteMultipartUploadCommand({ ...at(key), UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
    expect((await complete()).ETag).toBe((await complete()).ETag);
  });
});

describe('A copy', () => {
  it('has the data and details of its source, or new details', async () => {
    const [source, target] = [freshKey('sö urce'), freshKey()];
    await client.send(new PutObjectCommand({ ...at(source), Body: 'hello', ContentType: 'text/plain', Metadata: { a: '1' } }));
    const CopySource = `${storage.bucket}/${encodeURIComponent(source)}`;
    await client.send(new CopyObjectCommand({ ...at(target), CopySource }));
    expect(await client.send(new HeadObjectCommand(at(target)))).toMatchObject({
      ContentLength: 5,
      ContentType: 'text/plain',
      Metadata: { a: '1' },
    });
    await client.send(new CopyObjectCommand({ ...at(target), CopySource, MetadataDirective: 'REPLACE', Metadata: { b: '2' } }));
    expect((await client.send(new HeadObjectCommand(at(target)))).Metadata).toEqual({ b: '2' });
  });

  it('needs the right to read its source', async () => {
    const [source, target] = [freshKey(), freshKey()];
    await client.send(new PutObjectCommand({ ...at(source), Body: 'secret' }));
    const Policy = JSON.stringify({
      Statement: { Effect: 'Allow', Action: 's3:PutObject', Resource: `arn:aws:s3:::${storage.bucket}/${target}` },
    });
    const session = s3Client(storage, await assumeRole(storage, { Policy }));
    const CopySource = `${storage.bucket}/${source}`;
    expect(await refusal(session.send(new CopyObjectCommand({ ...at(target), CopySource })))).toEqual({
      code: 'AccessDenied',
      status: 403,
    });
    const { UploadId } = await session.send(new CreateMultipartUploadCommand(at(target)));
    const part = session.send(new UploadPartCopyCommand({ ...at(target), UploadId, PartNumber: 1, CopySource }));
    expect(await refusal(part)).toEqual({ code: 'AccessDenied', status: 403 });
    session.destroy();
  });

  it('may be a part', async () => {
    const [source, target] = [freshKey(), freshKey()];
    await client.send(new PutObjectCommand({ ...at(source), Body: '0123456789' }));
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(target)));
    const copy = { ...at(target), UploadId, PartNumber: 1, CopySource: `${storage.bucket}/${source}`, CopySourceRange: 'bytes=2-4' };
    const { CopyPartResult } = await client.send(new UploadPartCopyCommand(copy));
    const Parts = [{ PartNumber: 1, ETag: CopyPartResult?.ETag }];
    await client.send(new CompleteMultipartUploadCommand({ ...at(target), UploadId, MultipartUpload: { Parts } }));
    expect(await (await client.send(new GetObjectCommand(at(target)))).Body?.transformToString()).toBe('234');
  });
});
