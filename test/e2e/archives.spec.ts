import http from 'node:http';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ArchiveStreamService } from '../../src/modules/delivery/download-links/archive/archive-stream.service.js';
import { Clock } from '../../src/shared/clock.js';
import { CountingService } from '../../src/shared/counting/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { addRendition } from '../support/converter/renditions.js';
import { aFormat, aPublisher, originalOf, type Publisher } from '../support/delivery/player-configurations.js';
import { readZip } from '../support/delivery/read-zip.js';
import { eventually } from '../support/eventually.js';
import { type UploadedMedia, uploadMedia } from '../support/media/media.js';
import { call } from '../support/media/uploads.js';
import { valueIn } from '../support/metrics.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

/** More than the buffers of a connection and what a download reads ahead. */
const LARGE_BYTES = 24 * 1_048_576;
const HOUR_MS = 3_600_000;

let storage: TestStorage;
let app: TestApp;
/** Another process with the same database, which also runs jobs. */
let other: TestApp;
let publisher: Publisher;
let formats: number[];
let offsetMs = 0;

beforeAll(async () => {
  storage = await startTestStorage();
  app = await startTestApp(storage.settings);
  const second = await startTestApp({ ...storage.settings, database: app.database, publicUrl: app.url, worker: 'inline' });
  other = { ...second, url: addressOf(second.app) };
  for (const { app: process } of [app, other]) process.get(Clock).now = () => new Date(Date.now() + offsetMs);
  publisher = await aPublisher(app);
  formats = [await originalOf(app, publisher.user, 'image')];
});
afterAll(async () => {
  await other?.close();
  await app?.close();
  await storage?.close();
});
afterEach(() => {
  offsetMs = 0;
});

const upload = async (fileName: string, content: string | Uint8Array = fileName): Promise<UploadedMedia> =>
  await uploadMedia(app, publisher.token, { fileName: `${fileName}.jpg`, content });
const uploadAll = async (...names: string[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const name of names) ids.push((await upload(name)).id);
  return ids;
};

/** The path of the archive of a new link. */
async function aLink(mediaContainerIds: readonly number[], fields: object = {}): Promise<string> {
  const body = { mediaContainerIds, formatIds: formats, title: 'Summer party', ...fields };
  const answer = await call<{ link: string }>(`${app.url}/v5/downloadlink`, { token: publisher.token, body });
  if (answer.status !== 201) throw new Error(`No link was made: ${JSON.stringify(answer.body)}`);
  return `/l/${answer.body.link}/archive`;
}

async function get(path: string, headers: Record<string, string> = {}, { url } = app, method = 'GET') {
  const response = await fetch(`${url}${path}`, { headers, method });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, code: codeOf(response, bytes) };
}
const codeOf = ({ headers }: Response, bytes: Buffer): string | null =>
  bytes.length > 0 && headers.get('content-type')?.includes('json') ? (JSON.parse(bytes.toString()) as { code: string }).code : null;

/** A download whose bytes are not read until `rest` is called. */
interface Begun {
  readonly status: number;
  /** The bytes that arrive, and whether they are all. */
  rest(): Promise<{ bytes: Buffer; isComplete: boolean }>;
  abort(): void;
}

const begin = async (path: string, { url } = app): Promise<Begun> =>
  await new Promise((resolve, reject) => {
    const request = http.get(`${url}${path}`, { agent: false }, (response) => {
      response.once('error', () => {}); // the connection may end before it is read
      const rest = async () => {
        const chunks: Buffer[] = [];
        await new Promise<void>((done) => response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('close', () => done()));
        return { bytes: Buffer.concat(chunks), isComplete: response.complete };
      };
      resolve({ status: response.statusCode ?? 0, rest, abort: () => response.destroy() });
    });
    request.once('error', reject);
  });

const metric = async (name: string) => valueIn(await (await fetch(`${app.url}/metrics`)).text(), name);

/** As stored by a version of the service that kept no checksums. */
const forgetChecksums = async ({ id }: Pick<UploadedMedia, 'id'>): Promise<void> => {
  await app.app.get(Database).query('UPDATE media_items SET crc32 = NULL WHERE media_container_id = $1', [id]);
};

