import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MediaItem } from '../../src/modules/media/index.js';
import { EmbedLink } from '../../src/modules/player-configurations/index.js';
import { Clock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { deliverFile } from '../support/browser/embedded-media.js';
import { aFilm } from '../support/delivery/deliver-embed-stage.js';
import { anEmbed, type Embed, type NewEmbed } from '../support/delivery/embeds.js';
import { aPublisher, originalOf, type Publisher } from '../support/delivery/player-configurations.js';
import { aRung, parsePlaylist } from '../support/media/streaming.js';
import { aFile, call, clientFor, type ProcessedItem, type UploadDocument } from '../support/media/uploads.js';

const CDN = 'https://cdn.example.org/media';
const SECRET = 'the secret of the tokens';

const { app, storage } = useTestAppWithStorage({
  mediaCdnUrl: CDN,
  mediaCdnSigner: 'nginx',
  mediaCdnSecret: SECRET,
  mediaUrlTtlSeconds: 600,
});
let publisher: Publisher;
beforeAll(async () => {
  publisher = await aPublisher(app);
});

/** Uploads a file with any headers, and answers a link that delivers it unchanged. */
async function aLinkTo(file: { type: string; extension: string }, headers: { ContentType?: string; ContentDisposition?: string } = {}) {
  const { type, extension } = file;
  const payload = [aFile({ type, fileName: `file.${extension}`, originalFileExtension: extension, fileSize: 5 })];
  const { body } = await call<UploadDocument>(`${app.url}/v5/s3/createUpload`, { token: publisher.token, body: { payload } });
  const item = body.processed[0] as ProcessedItem;
  const client = clientFor(item);
  await client
    .send(new PutObjectCommand({ Bucket: item.bucket, Key: item.s3Key, Body: '<svg/>', ...headers }))
    .finally(() => client.destroy());
  await call(`${app.url}/v5/s3/success`, { token: publisher.token, body: { bucket: item.bucket, key: item.s3Key } });
  const formats = [{ formatId: await originalOf(app, publisher.user, type as 'image'), downloadable: true }];
  const configuration = await publisher.made({ type, templateId: 1, formats });
  const { body: embed } = await publisher.embed(item.id, configuration.id);
  return { link: embed.link, item, configuration };
}

const locationOf = async (link: string, query: Record<string, string | number | boolean> = {}): Promise<URL> => {
  const { status, headers } = await deliverFile(app.url, link, { query });
  expect([status, headers['cache-control']]).toEqual([302, 'no-store']);
  return new URL(String(headers.location));
};
const originOf = async (link: string, query = {}): Promise<string> => (await locationOf(link, query)).origin;
const storageOrigin = () => new URL(storage.address.endpoint).origin;
const md5 = (text: string) => createHash('md5').update(text).digest('base64url');

describe('With a CDN', () => {
  it('a rendition is redirected to its key there, with a token that ends after the lifetime', async () => {
    const now = new Date();
    app.app.get(Clock).now = () => now;
    const { link, formatIds, mediaIds } = await anEmbed(app, publisher, aFilm);
    const url = await locationOf(link, { formatId: formatIds['720p'] ?? 0 });
    const { s3Key } = await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id: mediaIds['720p'] });
    const expires = Math.floor((now.getTime() / 1_000 + 600) / 120) * 120;
    expect(url.href).toBe(`${CDN}/${s3Key}?md5=${md5(`${expires}  /media/${s3Key} ${SECRET}`)}&expires=${expires}`);
    expect((await locationOf(link, { formatId: formatIds['720p'] ?? 0 })).href).toBe(url.href);
  });

  it('an upload is redirected with the version that was accepted', async () => {
    const { link, item } = await aLinkTo({ type: 'video', extension: 'mp4' }, { ContentType: 'video/mp4' });
    const { version } = await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id: item.mediaId });
    const { origin, pathname, searchParams } = await locationOf(link);
    expect([origin, pathname, searchParams.get('versionId')]).toEqual(['https://cdn.example.org', `/media/${item.s3Key}`, version]);
    expect(searchParams.get('md5')).toBe(md5(`${searchParams.get('expires')} ${version} ${pathname} ${SECRET}`));
  });

  it('downloads keep the URL of the storage', async () => {
    const { link } = await aLinkTo({ type: 'video', extension: 'mp4' });
    expect(await originOf(link)).toBe('https://cdn.example.org');
    const url = await locationOf(link, { download: true });
    expect([url.origin, url.searchParams.get('response-content-disposition')]).toEqual([
      storageOrigin(),
      expect.stringMatching(/^attachment; /),
    ]);
  });

  it.each(['svg', 'html', 'xml'])('an uploaded %s is an attachment of the storage', async (extension) => {
    const { link } = await aLinkTo({ type: extension === 'svg' ? 'image' : 'document', extension });
    const url = await locationOf(link);
    expect([url.origin, url.searchParams.get('response-content-disposition')]).toEqual([
      storageOrigin(),
      expect.stringMatching(/^attachment; /),
    ]);
  });

  it.each([
    { ContentType: 'text/html' },
    { ContentType: 'image/svg+xml' },
    { ContentType: 'image/jpeg', ContentDisposition: 'inline; filename="a.html"' },
  ])('a picture that was stored with %j is sent by the storage, as a picture', async (headers) => {
    const { link } = await aLinkTo({ type: 'image', extension: 'jpg' }, headers);
    const url = await locationOf(link);
    expect(url.origin).toBe(storageOrigin());
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="file\.jpg"/);
  });

  it('a bandwidth limit still streams through the service', async () => {
    const bandwidthControl = [{ cidr: '127.0.0.0/8', type: 'bandwidth', limit: 8_000_000 }];
    const securitySettings = { authOnly: false, bandwidthControl };
    const { link, configuration } = await anEmbed(app, publisher, { ...aFilm, configuration: { securitySettings } });
    const { status, text } = await deliverFile(app.url, link);
    expect([status, text]).toEqual([200, 'large']);
    expect(await explain(configuration.id)).toMatchObject({ allowed: true, sentBy: 'service' });
  });

  it('HEAD tells no URL', async () => {
    const { link } = await anEmbed(app, publisher, aFilm);
    const { status, headers } = await deliverFile(app.url, link, { method: 'HEAD' });
    expect([status, headers.location]).toEqual([302, undefined]);
  });

  it('pages may load media from it, and preview pictures come from it', async () => {
    const picture = {
      ...{ fileName: 'a', fileExtension: 'jpg', content: 'jpeg', type: 'image' },
      format: { settings: { usage: 'preview' as const, mediaTypes: ['image' as const] } },
    };
    const photo = { type: 'image', original: { fileName: 'a.jpg', content: 'x' }, renditions: { thumbnail: picture } } as const;
    const policyOf = async ({ link }: Embed) => {
      const page = await fetch(`${app.url}/v5/deliverEmbed/${link}`, { headers: { accept: 'text/html' } });
      return page.headers.get('content-security-policy')?.split('; ') ?? [];
    };
    const [image, film] = [await anEmbed(app, publisher, photo), await anEmbed(app, publisher, aFilm)];
    const fromCdn = (name: string) => expect.stringMatching(new RegExp(`^${name} .*https://cdn\\.example\\.org`));
    expect(await policyOf(image)).toEqual(expect.arrayContaining(['img-src', 'object-src', 'frame-src'].map(fromCdn)));
    expect(await policyOf(film)).toEqual(expect.arrayContaining(['media-src', 'connect-src'].map(fromCdn)));
    const preview = await fetch(`${app.url}/v5/deliverEmbed/${image.link}/preview`, { redirect: 'manual' });
    expect(new URL(preview.headers.get('location') ?? '').origin).toBe('https://cdn.example.org');
  });

  it('the operator reads which one it is', async () => {
    const { details } = (await (await fetch(`${app.url}/health/ready`)).json()) as { details: object };
    expect(details).toMatchObject({ cdn: { url: CDN, signer: 'nginx', urlTtlSeconds: 600 } });
    expect(JSON.stringify(details)).not.toContain(SECRET);
    const { configuration } = await anEmbed(app, publisher, aFilm);
    expect(await explain(configuration.id)).toMatchObject({ allowed: true, sentBy: 'cdn' });
    expect(await explain(configuration.id, { host: 'other.example' })).toMatchObject({ allowed: true });
  });
});

