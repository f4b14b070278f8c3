import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { runDebianProgram } from '../support/debian-program.js';
import { aContainer, aFormat, aPublisher, type Publisher } from '../support/delivery/player-configurations.js';
import { call } from '../support/media/uploads.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const AWKWARD = ['Br\u00fccke', 'Bru\u0308cke', '👩‍👩‍👧', 'CON', '../x', 'dots...', 'a', 'A', 'a', `${'ü'.repeat(150)}`];
const SAFE = [
  ...['Br\u00fccke.bin', 'Br\u00fccke (2).bin', '👩‍👩‍👧.bin', '_CON.bin', '_x.bin', 'dots.bin', 'a.bin', 'A (2).bin', 'a (3).bin'],
  `${'ü'.repeat(98)}.bin`,
];
/** Of the awkward files: one larger than the pieces in which files are fetched, and one without bytes. */
const contents = AWKWARD.map((name) => Buffer.from(`the content of ${name}`));
contents[3] = randomBytes(5_000_000);
contents[4] = Buffer.alloc(0);
const UTF8 = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
const LIST = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([entry.filename for entry in archive.infolist()]))`;

let folder: string;
let storage: TestStorage;
let app: TestApp;
/** Another process with the same database. */
let other: TestApp;
let publisher: Publisher;
let formatId: number;

beforeAll(async () => {
  folder = makeTestFolder();
  storage = await startTestStorage();
  app = await startTestApp(storage.settings);
  const second = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url });
  other = { ...second, url: addressOf(second.app) };
  publisher = await aPublisher(app);
  formatId = (await aFormat(app, publisher.user, { name: 'Files', settings: { mediaTypes: ['image'] } })).id;
});
afterAll(async () => {
  await other?.close();
  await app?.close();
  await storage?.close();
  await removeTestFolder(folder);
});

interface TestFile {
  readonly name: string;
  readonly content: Buffer;
  readonly crc32: number | null;
}

/** The path of the archive of a new link with these files. */
async function anArchive(files: readonly TestFile[]): Promise<string> {
  const { id: container } = await aContainer(app, publisher.user, { type: 'image' });
  const limit = pLimit(16);
  const write = async ({ content }: TestFile, index: number) => {
    const key = `renditions/${container}/${index}.bin`;
    return await app.app.get(ObjectStorage).write(key, { file: content, contentType: 'application/octet-stream' });
  };
  const objects = await Promise.all(files.map(async (file, index) => await limit(async () => await write(file, index))));
  const rows = objects.map(({ key, size, etag, version }, index) => {
    return { key, size, etag, version, name: files[index]?.name, crc32: files[index]?.crc32 };
  });
  await app.app.get(Database).query(
    `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key, etag,
        version, crc32)
      SELECT $1, $2, $3, 'image', name, 'bin', size, 'successful', $4, key, etag, version, crc32
      FROM json_to_recordset($5::json) AS files (key text, size bigint, etag text, version text, name text, crc32 bigint)`,
    [container, publisher.user.customerId, formatId, app.config.s3Bucket, JSON.stringify(rows)],
  );
  const body = { mediaContainerIds: [container], formatIds: [formatId] };
  const { link } = (await call<{ link: string }>(`${app.url}/v5/downloadlink`, { token: publisher.token, body })).body;
  return `/l/${link}/archive`;
}

const fileOf = (name: string, content: Buffer): TestFile => ({ name, content, crc32: crc32(content) });

async function run(name: string, ...args: string[]): Promise<string> {
  const { code, output } = await runDebianProgram(name, args, { cwd: folder, env: UTF8 });
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${output}`);
  return output;
}

async function download(archive: string, { url } = app): Promise<string> {
  const file = path.join(mkdtempSync(path.join(folder, 'archive-')), 'all.zip');
  await run('curl', '-sSf', '-o', file, url + archive);
  return file;
}

/** Passes requests on to the origins by turns, and breaks both connections of each after `bytes` bytes of content. */
async function aBreakingProxy(origins: readonly string[], bytes: number) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const origin = origins[requests++ % origins.length];
    const { range } = request.headers;
    const answer = await fetch(`${origin}${request.url}`, { headers: range === undefined ? {} : { range } });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    let left = bytes;
    for await (const chunk of answer.body ?? []) {
      response.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) return request.socket.end();
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: async () => await new Promise((resolve) => server.close(resolve)) };
}

/** Has each program test an archive, and unpack it into a folder of its own; the contents by name. */
async function unpacked(file: string): Promise<Map<string, Buffer>[]> {
  await run('unzip', '-tqq', file);
  expect(await run('7z', 't', file)).toContain('Everything is Ok');
  const unpack = async (...command: [string, ...string[]]) => {
    const target = mkdtempSync(path.join(folder, 'unpacked-'));
    await run(command[0], ...command.slice(1).map((word) => word.replace('TARGET', target)));
    return new Map(readdirSync(target).map((name) => [name, readFileSync(path.join(target, name))]));
  };
  return [
    await unpack('unzip', '-qq', file, '-d', 'TARGET'),
    await unpack('7z', 'x', '-bd', '-oTARGET', file),
    await unpack('bsdtar', '-x', '-f', file, '-C', 'TARGET'),
    await unpack('python3', '-m', 'zipfile', '-e', file, 'TARGET'),
  ];
}

describe('the archive of a download link', () => {
  it.each([
    ['with', (file: TestFile) => file],
    ['without', (file: TestFile) => ({ ...file, crc32: null })],
  ])('is read by unzip, 7-Zip, bsdtar and Python, %s known checksums', async (_, change) => {
    const files = AWKWARD.map((name, index) => change(fileOf(name, contents[index] as Buffer)));
    const file = await download(await anArchive(files));
    expect(JSON.parse(await run('python3', '-c', LIST, file))).toEqual(SAFE);
    for (const found of await unpacked(file)) {
      expect([...found.keys()].sort()).toEqual([...SAFE].sort());
      expect(SAFE.map((name, index) => found.get(name)?.equals(contents[index] as Buffer))).toEqual(SAFE.map(() => true));
    }
  });

  it('with a thousand files is completed by curl over ten broken connections, on two processes by turns', async () => {
    const archive = await anArchive(Array.from({ length: 1_000 }, (_, index) => fileOf('photo', randomBytes(2_000 + index))));
    const whole = readFileSync(await download(archive));
    const file = path.join(mkdtempSync(path.join(folder, 'archive-')), 'all.zip');
    const proxy = await aBreakingProxy([app.url, other.url], Math.ceil(whole.length / 10.5));
    try {
      for (let transfer = 0; transfer < 10; transfer += 1) {
        // 18 is a partial file: the connection ended before the announced length.
        const { code } = await runDebianProgram('curl', ['-sS', '-C', '-', '-o', file, proxy.url + archive], { cwd: folder, env: UTF8 });
        expect([code, readFileSync(file).length < whole.length]).toEqual([18, true]);
      }
      await run('curl', '-sSf', '-C', '-', '-o', file, proxy.url + archive);
    } finally {
      await proxy.close();
    }
    expect(readFileSync(file).equals(whole)).toBe(true);
    await run('unzip', '-tqq', file);
    expect(await run('7z', 't', file)).toContain('Everything is Ok');
    expect((await run('bsdtar', '-t', '-f', file)).trim().split('\n')).toHaveLength(1_000);
    expect(JSON.parse(await run('python3', '-c', LIST, file)).at(-1)).toBe('photo (1000).bin');
  });
});
