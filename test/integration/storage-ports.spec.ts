import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Config, loadConfig } from '../../src/shared/config/index.js';
import { createLog } from '../../src/shared/logging/index.js';
import { FakeObjectStorage } from '../../src/shared/storage/fake-object-storage.js';
import { type ObjectStorage, UnsatisfiableRange, versioningProblem } from '../../src/shared/storage/index.js';
import { S3ObjectStorage } from '../../src/shared/storage/s3-object-storage.adapter.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { eventually } from '../support/eventually.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const log = createLog({ level: 'silent', service: 'test' });
let local: TestStorage;
let versionless: TestStorage;
let config: Config;
let folder: string;

// One file, because every storage is started once and has to meet the same expectations.
beforeAll(async () => {
  folder = makeTestFolder();
  local = await startTestStorage();
  versionless = await startTestStorage({ versions: false });
  config = { ...loadConfig({}), ...local.settings };
});

afterAll(async () => {
  await local.close();
  await versionless.close();
  await removeTestFolder(folder);
});

const MEBIBYTE = 1_048_576;

/** A file of zeros that takes no room. */
async function emptyFile(size: number): Promise<string> {
  const file = path.join(folder, `${size}`);
  const handle = await open(file, 'w');
  await handle.truncate(size);
  await handle.close();
  return file;
}

/** An object storage with the parts outside of its port: an uploader and a failure. */
interface StorageFixture {
  readonly storage: ObjectStorage;
  readonly keepsVersions: boolean;
  /** The checksum that the storage keeps of what `put` writes. */
  crc32Of(content: string): number | null;
  put(key: string, content: string): Promise<void>;
  /** Starts a multipart upload, and uploads these parts. */
  begin(key: string, ...parts: string[]): Promise<void>;
  fail(isFailing: boolean): Promise<void>;
  close(): void;
}

function fakeFixture(): StorageFixture {
  const storage = new FakeObjectStorage();
  return {
    storage,
    keepsVersions: false,
    crc32Of: () => null,
    put: async (key, content) => storage.put(key, { size: content.length }, content),
    begin: async (key, ...parts) => {
      storage.multipartUploads.set(key, { key, multipartId: key, initiatedAt: new Date() });
      storage.partSizes.set(
        key,
        parts.map(({ length }) => length),
      );
    },
    fail: async (isFailing) => {
      storage.available = !isFailing;
    },
    close: () => {},
  };
}

function s3Fixture(server = local): StorageFixture {
  const settings = { ...config, ...server.settings };
  const storage = new S3ObjectStorage(settings, log);
  const { s3Bucket: Bucket, s3Endpoint: endpoint, awsRegion: region, storageKey } = settings;
  const client = new S3Client({ endpoint, region, forcePathStyle: true, ...(storageKey && { credentials: storageKey }) });
  return {
    storage,
    keepsVersions: server === local,
    crc32Of: crc32, // clients compute it unless they are told not to
    put: async (Key, Body) => void (await client.send(new PutObjectCommand({ Bucket, Key, Body }))),
    begin: async (Key, ...parts) => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      for (const [n, Body] of parts.entries()) await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: n + 1, Body }));
    },
    fail: async (isFailing) => await (isFailing ? server.stop() : server.start()),
    close: () => {
      storage.onApplicationShutdown();
      client.destroy();
    },
  };
}

async function all<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of elements) found.push(element);
  return found;
}

