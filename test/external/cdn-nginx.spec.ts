import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPort } from '../../src/process/find-port.js';
import { Clock } from '../../src/shared/clock.js';
import { mimeTypeOf } from '../../src/shared/mime-type-of.js';
import { NginxSigner } from '../../src/shared/storage/cdn-signers.js';
import { CdnUrls, ObjectStorage } from '../../src/shared/storage/index.js';
import { adminProgram } from '../support/app/admin.js';
import type { Program } from '../support/app/program.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { deliverFile } from '../support/browser/embedded-media.js';
import { anEmbed, type Embed } from '../support/delivery/embeds.js';
import { aPublisher } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { aRung, parsePlaylist } from '../support/media/streaming.js';
import { documentedConfiguration, startNginx } from '../support/nginx.js';
import { s3Client } from '../support/storage/object-storage-clients.js';
import { startTestStorage, type TestStorage } from '../support/storage/storage.js';

const SECRET = 'change-the-secret-of-the-tokens';
const ORIGIN_SECRET = 'change-the-secret-of-the-origin';
const MEBIBYTE = 1_048_576;

const configuration = (values: Readonly<Record<string, string>>) => documentedConfiguration('docs/cdn.md', '## nginx', values);

let folder: string;
let storage: TestStorage;
let app: TestApp;
let nginx: Program;
let url: string;
const film = randomBytes(3 * MEBIBYTE + 12_345);
let embed: Embed;

beforeAll(async () => {
  folder = makeTestFolder();
  storage = await startTestStorage({ originSecret: ORIGIN_SECRET });
  const address = `127.0.0.1:${await findPort('127.0.0.1', 0)}`;
  url = `http://${address}`;
  app = await startTestApp({ ...storage.settings, mediaCdnUrl: url, mediaCdnSigner: 'nginx', mediaCdnSecret: SECRET });
  const places = { '127.0.0.1:8080': address, '127.0.0.1:3001': new URL(storage.address.endpoint).host };
  const folders = { '/var/cache/nginx': folder, '/var/log/nginx': folder, '/run/nginx.pid': `${folder}/nginx.pid` };
  const isListening = async () => (await fetch(url).catch(() => null)) !== null;
  nginx = await startNginx(folder, configuration({ ...places, ...folders }), isListening);
  const rendition = { fileName: 'film', fileExtension: 'mp4', content: film, contentType: 'video/mp4' };
  embed = await anEmbed(app, await aPublisher(app), {
    ...{ type: 'video', original: { fileName: 'film.mov', content: 'original' }, renditions: { '720p': rendition } },
  });
});
afterAll(async () => {
  await nginx?.end('SIGTERM');
  await app?.close();
  await storage?.close();
  await removeTestFolder(folder);
});

/** Writes an object, and answers its version. */
async function put(Key: string, Body: string | Buffer, more: Partial<PutObjectCommandInput> = {}): Promise<string> {
  const client = s3Client({ ...storage.address, stop: async () => {} }, storage.address.key);
  const { VersionId = '' } = await client.send(new PutObjectCommand({ Bucket: storage.address.bucket, Key, Body, ...more }));
  client.destroy();
  return VersionId;
}

/** Requests to nginx: that of `isListening`, and those of `get`. */
let requests = 1;

/** Sends a request, and if it is to nginx, waits for its line in the log, which nginx writes after it has responded. */
const get = async (address: string | URL, { method = 'GET', ...headers }: Record<string, string> = {}) => {
  const isToNginx = String(address).startsWith(url);
  if (isToNginx) requests += 1;
  const answer = await fetch(address, { method, headers });
  const body = Buffer.from(await answer.arrayBuffer());
  if (isToNginx) await eventually(() => logged().length >= requests);
  return { status: answer.status, headers: answer.headers, body };
};
const statusOf = async (address: string | URL, headers: Record<string, string> = {}) => (await get(address, headers)).status;
const locationOf = async () => String((await deliverFile(app.url, embed.link)).headers.location);
const signed = (key: string, version: string | null = null) => app.app.get(CdnUrls).urlOf(key, version);
const changed = (address: string, change: (query: URLSearchParams) => void): URL => {
  const copy = new URL(address);
  change(copy.searchParams);
  return copy;
};
const logged = () => readFileSync(path.join(folder, 'media-access.log'), 'utf8').split('\n').slice(0, -1);
/** HIT, MISS … of the last request, as the log tells it. */
const cached = () => logged().at(-1)?.split(' ').at(-1);