describe('the archive of a download link', () => {
  it('has the files of the link in the order of its page, under safe names, with its length and a strong entity tag', async () => {
    const names = ['Br\u00fccke', 'Bru\u0308cke', '👩‍👩‍👧', 'CON', '../x', 'dots...', 'a', 'A', 'a'];
    const path = await aLink(await uploadAll(...names));
    const { status, headers, bytes } = await get(path);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringContaining('filename="Summer party.zip"'),
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
    const files = readZip(bytes);
    expect(files.map(({ name }) => name)).toEqual([
      ...['Br\u00fccke.jpg', 'Br\u00fccke (2).jpg', '👩‍👩‍👧.jpg', '_CON.jpg', '_x.jpg', 'dots.jpg'],
      ...['a.jpg', 'A (2).jpg', 'a (3).jpg'],
    ]);
    expect(files.map(({ content }) => content.toString())).toEqual(names);
    expect(files.map((file) => file.crc32)).toEqual(names.map((name) => crc32(name)));
    const head = await get(path, { range: 'bytes=5-' }, app, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      ...[200, String(bytes.length), headers.get('etag')],
    ]);
  });

  it('counts as a download of each file when it begins, not again when it is continued, and with the bytes of each range', async () => {
    const ids = await uploadAll('one', 'two');
    const path = await aLink(ids);
    await get(path);
    expect((await get(path, { range: 'bytes=10-' })).status).toBe(206);
    expect((await get(path, { range: 'bytes=-50' })).status).toBe(206); // no file
    await app.app.get(CountingService).writeAll();
    const today = new Date().toISOString().slice(0, 10);
    for (const id of ids) {
      const url = `${app.url}/v5/statistics?from=${today}&to=${today}&by=mediaContainer&mediaContainer=${id}`;
      expect((await call(url, { token: publisher.token })).body).toMatchObject([{ downloads: 1, bytes: 6 }]);
    }
  });

  it('has renditions, also such as have no recorded entity tag, and is offered on the page of more than one file', async () => {
    const image = await upload('with a rendition');
    const web = await aFormat(app, publisher.user, { name: 'Web', settings: { mediaTypes: ['image'] } });
    await addRendition(app, {
      containerId: image.id,
      formatId: web.id,
      type: 'image',
      fileName: 'web',
      fileExtension: 'png',
      content: 'small',
    });
    const both = await aLink([image.id], { formatIds: [...formats, web.id] });
    expect(readZip((await get(both)).bytes).map(({ name, content }) => [name, content.toString()])).toEqual([
      ['with a rendition.jpg', 'with a rendition'],
      ['web.png', 'small'],
    ]);
    const page = async (archive: string) => await (await fetch(app.url + archive.replace('/archive', ''))).text();
    expect(await page(both)).toContain(`href="${both}"`);
    expect(await page(await aLink([image.id]))).not.toContain('/archive');
  });

  it('goes on at any byte, on another process, as long as it is the same archive', async () => {
    const ids = await uploadAll('one', 'two', 'three');
    const path = await aLink(ids);
    const whole = await get(path);
    const etag = whole.headers.get('etag') ?? '';
    const size = whole.bytes.length;
    for (let part = 0; part < 10; part += 1) {
      const at = Math.floor((part * size) / 10);
      const { status, headers, bytes } = await get(path, { range: `bytes=${at}-`, 'if-range': etag }, other);
      expect([status, headers.get('content-range'), headers.get('etag')]).toEqual([206, `bytes ${at}-${size - 1}/${size}`, etag]);
      expect(bytes.equals(whole.bytes.subarray(at))).toBe(true);
    }
    expect((await get(path, { range: 'bytes=7-11' }, other)).bytes).toEqual(whole.bytes.subarray(7, 12));
    expect((await get(path, { range: 'bytes=-30' })).bytes).toEqual(whole.bytes.subarray(-30));
    const ignored: Record<string, string>[] = [{ range: 'bytes=0-1,4-5' }, { range: 'bytes=5-', 'if-range': '"another"' }];
    for (const headers of ignored) {
      const { status, bytes } = await get(path, headers);
      expect([status, bytes.equals(whole.bytes)]).toEqual([200, true]);
    }
    const beyond = await get(path, { range: `bytes=${size}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
    await call(`${app.url}/v5/mediacontainer/${ids[1]}`, { token: publisher.token, method: 'DELETE' });
    const changed = await get(path, { range: 'bytes=5-', 'if-range': etag });
    expect([changed.status, readZip(changed.bytes).map(({ name }) => name)]).toEqual([200, ['one.jpg', 'three.jpg']]);
  });

  it('comes whole while a checksum is missing, which a job then computes', async () => {
    const large = await upload('large', Buffer.alloc(5_000_000, 'x'));
    const path = await aLink([large.id, (await upload('small')).id]);
    const withRanges = (await get(path, {}, app, 'HEAD')).headers;
    await forgetChecksums(large);
    const { status, headers, bytes } = await get(path, { range: 'bytes=5-' });
    expect([status, headers.get('accept-ranges'), headers.get('content-length')]).toEqual([200, 'none', String(bytes.length)]);
    expect(headers.get('etag')).not.toBe(withRanges.get('etag'));
    expect(readZip(bytes).map(({ name, crc32: sum, content }) => [name, sum, content.length])).toEqual([
      ['large.jpg', crc32(Buffer.alloc(5_000_000, 'x')), 5_000_000],
      ['small.jpg', crc32('small'), 5],
    ]);
    await eventually(async () => (await get(path, {}, app, 'HEAD')).headers.get('accept-ranges') === 'bytes');
    expect((await get(path, {}, app, 'HEAD')).headers.get('etag')).toBe(withRanges.get('etag'));
  });

  it('is laid out once for a version of the link, whatever is asked of it', async () => {
    const ids = await uploadAll('one', 'two');
    const path = await aLink(ids);
    const made = async () =>
      (
        await app.app
          .get(Database)
          .query('SELECT l.id FROM archive_layouts l JOIN download_links d ON d.id = download_link_id WHERE d.link = $1', [
            path.split('/')[2],
          ])
      ).rowCount;
    const size = Number((await get(path, {}, app, 'HEAD')).headers.get('content-length'));
    const ranges = ['bytes=0-0', `bytes=${size}-`, 'bytes=0-9', 'bytes=-5'];
    const answers = await Promise.all(ranges.flatMap((range) => [get(path, { range }), get(path, { range }, other, 'HEAD')]));
    expect(answers.map(({ status }) => status)).toEqual([206, 200, 416, 200, 206, 200, 206, 200]);
    expect(await made()).toBe(1);
    await app.app
      .get(Database)
      .query('UPDATE media_items SET file_name = $1, revision = revision + 1 WHERE media_container_id = $2', ['renamed', ids[0]]);
    expect(readZip((await get(path)).bytes).map((file) => file.name)).toEqual(['renamed.jpg', 'two.jpg']);
    expect(await made()).toBe(2);
  });

  it('answers 304 to a client that has it, and 412 to one that wants another one', async () => {
    const path = await aLink(await uploadAll('one'));
    const etag = (await get(path, {}, app, 'HEAD')).headers.get('etag') ?? '';
    for (const method of ['GET', 'HEAD']) {
      expect((await get(path, { 'if-none-match': `"x", W/${etag}` }, app, method)).status).toBe(304);
      expect((await get(path, { 'if-match': '"another"' }, app, method)).status).toBe(412);
      expect((await get(path, { 'if-match': `"another", ${etag}`, 'if-none-match': '"another"' }, app, method)).status).toBe(200);
    }
  });

  it('leaves out a container when it ends, and has it when it starts', async () => {
    const [one = 0, two = 0] = await uploadAll('one', 'two');
    const path = await aLink([one, two]);
    const at = new Date(Date.now() + HOUR_MS / 2).toISOString();
    await app.app.get(Database).query('UPDATE media_containers SET "end" = $1, version = version + 1 WHERE id = $2', [at, one]);
    await app.app.get(Database).query('UPDATE media_containers SET start = $1, version = version + 1 WHERE id = $2', [at, two]);
    const names = async () => readZip((await get(path)).bytes).map(({ name }) => name);
    expect(await names()).toEqual(['one.jpg']);
    offsetMs = HOUR_MS;
    expect(await names()).toEqual(['two.jpg']);
    offsetMs = 0;
    expect(await names()).toEqual(['one.jpg']);
  });

  it('has the versions that were accepted, also if other files have their keys by now', async () => {
    const image = await upload('accepted');
    await app.app.get(ObjectStorage).write(image.s3Key, { file: Buffer.from('replaced'), contentType: 'image/jpeg' });
    expect(readZip((await get(await aLink([image.id]))).bytes)[0]?.content.toString()).toBe('accepted');
  });

  it('is refused like the page: before the start, after the end, when it is deleted, and without files', async () => {
    const image = await upload('refused');
    const end = Math.floor(Date.now() / 1_000) + 60;
    const path = await aLink([image.id], { end });
    offsetMs = HOUR_MS;
    expect(await get(path)).toMatchObject({ status: 410, code: 'download_link_ended' });
    offsetMs = 0;
    expect((await get(await aLink([image.id], { start: end }))).status).toBe(404);
    expect((await get('/l/unknown/archive')).status).toBe(404);
    await call(`${app.url}/v5/mediacontainer/${image.id}`, { token: publisher.token, method: 'DELETE' });
    expect(await get(path)).toMatchObject({ status: 404, code: 'not_found' });
    const page = await fetch(app.url + path, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('an archive that is being sent', () => {
  let large: UploadedMedia;
  beforeAll(async () => {
    large = await upload('large', Buffer.alloc(LARGE_BYTES, 'x'));
  });

  it('counts against the limit of its address, in all processes', async () => {
    const path = await aLink([large.id]);
    const running = [await begin(path), await begin(path, other), await begin(path), await begin(path, other)];
    expect(running.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const process of [app, other]) {
      const refused = await get(path, {}, process);
      expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([429, 'too_many_archives', '30']);
    }
    expect((await get(path, {}, app, 'HEAD')).status).toBe(200);
    expect(await metric('archives_active')).toBe(4);
    running[0]?.abort();
    await eventually(async () => (await get(path, { range: 'bytes=0-9' })).status === 206);
    for (const { abort } of running) abort();
    await eventually(async () => (await metric('archives_active')) === 0);
    expect(await metric('archive_bytes_total')).toBeGreaterThan(1_000_000);
  });

  it('refuses further downloads of the address at once, also while others are being admitted', async () => {
    const path = await aLink([large.id]);
    const begun = await Promise.all(Array.from({ length: 20 }, async () => await begin(path)));
    expect(begun.map(({ status }) => status).sort()).toEqual([...Array(4).fill(200), ...Array(16).fill(429)]);
    for (const { abort } of begun) abort();
    await eventually(async () => (await metric('archives_active')) === 0);
  });

  it('ends if its client takes too little', async () => {
    const streams = app.app.get(ArchiveStreamService, { strict: false });
    const { maxWriteMs } = streams;
    streams.maxWriteMs = 50;
    try {
      await begin(await aLink([large.id]));
      await eventually(async () => (await metric('archives_active')) === 0);
    } finally {
      streams.maxWriteMs = maxWriteMs;
    }
  });

  it('ends with the connection if one of its files is gone, and is refused if that is the first one', async () => {
    const gone = await upload('gone');
    const path = await aLink([large.id, gone.id]);
    const running = await begin(path);
    await app.app.get(ObjectStorage).delete(gone.s3Key);
    const { bytes, isComplete } = await running.rest();
    expect([isComplete, bytes.length > LARGE_BYTES]).toEqual([false, true]);
    expect(await get(await aLink([gone.id, large.id]))).toMatchObject({ status: 404, code: 'media_not_available' });
  });

  it('ends with the connection if a file does not have its checksum', async () => {
    const wrong = await upload('wrong');
    await app.app.get(Database).query('UPDATE media_items SET crc32 = 1 WHERE media_container_id = $1', [wrong.id]);
    await expect(get(await aLink([wrong.id]))).rejects.toThrow();
  });

  it('ends behind the file that is being sent when the link ends, and the next range is refused', async () => {
    const path = await aLink([large.id, (await upload('next')).id], { end: Math.floor(Date.now() / 1_000) + 60 });
    const running = await begin(path);
    offsetMs = HOUR_MS;
    const { bytes, isComplete } = await running.rest();
    expect([isComplete, bytes.length > LARGE_BYTES]).toEqual([false, true]);
    expect(await get(path, { range: `bytes=${bytes.length}-` })).toMatchObject({ status: 410, code: 'download_link_ended' });
  });
});