describe.each([
  ['in memory', fakeFixture],
  ['S3', () => s3Fixture()],
  ['S3 without versions', () => s3Fixture(versionless)],
])('an object storage (%s)', (_, make) => {
  let fixture: StorageFixture;
  beforeAll(() => {
    fixture = make();
  });
  afterAll(() => fixture.close());

  it('finds an object with its size, entity tag and time, or null', async () => {
    await fixture.put('find/a', 'hello');
    expect(await fixture.storage.find('find/a')).toEqual({
      key: 'find/a',
      size: 5,
      etag: expect.stringMatching(/^[^"]+$/),
      version: fixture.keepsVersions ? expect.stringMatching(/^\w+$/) : null,
      crc32: fixture.crc32Of('hello'),
      modifiedAt: expect.any(Date),
    });
    expect(await fixture.storage.find('find/b')).toBeNull();
  });

  it('reads an object or a range of it, or null', async () => {
    await fixture.put('read/a', 'hello world');
    const read = async (...range: [] | [{ start: number; end?: number }]) => {
      const found = await fixture.storage.read('read/a', { range: range[0] });
      return found && { text: await text(found.body), size: found.size, range: found.range };
    };
    expect(await read()).toEqual({ text: 'hello world', size: 11, range: null });
    expect(await read({ start: 0, end: 4 })).toEqual({ text: 'hello', size: 5, range: { start: 0, end: 4, total: 11 } });
    expect(await read({ start: 6 })).toEqual({ text: 'world', size: 5, range: { start: 6, end: 10, total: 11 } });
    expect(await read({ start: 6, end: 99 })).toEqual({ text: 'world', size: 5, range: { start: 6, end: 10, total: 11 } });
    await expect(read({ start: 11 })).rejects.toBeInstanceOf(UnsatisfiableRange);
    expect(await fixture.storage.read('read/b')).toBeNull();
  });

  it.each([0, 11, 40 * MEBIBYTE + 1])('writes a file of %d bytes, and returns the new object', async (size) => {
    const content = randomBytes(size);
    const file = path.join(folder, 'content');
    await writeFile(file, content);
    await fixture.put('write/a', 'something else');
    const written = await fixture.storage.write('write/a', { file, contentType: 'video/mp4' });
    expect([written, written.size]).toEqual([await fixture.storage.find('write/a'), size]);
    const found = await fixture.storage.read('write/a');
    expect(found?.contentType).toBe('video/mp4');
    expect(found && (await buffer(found.body)).equals(content)).toBe(true);
    expect(await all(fixture.storage.listMultipartUploads('write/'))).toEqual([]);
  });

  it('writes nothing when it is aborted', async () => {
    const reason = new Error('Not any more.');
    const writing = fixture.storage.write('off/a', { file: await emptyFile(10), contentType: 'a/b', signal: AbortSignal.abort(reason) });
    await expect(writing).rejects.toBe(reason);
    expect(await fixture.storage.find('off/a')).toBeNull();
  });

  it('names the answer in a signed URL', async () => {
    const options = {
      key: 'signed/a b+c.txt',
      version: null,
      expiresInSeconds: 60,
      disposition: 'attachment',
      fileName: 'Grüße.txt',
    } as const;
    const url = new URL(await fixture.storage.signedUrl({ ...options, contentType: 'text/plain' }));
    expect(url.pathname).toBe('/media/signed/a%20b%2Bc.txt');
    expect(url.searchParams.get('response-content-disposition')).toBe(
      `attachment; filename="Gru_e.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt`,
    );
    expect(url.searchParams.get('response-content-type')).toBe('text/plain');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
  });

  it('lists the objects of a prefix in the order of the keys', async () => {
    for (const key of ['list/b', 'list/a', 'list/c', 'listing']) await fixture.put(key, 'x');
    expect((await all(fixture.storage.list('list/'))).map(({ key, size }) => [key, size])).toEqual([
      ['list/a', 1],
      ['list/b', 1],
      ['list/c', 1],
    ]);
    expect(await all(fixture.storage.list('nothing/'))).toEqual([]);
  });

  it('deletes many objects, whether they are there or not', async () => {
    for (const key of ['many/a', 'many/b & <c>', 'many/d']) await fixture.put(key, 'x');
    await fixture.storage.deleteMany([]);
    await fixture.storage.deleteMany(['many/a', 'many/b & <c>', ...Array.from({ length: 1_200 }, (_, n) => `many/none-${n}`)]);
    const left = await Promise.all(['many/a', 'many/b & <c>', 'many/d'].map(async (key) => (await fixture.storage.find(key)) !== null));
    expect(left).toEqual([false, false, true]);
  });

  it('deletes all versions of an object, and none of a key with the same prefix', async () => {
    for (const content of ['one', 'two']) await fixture.put('versions/a', content);
    await fixture.put('versions/ab', 'x');
    await fixture.storage.deleteMany(['versions/a']);
    expect(await fixture.storage.find('versions/a')).toBeNull();
    const left = (await all(fixture.storage.listVersions('versions/'))).map(({ key }) => key);
    expect(left).toEqual(fixture.keepsVersions ? ['versions/ab'] : []);
  });

  it('lists all versions under a prefix with their sizes', async () => {
    for (const content of ['one', 'two four']) await fixture.put('sizes/a', content);
    const sizes = (await all(fixture.storage.listVersions('sizes/'))).map(({ size }) => size);
    expect(sizes.sort()).toEqual(fixture.keepsVersions ? [3, 8] : []);
  });

  it('lists the sizes of the parts of a multipart upload, none if it does not exist', async () => {
    await fixture.begin('part-sizes/a', 'one', 'two four');
    const [open] = await all(fixture.storage.listMultipartUploads('part-sizes/'));
    if (!open) throw new Error('There is one.');
    expect(await all(fixture.storage.listPartSizes(open))).toEqual([3, 8]);
    await fixture.storage.abortMultipartUpload(open);
    expect(await all(fixture.storage.listPartSizes(open))).toEqual([]);
  });

  it('deletes an object, and succeeds if it does not exist', async () => {
    await fixture.put('delete/a', 'x');
    await fixture.storage.delete('delete/a');
    await fixture.storage.delete('delete/a');
    expect(await fixture.storage.find('delete/a')).toBeNull();
  });

  it('lists open multipart uploads under a prefix, and ends one once or twice', async () => {
    await fixture.begin('parts/a');
    await fixture.begin('other/a');
    const [open, ...more] = await all(fixture.storage.listMultipartUploads('parts/'));
    expect([open?.key, more]).toEqual(['parts/a', []]);
    if (!open) throw new Error('There is one.');
    await fixture.storage.abortMultipartUpload(open);
    await fixture.storage.abortMultipartUpload(open);
    expect(await all(fixture.storage.listMultipartUploads('parts/'))).toEqual([]);
  });

  it('that does not answer is unavailable, whatever is asked', async () => {
    const [small, large] = [await emptyFile(1), await emptyFile(20 * MEBIBYTE)];
    await fixture.fail(true);
    const upload = { key: 'parts/a', multipartId: 'x', initiatedAt: new Date() };
    const { storage } = fixture;
    const asked = [
      storage.find('a'),
      storage.read('a'),
      all(storage.list('a')),
      storage.write('a', { file: small, contentType: 'a/b' }),
      storage.write('a', { file: large, contentType: 'a/b' }),
      storage.delete('a'),
      storage.deleteMany(['a']),
      all(storage.listMultipartUploads('a')),
      all(storage.listPartSizes(upload)),
      storage.abortMultipartUpload(upload),
    ];
    for (const answer of await Promise.allSettled(asked)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', code: 'storage_unavailable' } });
    }
    await fixture.fail(false);
    expect(await storage.find('find/b')).toBeNull();
  });
});

it('S3 that never answers is unavailable within 10 seconds, at once while this is known, and used again when it answers', async () => {
  let isMute = true;
  const server = createServer((_request, response) => {
    if (!isMute) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storage = new S3ObjectStorage({ ...config, s3Endpoint: endpoint }, log);
  const unavailable = { code: 'storage_unavailable', extras: { retryAfter: 5 } };
  const secondsOf = async () => {
    const startedAt = performance.now();
    await expect(storage.find('a')).rejects.toMatchObject(unavailable);
    return (performance.now() - startedAt) / 1_000;
  };
  try {
    void storage.readsVersions; // starts a look for which no code waits
    expect(await secondsOf()).toBeLessThan(10);
    await eventually(async () => (await secondsOf()) < 1);
    isMute = false;
    await eventually(async () => (await storage.find('a').catch(() => 'away')) === null);
  } finally {
    storage.onApplicationShutdown();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

it.each([
  ['RequestTimeTooSkewed', 'storage_unavailable'],
  ['RequestExpired', 'storage_unavailable'],
  ['AccessDenied', 'storage_denied'],
])('S3 that refuses a call with 403 %s is %s', async (refusal, code) => {
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' }).end(`<Error><Code>${refusal}</Code><Message>No.</Message></Error>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const storage = new S3ObjectStorage({ ...config, s3Endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, log);
  await expect(storage.read('a')).rejects.toMatchObject({ kind: 'unavailable', code, extras: { retryAfter: 5 } });
  storage.onApplicationShutdown();
  server.close();
});

it('S3 whose clock is an hour ahead is used with its time', async () => {
  const ahead = await startTestStorage({ now: () => new Date(Date.now() + 3_600_000) });
  const { storage, close } = s3Fixture(ahead);
  expect(await storage.find('a')).toBeNull();
  close();
  await ahead.close();
});

it('S3 gets no file that is only named: by a link, or a pipe', async () => {
  const { storage, close } = s3Fixture();
  const [link, pipe] = [path.join(folder, 'link'), path.join(folder, 'pipe')];
  await symlink('/etc/passwd', link);
  execFileSync('mkfifo', [pipe]);
  for (const file of [link, pipe, folder]) {
    await expect(storage.write('named/a', { file, contentType: 'a/b' })).rejects.toThrow();
    expect(await storage.find('named/a')).toBeNull();
  }
  close();
});

it('S3 keeps no part of a large file when its writing is called off', async () => {
  const { storage, close } = s3Fixture();
  const file = await emptyFile(1_000 * MEBIBYTE);
  const calledOff = new AbortController();
  const writing = storage.write('large/a', { file, contentType: 'video/mp4', signal: calledOff.signal });
  const open = async () => (await all(storage.listMultipartUploads('large/'))).length;
  await eventually(async () => (await open()) === 1);
  calledOff.abort(new Error('Not any more.'));
  await expect(writing).rejects.toThrow('Not any more.');
  expect([await open(), await storage.find('large/a')]).toEqual([0, null]);
  close();
});

it('S3 lists parts page by page, and denies nothing by denying that', async () => {
  const page = (size: number, truncated: boolean) =>
    `<ListPartsResult><IsTruncated>${truncated}</IsTruncated><NextPartNumberMarker>${truncated ? 1 : 0}</NextPartNumberMarker>
      <Part><PartNumber>1</PartNumber><Size>${size}</Size></Part></ListPartsResult>`;
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.replace(/.*uploadId=/, ''));
    if (url.includes('denied')) return void response.writeHead(403).end();
    response.end(page(url.includes('part-number-marker=1') ? 7 : 5, !url.includes('part-number-marker')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const storage = new S3ObjectStorage({ ...config, s3Endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, log);
  const upload = { key: 'parts/a', multipartId: 'x', initiatedAt: new Date() };
  expect(await all(storage.listPartSizes(upload))).toEqual([5, 7]);
  expect(asked).toHaveLength(2);
  expect(await all(storage.listPartSizes({ ...upload, multipartId: 'denied' }))).toEqual([]);
  storage.onApplicationShutdown();
  server.close();
});

it.each([
  ['of the whole object', 'FULL_OBJECT', crc32('a part')],
  ['of its parts', 'COMPOSITE', null],
] as const)('a CRC-32 that S3 keeps of a multipart upload is used if it is that %s', async (_, ChecksumType, expected) => {
  const { s3Bucket: Bucket, s3Endpoint: endpoint, awsRegion: region, storageKey } = config;
  const client = new S3Client({ endpoint, region, forcePathStyle: true, ...(storageKey && { credentials: storageKey }) });
  const storage = new S3ObjectStorage(config, log);
  const target = { Bucket, Key: `checksums/${ChecksumType}` };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: 'CRC32', ChecksumType }));
  const part = await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'a part', ChecksumAlgorithm: 'CRC32' }));
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
  await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, ChecksumType, MultipartUpload: { Parts } }));
  expect((await storage.find(target.Key))?.crc32).toBe(expected);
  storage.onApplicationShutdown();
  client.destroy();
});