describe('The segments of a film behind a CDN', () => {
  const aStream = (more: Partial<NewEmbed> = {}): NewEmbed => ({
    ...aFilm,
    renditions: { Rung: aRung({ height: 360, segments: 4 }) },
    ...more,
  });

  /** What a player requests of a link: the segments of its only rendition, by the playlists. */
  async function segmentsOf({ link }: Pick<Embed, 'link'>): Promise<{ url: URL; range: string }[]> {
    const master = new URL(`${app.url}/v5/deliverEmbed/${link}/master.m3u8`);
    const playlist = new URL(parsePlaylist(await (await fetch(master)).text()).playlists?.[0]?.uri ?? '', master);
    return parsePlaylist(await (await fetch(playlist)).text()).segments.map(({ uri, byterange }) => ({
      url: new URL(uri, playlist),
      range: `bytes=${byterange?.offset}-${Number(byterange?.offset) + Number(byterange?.length) - 1}`,
    }));
  }
  const request = async ({ url, range }: { url: URL; range: string }) => {
    const { status, headers } = await fetch(url, { headers: { range, origin: 'https://shop.example.org' }, redirect: 'manual' });
    return {
      status,
      location: headers.get('location'),
      cache: headers.get('cache-control'),
      cors: headers.get('access-control-allow-origin'),
    };
  };

  it('are redirected one by one, each to the same URL of the whole rendition', async () => {
    const film = await anEmbed(app, publisher, aStream());
    const { s3Key } = await app.app.get(Database).repository(MediaItem).findOneByOrFail({ id: film.mediaIds.Rung });
    const answers = await Promise.all((await segmentsOf(film)).map(request));
    expect(answers).toHaveLength(4);
    expect(new Set(answers.map(({ location }) => location)).size).toBe(1);
    const [answer] = answers;
    expect(answer).toMatchObject({ status: 302, cache: 'no-store', cors: '*' });
    const url = new URL(answer?.location ?? '');
    expect(url.href.startsWith(`${CDN}/${s3Key}?md5=`)).toBe(true);
    expect(url.searchParams.get('md5')).toBe(md5(`${url.searchParams.get('expires')}  /media/${s3Key} ${SECRET}`));
  });

  it('are refused from the next one on when the link ends', async () => {
    const film = await anEmbed(app, publisher, aStream());
    const [first, second] = (await segmentsOf(film)) as [{ url: URL; range: string }, { url: URL; range: string }];
    expect((await request(first)).status).toBe(302);
    await app.app
      .get(Database)
      .repository(EmbedLink)
      .update({ link: film.link }, { end: new Date(0) });
    expect(await request(second)).toMatchObject({ status: 410, location: null });
  });

  it('come through the service where a bandwidth limit applies', async () => {
    const bandwidthControl = [{ cidr: '127.0.0.0/8', type: 'bandwidth', limit: 8_000_000 }];
    const film = await anEmbed(app, publisher, aStream({ configuration: { securitySettings: { authOnly: false, bandwidthControl } } }));
    const [first] = (await segmentsOf(film)) as [{ url: URL; range: string }];
    expect(await request(first)).toMatchObject({ status: 206, location: null });
  });
});

const explain = async (id: number, viewer: object = {}) => {
  const body = { ip: '127.0.0.1', ...viewer };
  return (await call(`${app.url}/v5/playerconfiguration/${id}/explain`, { token: publisher.token, body })).body;
};
