import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import { ViewerTokensService } from '../../src/modules/delivery/gate/viewer-tokens.service.js';
import type { Format } from '../../src/modules/formats/index.js';
import { MediaContainer, MediaItem } from '../../src/modules/media/index.js';
import { EmbedLink } from '../../src/modules/player-configurations/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { anItem, aProtectedLink, deliverFile, type EmbeddedMedia, embeddedMedia, outcome } from '../support/browser/embedded-media.js';
import { aContainer, aFormat } from '../support/delivery/player-configurations.js';
import { MAX_LIVE_MS, withLiveChecks } from '../support/live-checks.js';

const { app, storage } = useTestAppWithStorage();
let media: EmbeddedMedia;
const content = randomBytes(3_000);
beforeAll(async () => {
  media = await embeddedMedia(app);
  await put(media.item.s3Key, content);
});

/** As an upload or the converter leaves it, with a type of its own. */
async function put(key: string, body: Buffer, type = 'text/html'): Promise<void> {
  const { endpoint, region, key: credentials, bucket } = storage.address;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: type })).finally(() => client.destroy());
}

const fetchFile = async (link: string, query: Record<string, string | number | boolean> = {}) => {
  const { headers } = await deliverFile(app.url, link, { query });
  return await fetch(String(headers.location));
};
const formatOf = async (fields: Partial<Format> = {}) => await aFormat(app, media.publisher.user, fields);
const throttled = (limit = 8_000_000) => ({ security: { bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'bandwidth' as const, limit }] } });
const change = async (entity: typeof EmbedLink | typeof MediaContainer, id: number, fields: object) =>
  await app.app.get(Database).repository(entity).update(id, fields);