describe('A file behind nginx as docs/cdn.md configures it', () => {
  it('is read by the URL that the service redirects to, in slices', async () => {
    const { status, headers, body } = await get(await locationOf());
    expect([status, headers.get('content-length'), body.equals(film)]).toEqual([200, String(film.length), true]);
    expect(cached()).toBe('MISS');
    expect(
      Object.fromEntries(
        ['content-type', 'access-control-allow-origin', 'x-content-type-options', 'accept-ranges'].map((name) => [name, headers.get(name)]),
      ),
    ).toEqual({
      ...{ 'content-type': 'video/mp4', 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' },
    });
    expect([...headers.keys()].filter((name) => name.startsWith('x-amz'))).toEqual([]);
  });

  it('comes from the cache afterwards, also with a later token, without the storage', async () => {
    const first = await locationOf();
    expect((await get(first)).body.equals(film)).toBe(true);
    expect(cached()).toBe('HIT');
    const now = new Date(Date.now() + 1_800_000);
    app.app.get(Clock).now = () => now;
    const later = await locationOf();
    expect(later).not.toBe(first);
    await storage.stop();
    try {
      expect((await get(later)).body.equals(film)).toBe(true);
      expect(cached()).toBe('HIT');
    } finally {
      await storage.start();
      app.app.get(Clock).now = () => new Date();
    }
  });

  it.each([
    [`bytes=${MEBIBYTE - 10}-${MEBIBYTE + 10}`, MEBIBYTE - 10, MEBIBYTE + 10],
    ['bytes=0-0', 0, 0],
    ['bytes=-5', film.length - 5, film.length - 1],
    [`bytes=${3 * MEBIBYTE}-`, 3 * MEBIBYTE, film.length - 1],
  ])('is read in parts: %s', async (range, start, end) => {
    const { status, headers, body } = await get(await locationOf(), { range });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${film.length}`]);
    expect(body.equals(film.subarray(start, end + 1))).toBe(true);
  });

  it('is read by a player segment by segment, each by way of the service', async () => {
    const rung = aRung({ height: 360, segments: 4, segmentBytes: 700_000 });
    const content = Buffer.from(rung.content);
    const stream = await anEmbed(app, await aPublisher(app), {
      type: 'video',
      original: { fileName: 'film.mov', content: 'x' },
      renditions: { rung },
    });
    const master = new URL(`${app.url}/v5/deliverEmbed/${stream.link}/master.m3u8`);
    const playlist = new URL(parsePlaylist((await get(master)).body.toString()).playlists?.[0]?.uri ?? '', master);
    const { segments } = parsePlaylist((await get(playlist)).body.toString());
    const parts = await Promise.all(
      segments.map(async ({ uri, byterange: { offset = 0, length = 0 } = {} }) => {
        const { status, headers, body } = await get(new URL(uri, playlist), { range: `bytes=${offset}-${offset + length - 1}` });
        expect([status, headers.get('access-control-allow-origin')]).toEqual([206, '*']);
        return body;
      }),
    );
    expect(Buffer.concat(parts).equals(content.subarray(800))).toBe(true); // behind the header
  });

  it('has no part behind its end', async () => {
    expect(await statusOf(await locationOf(), { range: `bytes=${film.length}-` })).toBe(416);
  });

  it('is described by HEAD, and may be read by scripts of any page', async () => {
    const head = await get(await locationOf(), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.body.length]).toEqual([200, String(film.length), 0]);
    const preflight = await get(url, { method: 'OPTIONS', origin: 'https://page.example', 'access-control-request-headers': 'range' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'Range']);
    expect(await statusOf(await locationOf(), { method: 'POST' })).toBe(405);
  });

  it('is refused without a token, with a forged one, and with that of another file or version', async () => {
    const [one, other] = [await put('uploads/1/one.mp4', 'one'), await put('uploads/1/other.mp4', 'other')];
    const good = signed('uploads/1/one.mp4', one);
    expect((await get(good)).body.toString()).toBe('one');
    const refused = [
      good.split('?', 1)[0] ?? '',
      changed(good, (query) => query.delete('md5')),
      changed(good, (query) => query.set('md5', 'A'.repeat(22))),
      changed(good, (query) => query.set('expires', String(Number(query.get('expires')) + 1))),
      changed(good, (query) => query.delete('expires')),
      changed(good, (query) => query.set('versionId', other)),
      changed(good, (query) => query.delete('versionId')),
      good.replace('one.mp4', 'other.mp4'),
      good.replace('?', `?versionId=${other}&`),
      new NginxSigner('another secret').sign({ address: `${url}/uploads/1/one.mp4`, version: one, expires: 2_000_000_000 }),
    ];
    for (const address of refused) expect([String(address), await statusOf(address)]).toEqual([String(address), 403]);
    expect(await statusOf(`${storage.address.endpoint}/${storage.address.bucket}/uploads/1/one.mp4`)).toBe(403);
    // What is behind the parameters that count reaches neither the storage nor the cache.
    expect((await get(`${good}&versionId=${other}&response-content-type=text/html`)).body.toString()).toBe('one');
    expect(cached()).toBe('HIT');
  });

  it('is refused with its token divided in another way into version, path and end', async () => {
    const version = await put('uploads/1/one.mp4', 'one');
    await put(`uploads/1/one.mp4${version}`, 'not asked for');
    const [address, query = ''] = signed('uploads/1/one.mp4', version).split('?');
    const token = query.replace(/versionId=[^&]*&/, '');
    const end = /expires=(\d+)/.exec(token)?.[1] ?? '';
    const path = '/uploads/1/one.mp4';
    const refused = [
      `${address}${version}?${token}`,
      `${url}/?versionId=${path}${version}&${token}`,
      `${url}/?versionId=${version}%20${path}&${token}`,
      `${url}/%20${version}%20${path}?${token}`,
      `${address}?versionId=${end.slice(-1)}${version}&${token.replace(end, end.slice(0, -1))}`,
      `${address}?versionId=${version}&${token.replace('&', ',1&')}`,
    ];
    for (const one of refused) expect([one, await statusOf(one)]).toEqual([one, 403]);
  });

  it('is gone when the token has expired, and the answer is not cached', async () => {
    const expires = Math.floor(Date.now() / 1_000) - 1;
    const { status, headers } = await get(new NginxSigner(SECRET).sign({ address: `${url}/uploads/1/one.mp4`, version: null, expires }));
    expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([410, 'no-store', '*']);
  });

  it('has another address for another version, and the cache keeps them apart', async () => {
    const key = 'uploads/1/versions.jpg';
    const versions = [await put(key, 'first'), await put(key, 'second one')];
    const bodies = async () =>
      await Promise.all([...versions, null].map(async (version) => (await get(signed(key, version))).body.toString()));
    expect(await bodies()).toEqual(['first', 'second one', 'second one']);
    expect(await bodies()).toEqual(['first', 'second one', 'second one']);
  });

  it.each([
    'a b.jpg',
    'ü/日本.jpg',
    '100%.jpg',
    '%41.jpg',
    'a+b.jpg',
    'a#b?c=d&e.jpg',
    'quote\'"s.jpg',
    '(a)[b]{c}~!@$,;.jpg',
    'double//slash.jpg',
  ])('may have any key: %s', async (name) => {
    const version = await put(`uploads/${name}`, name);
    const { status, headers, body } = await get(signed(`uploads/${name}`, version));
    expect([status, headers.get('content-type'), body.toString()]).toEqual([200, 'image/jpeg', name]);
  });

  it('of an unknown extension has the stored type of sound, video or picture', async () => {
    for (const [stored, sent] of [
      ['video/mp4', 'video/mp4'],
      ['image/svg+xml', 'application/octet-stream'],
      ['text/html', 'application/octet-stream'],
      ['image/png, text/html', 'application/octet-stream'],
    ] as const) {
      const { headers } = await get(signed('renditions/1', await put('renditions/1', 'x', { ContentType: stored })));
      expect([stored, headers.get('content-type')]).toEqual([stored, sent]);
    }
  });

  it('is never shown as a document, whatever its uploader said', async () => {
    const page = { ContentType: 'text/html', ContentDisposition: 'inline; filename="a.html"' };
    for (const [name, type] of [
      ['page.html', 'application/octet-stream'],
      ['picture.svg', 'application/octet-stream'],
      ['photo.jpg', 'image/jpeg'],
    ] as const) {
      const { headers } = await get(signed(`uploads/${name}`, await put(`uploads/${name}`, '<script>alert(1)</script>', page)));
      expect([headers.get('content-type'), headers.get('content-disposition'), headers.get('x-content-type-options')]).toEqual([
        type,
        null,
        'nosniff',
      ]);
    }
  });

  it('that does not exist is refused without the document of the storage, and asked for again', async () => {
    const address = signed('uploads/later.jpg');
    const missing = await get(address);
    expect([missing.status, missing.body.toString()]).toEqual([403, expect.not.stringContaining('AccessDenied')]);
    await put('uploads/later.jpg', 'here it is');
    expect((await get(address)).body.toString()).toBe('here it is');
  });

  it('leaves no token and no secret in the logs', async () => {
    await storage.stop();
    expect(await statusOf(signed('uploads/not cached.jpg'))).toBe(502);
    await storage.start();
    const text = [...logged(), readFileSync(path.join(folder, 'media-error.log'), 'utf8')].join('\n');
    expect(text).toContain('uploads/not cached.jpg 502');
    for (const secret of ['md5=', 'expires=', SECRET, ORIGIN_SECRET]) expect(text).not.toContain(secret);
  });
});

describe('`admin check cdn`', () => {
  it('finds nothing wrong with the configuration of the page, and leaves nothing behind', async () => {
    const { printed, failures } = await adminProgram<{ checks: { check: string; result: string }[] }>(app, ['check', 'cdn']);
    expect(failures).toEqual([]);
    expect(printed).toMatchObject({ url, signer: 'nginx' });
    expect(printed.checks.map(({ result }) => result)).toEqual(Array(8).fill('ok'));
    const left = [];
    for await (const { key } of app.app.get(ObjectStorage).list('renditions/check/')) left.push(key);
    expect(left).toEqual([]);
  });

  it('names what is wrong', async () => {
    const config = { ...app.config, mediaCdnSecret: 'another secret' };
    const { failures } = await adminProgram({ app: app.app, config }, ['check', 'cdn']);
    expect(failures).toEqual([
      expect.stringMatching(/^Not as it has to be:\n {2}- a URL with a token is answered: answered 403 instead of 200\n/),
    ]);
    await expect(adminProgram({ app: app.app, config: { ...config, mediaCdnUrl: '' } }, ['check', 'cdn'])).rejects.toThrow(
      'There is no CDN to check',
    );
  });
});

it('the media types of the configuration are those of the service', () => {
  const [, map = ''] = /map \$extension \$media_type \{([\s\S]*?)\}/.exec(configuration({})) ?? [];
  const pairs = [...map.matchAll(/(\w+)\s+([\w/.+-]+);/g)].filter(([, extension]) => extension !== 'default');
  expect(pairs.length).toBeGreaterThan(25);
  for (const [, extension = '', type] of pairs) expect([extension, type]).toEqual([extension, mimeTypeOf(extension)]);
});