describe('a version of an object of S3', () => {
  let fixture: StorageFixture;
  beforeAll(() => {
    fixture = s3Fixture();
  });
  afterAll(() => fixture.close());

  it('is found and read after later writes, until it is deleted separately', async () => {
    await fixture.put('pinned/a', 'accepted');
    const version = (await fixture.storage.find('pinned/a'))?.version;
    await fixture.put('pinned/a', 'replaced!');
    expect(await fixture.storage.find('pinned/a', version)).toMatchObject({ size: 8, version });
    const read = async () => {
      const found = await fixture.storage.read('pinned/a', { version, range: { start: 0, end: 2 } });
      return found && (await text(found.body));
    };
    expect(await read()).toBe('acc');
    const options = { expiresInSeconds: 60, disposition: 'inline', fileName: 'a' } as const;
    const url = await fixture.storage.signedUrl({ ...options, key: 'pinned/a', version: version ?? null });
    expect(await (await fetch(url)).text()).toBe('accepted');
    await fixture.storage.deleteVersions([{ key: 'pinned/a', versionId: String(version) }]);
    expect([await read(), (await fixture.storage.find('pinned/a'))?.size]).toEqual([null, 9]);
    expect((await fetch(url)).status).toBe(404);
  });

  it.each(['0000000000000000', 'a version of another storage, ü'])('that does not exist is missing: %s', async (version) => {
    await fixture.put('pinned/b', 'here');
    expect([await fixture.storage.find('pinned/b', version), await fixture.storage.read('pinned/b', { version })]).toEqual([null, null]);
    await fixture.storage.deleteVersions([{ key: 'pinned/b', versionId: version }]);
    expect(await fixture.storage.find('pinned/b')).toMatchObject({ size: 4 });
  });

  it('whose name is malformed for the storage is missing too; any other malformed request is a failure', async () => {
    let status = 200;
    const strict = createServer(({ url = '' }, response) => void response.writeHead(url.includes('versionId') ? 400 : status).end());
    await new Promise<void>((listening) => strict.listen(0, '127.0.0.1', listening));
    const storage = new S3ObjectStorage({ ...config, s3Endpoint: `http://127.0.0.1:${(strict.address() as AddressInfo).port}` }, log);
    expect(await storage.find('pinned/a', 'v1')).toBeNull();
    status = 400;
    await expect(storage.find('pinned/a', 'v1')).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(storage.find('pinned/a')).rejects.toMatchObject({ code: 'storage_unavailable' });
    storage.onApplicationShutdown();
    strict.close();
  });

  it('is returned by a write, despite concurrent writes', async () => {
    const file = path.join(folder, 'mine');
    await writeFile(file, 'mine');
    const { version } = await fixture.storage.write('written/a', { file, contentType: 'text/plain' });
    await fixture.put('written/a', 'other');
    const found = await fixture.storage.read('written/a', { version });
    expect(found && (await text(found.body))).toBe('mine');
  });

  it('is kept by a bucket, or not', async () => {
    expect(await fixture.storage.versioning()).toEqual({ status: 'enabled', readable: true });
    expect(versioningProblem(await fixture.storage.versioning(), 'media')).toBeNull();
    const without = s3Fixture(versionless);
    expect(await without.storage.versioning()).toEqual({ status: 'never', readable: true });
    expect(versioningProblem(await without.storage.versioning(), 'media')).toMatch(/^The bucket media keeps no versions: enable/);
    without.close();
  });
});