describe('a file', () => {
  it('is at a URL that works for a while, under the name of the container', async () => {
    const { link } = await aProtectedLink(media);
    const { status, headers } = await deliverFile(app.url, link);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 302, cache: 'no-store' });
    const response = await fetch(String(headers.location));
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(response.headers.get('content-type')).toBe('video/mp4');
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="Interview.mp4"; filename*=UTF-8''Interview.mp4`);
    const lifetime = Number(new URL(String(headers.location)).searchParams.get('X-Amz-Expires'));
    expect(lifetime).toBe(300 + 2 * 3_600);
  });

  it('is saved with download=true, under any name', async () => {
    const names = ['Интервью "1"', 'a/b\\c; filename="evil.exe"', 'line\r\nset-cookie: x=1', '100 % sûr'];
    for (const name of names) {
      const container = await aContainer(app, media.publisher.user, { name });
      await anItem(app, container, { formatId: media.format.id, s3Key: `names/${container.id}` });
      await put(`names/${container.id}`, content);
      const { link } = await aProtectedLink({ ...media, container });
      const response = await fetchFile(link, { download: true });
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w%.!#$&+^`|~-]*$/);
      const decoded = decodeURIComponent(disposition.slice(disposition.indexOf("''") + 2));
      expect(decoded).toBe(`${name.replace(/[\r\n/\\]/g, '_')}.mp4`);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  it('has no URL for HEAD, which does not count as a play', async () => {
    const { link } = await aProtectedLink(media);
    const { status, headers } = await deliverFile(app.url, link, { method: 'HEAD' });
    expect([status, headers.location]).toEqual([302, undefined]);
  });

  it.each(['svg', 'html', 'xml'])(
    'that was uploaded as %s is saved and not shown, because it may carry scripts; a rendition is shown',
    async (extension) => {
      const dispositionOf = async (converter: 'original' | 'copy' | 'imagemagick', more: object = {}) => {
        const format = await formatOf({ converter });
        const container = await aContainer(app, media.publisher.user);
        await anItem(app, container, { formatId: format.id, fileExtension: extension, s3Key: `active/${container.id}` });
        await put(`active/${container.id}`, content);
        const { link } = await aProtectedLink({ ...media, container, format }, more);
        const { status, headers } = await deliverFile(app.url, link);
        const found =
          status === 302 ? (await fetch(String(headers.location))).headers.get('content-disposition') : headers['content-disposition'];
        return String(found).split(';')[0];
      };
      expect(await dispositionOf('original')).toBe('attachment');
      expect(await dispositionOf('copy')).toBe('attachment');
      expect(await dispositionOf('original', throttled())).toBe('attachment');
      expect(await dispositionOf('imagemagick')).toBe('inline');
    },
  );

  const aPdf = async (content: Buffer) => {
    const format = await formatOf({ converter: 'original' });
    const container = await aContainer(app, media.publisher.user);
    const item = await anItem(app, container, {
      type: 'document',
      formatId: format.id,
      fileExtension: 'pdf',
      s3Key: `pdf/${container.id}`,
      fileSize: content.length,
    });
    await put(item.s3Key, content);
    const { link } = await aProtectedLink({ ...media, container, format });
    const shown = async () => (await fetchFile(link)).headers.get('content-disposition')?.split(';')[0];
    return { item, shown };
  };
  const inspect = async ({ id }: MediaItem) => {
    await app.app.get(InspectionsService, { strict: false }).inspect(id);
    return await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id });
  };
  const pdfWith = (object: string | Buffer) =>
    Buffer.concat([
      Buffer.from('%PDF-1.7\n1 0 obj '),
      Buffer.from(object as string),
      Buffer.from(' endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n'),
    ]);

  it.each([
    ['with a script', '<< /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>', 'attachment', true],
    ['without scripts', '<< /Type /Catalog >>', 'inline', false],
  ])('that was uploaded as a PDF %s is saved until its inspection', async (_, object, disposition, scripted) => {
    const { item, shown } = await aPdf(pdfWith(object));
    expect(await shown()).toBe('attachment');
    expect(await inspect(item)).toMatchObject({
      scripted,
      fileDescription: { version: 1, content: 'pdf', size: item.fileSize, problem: null },
    });
    expect(await shown()).toBe(disposition);
  });

  it('that was uploaded as a PDF that cannot be searched in bounded time is saved, and no other request waits', async () => {
    const blanks = `<< /Type /ObjStm /Filter${' '.repeat(55_000)} >>\nstream\n\nendstream `;
    const bomb = Buffer.concat([
      Buffer.from('<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n'),
      deflateSync(Buffer.alloc(64_000_000)),
      Buffer.from('\nendstream endobj\n1 0 obj '),
    ]);
    for (const content of [blanks.repeat(90), Buffer.concat(Array.from({ length: 20 }, () => bomb))]) {
      const { item, shown } = await aPdf(pdfWith(content));
      const { longestMs, result } = await withLiveChecks(app.url, inspect(item));
      expect(result).toMatchObject({ scripted: true, fileDescription: { problem: null } });
      expect(await shown()).toBe('attachment');
      expect(longestMs).toBeLessThan(MAX_LIVE_MS);
    }
  });

  it('is of the format that is named, else of the first that players use and of which there is a file', async () => {
    const [missing, hidden, small] = [
      await formatOf(),
      await formatOf({ settings: { mediaTypes: ['video'], useInPlayer: false } }),
      await formatOf(),
    ];
    const container = await aContainer(app, media.publisher.user);
    for (const { id } of [hidden, small, media.format])
      await anItem(app, container, { formatId: id, s3Key: `of-format/${container.id}/${id}` });
    const formats = [missing, hidden, small, media.format].map(({ id }, index) => ({ formatId: id, downloadable: index === 3 }));
    const { link } = await aProtectedLink({ ...media, container }, { formats });
    const formatAt = async (query = {}) => {
      const { headers } = await deliverFile(app.url, link, { query });
      return Number(new URL(String(headers.location)).pathname.split('/').at(-1));
    };
    expect(await formatAt()).toBe(small.id);
    expect(await formatAt({ formatId: hidden.id })).toBe(hidden.id);
    expect(await formatAt({ formatId: media.format.id })).toBe(media.format.id);
    expect(await formatAt({ download: true })).toBe(media.format.id);
    expect(await outcome(app.url, link, { query: { formatId: missing.id } })).toBe('404 media_not_available');
  });

  it('is only delivered in formats of the configuration, and downloaded only if permitted', async () => {
    const [foreign, preview] = [await formatOf(), await formatOf({ usage: 'preview' })];
    await anItem(app, media.container, { formatId: foreign.id });
    await anItem(app, media.container, { formatId: preview.id });
    const formats = [{ formatId: media.format.id }, { formatId: preview.id, downloadable: true }];
    const { link } = await aProtectedLink(media, { formats });
    const told = async (query: Record<string, string | number | boolean>) => await outcome(app.url, link, { query });
    expect(await told({ formatId: foreign.id })).toBe('403 formats format_not_in_configuration');
    expect(await told({ formatId: 2_000_000_000 })).toBe('403 formats format_not_in_configuration');
    expect(await told({ formatId: media.format.id, download: true })).toBe('403 formats not_downloadable');
    expect(await told({ formatId: preview.id, download: true })).toBe('403 formats not_downloadable');
    expect(await told({ download: true })).toBe('403 formats not_downloadable');
    expect(await told({ formatId: preview.id })).toBe('delivered');
    expect(await told({ formatId: media.format.id, download: false })).toBe('delivered');
    for (const [name, value] of [
      ['formatId', 'x'],
      ['formatId', 0],
      ['download', 'perhaps'],
    ] as const) {
      expect((await told({ [name]: value })).slice(0, 3)).toBe('400');
    }
  });

  it('that does not exist yet, or no longer, returns the reason', async () => {
    const container = await aContainer(app, media.publisher.user);
    const { link } = await aProtectedLink({ ...media, container });
    expect(await outcome(app.url, link)).toBe('404 media_not_available');
    const item = await anItem(app, container, { formatId: media.format.id, status: 'prepared' });
    expect(await outcome(app.url, link)).toBe('404 media_not_available');
    await anItem(app, container, { formatId: media.format.id, test: true });
    expect(await outcome(app.url, link)).toBe('404 media_not_available'); // a clip of the test mode is never delivered
    await app.app.get(Database).repository(MediaItem).update(item.id, { status: 'successful' });
    expect(await outcome(app.url, link)).toBe('delivered');
    const slow = await aProtectedLink({ ...media, container }, throttled());
    expect(await outcome(app.url, slow.link)).toBe('404 media_not_available');
  });
});

describe('a link', () => {
  it('that is unknown is not found', async () => {
    for (const link of ['6f1d2c1e-0000-4000-8000-000000000000', 'x', '%00', "'--", '6f1d2c1e']) {
      expect((await outcome(app.url, link)).slice(0, 3)).toMatch(/^40[04]$/);
    }
    expect(await outcome(app.url, '6f1d2c1e-0000-4000-8000-000000000000')).toBe('404 not_found');
  });

  it('works in capitals, too', async () => {
    const { link } = await aProtectedLink(media);
    expect(await outcome(app.url, link.toUpperCase())).toBe('delivered');
  });

  it.each<[string, () => Promise<string>, 'ended' | 'not started']>([
    ['is over', async () => await changedLink({ end: new Date(Date.now() - 1_000) }), 'ended'],
    ['has not begun', async () => await changedLink({ start: new Date(Date.now() + 60_000) }), 'not started'],
    ['is deleted', async () => await changedLink({ flag: 1 }), 'ended'],
    ['has a container in the trash', async () => await linkOf({ flag: 1 }), 'ended'],
    ['has a container that is over', async () => await linkOf({ end: new Date(Date.now() - 1_000) }), 'ended'],
    ['has a container that has not begun', async () => await linkOf({ start: new Date(Date.now() + 60_000) }), 'not started'],
    ['has a license that is over', async () => await linkOf({ license: { end: '2020-01-01T00:00:00Z' } }), 'ended'],
  ])('that %s does not work', async (_, make, why) => {
    expect(await outcome(app.url, await make())).toBe(why === 'ended' ? '410 link_ended' : '404 not_found');
  });

  async function changedLink(fields: object): Promise<string> {
    const { id, link } = await aProtectedLink(media);
    expect(await outcome(app.url, link)).toBe('delivered');
    await change(EmbedLink, id, fields);
    return link;
  }

  async function linkOf(fields: object): Promise<string> {
    const container = await aContainer(app, media.publisher.user);
    const { link } = await aProtectedLink({ ...media, container });
    await change(MediaContainer, container.id, fields);
    return link;
  }

  it('that is hidden works', async () => {
    expect(await outcome(app.url, await changedLink({ flag: 10 }))).toBe('delivered');
  });
});

describe('the admission of a player page', () => {
  it('passes the rule of referers for files and leases of its link, and no other rule', async () => {
    const rules = { matchReferer: ['example.com'], bandwidthControl: [{ cidr: '127.0.0.0/8', type: 'parallel' as const, limit: 5 }] };
    const { link } = await aProtectedLink(media, { security: rules });
    const issued = { address: '127.0.0.1', page: { host: 'example.com', port: '443' } };
    const admission = app.app.get(ViewerTokensService).issueAdmission({ link, ...issued });
    expect(await outcome(app.url, link)).toBe('403 matchReferer referer_not_allowed');
    expect(await outcome(app.url, link, { query: { admission } })).toBe('delivered');
    const lease = async (query: string) => (await fetch(`${app.url}/v5/deliverEmbed/${link}/lease${query}`, { method: 'POST' })).status;
    expect([await lease(''), await lease(`?admission=${admission}`)]).toEqual([403, 204]);
    const elsewhere = app.app
      .get(ViewerTokensService)
      .issueAdmission({ link, address: '127.0.0.1', page: { host: 'example.org', port: '443' } });
    expect(await outcome(app.url, link, { query: { admission: elsewhere } })).toBe('403 matchReferer referer_not_allowed');
    const strict = await aProtectedLink(media, { security: { ...rules, auth: { enabled: true } } });
    const own = app.app.get(ViewerTokensService).issueAdmission({ link: strict.link, ...issued });
    expect(await outcome(app.url, strict.link, { query: { admission: own } })).toBe('403 auth auth_required');
    expect(await outcome(app.url, strict.link, { query: { admission } })).toBe('403 auth auth_required');
  });
});