describe('a signed URL of S3', () => {
  const key = `signed/it's (1) + ü&=%.txt`;
  const options = {
    ...{ key, version: null, expiresInSeconds: 60 },
    ...{ disposition: 'inline' as const, fileName: 'a b.txt', contentType: 'text/plain' },
  } as const;
  let fixture: StorageFixture;
  beforeAll(async () => {
    fixture = s3Fixture();
    await fixture.put(key, 'hello world');
  });
  afterAll(() => fixture.close());

  it('opens the object to any client, in ranges too, with the requested headers', async () => {
    const url = await fixture.storage.signedUrl(options);
    const answer = await fetch(url, { headers: { range: 'bytes=6-' } });
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([206, 'world', 'text/plain']);
    expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="a b.txt"/);
  });

  it('opens no other object, and expires', async () => {
    const url = await fixture.storage.signedUrl(options);
    for (const other of [
      url.replace('inline', 'attachment'),
      url.replace('Expires=60', 'Expires=61'),
      url.replace('/signed/', '/other/'),
    ]) {
      expect((await fetch(other)).status).toBe(403);
    }
  });

  it('is made without asking the storage', async () => {
    await fixture.fail(true);
    expect(await fixture.storage.signedUrl(options)).toContain('X-Amz-Signature=');
    await fixture.fail(false);
  });
});