describe('a file through the service', () => {
  const get = async (link: string, headers: Record<string, string> = {}, method = 'GET') =>
    await fetch(`${app.url}/v5/deliverFile/${link}`, { headers, method, redirect: 'manual' });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  it('is the same file, with a safe content type', async () => {
    const { link } = await aProtectedLink(media, throttled());
    const response = await get(link);
    expect(response.status).toBe(200);
    expect((await bytesOf(response)).equals(content)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(content.length),
      'content-disposition': `inline; filename="Interview.mp4"; filename*=UTF-8''Interview.mp4`,
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('x-frame-options')).toBeNull();
  });

  it.each<[string, start: number, end: number]>([
    ['bytes=0-', 0, 2_999],
    ['bytes=100-199', 100, 199],
    ['bytes=2999-', 2_999, 2_999],
    ['bytes=-10', 2_990, 2_999],
    ['bytes=2000-9999', 2_000, 2_999],
  ])('comes in parts: %s', async (range, start, end) => {
    const { link } = await aProtectedLink(media, throttled());
    const response = await get(link, { range });
    expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/3000`]);
    expect(response.headers.get('content-length')).toBe(String(end - start + 1));
    expect((await bytesOf(response)).equals(content.subarray(start, end + 1))).toBe(true);
  });

  it('refuses ranges beyond its end, and is sent completely if a part would be of another version', async () => {
    const { link } = await aProtectedLink(media, throttled());
    const beyond = await get(link, { range: 'bytes=3000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */3000']);
    const etag = (await get(link, {}, 'HEAD')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^".+"$/);
    expect((await get(link, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get(link, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await get(link, { range: 'bytes=0-9,20-29' })).status).toBe(200);
  });

  it('answers HEAD like GET, without the file', async () => {
    const { link } = await aProtectedLink(media, throttled());
    const response = await get(link, { range: 'bytes=0-9' }, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([206, '10']);
    expect((await bytesOf(response)).length).toBe(0);
  });

  it('may be of no bytes, or a picture with scripts', async () => {
    const container = await aContainer(app, media.publisher.user);
    await anItem(app, container, { formatId: media.format.id, fileExtension: 'svg', s3Key: 'streams/picture' });
    const { link } = await aProtectedLink({ ...media, container }, throttled());
    await put('streams/picture', Buffer.alloc(0));
    const response = await get(link);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/);
    expect((await get(link, { range: 'bytes=0-' })).status).toBe(416);
  });

  /** A link to a file of 20 MB. */
  async function longFile(s3Key: string, limit: number): Promise<string> {
    const container = await aContainer(app, media.publisher.user);
    await anItem(app, container, { formatId: media.format.id, s3Key });
    await put(s3Key, randomBytes(20_000_000));
    return (await aProtectedLink({ ...media, container }, throttled(limit))).link;
  }

  it('breaks off when another file takes its place', async () => {
    const response = await get(await longFile('streams/replaced', 80_000)); // two seconds
    await put('streams/replaced', randomBytes(20_000_000));
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '20000000']);
    await expect(bytesOf(response)).rejects.toThrow('terminated');
  });

  it('leaves the storage to others while slow viewers take it', async () => {
    const link = await longFile('streams/long', 80);
    const gone = new AbortController();
    const take = async () => await fetch(`${app.url}/v5/deliverFile/${link}`, { signal: gone.signal });
    const viewers = await Promise.all(Array.from({ length: 60 }, take)); // more than the storage's client has connections
    expect(new Set(viewers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await app.app.get(ObjectStorage).find('streams/long')).toMatchObject({ size: 20_000_000 });
    gone.abort();
  });

  it('obeys the rules of the link like a redirect', async () => {
    const { security } = throttled();
    const { link } = await aProtectedLink(media, { security: { ...security, auth: { enabled: true } } });
    expect(await outcome(app.url, link)).toBe('403 auth auth_required');
  });

  it('reports a storage that does not answer', async () => {
    const { link } = await aProtectedLink(media, throttled());
    await storage.stop();
    try {
      expect(await outcome(app.url, link)).toBe('503 storage_unavailable');
    } finally {
      await storage.start();
    }
  });
});
