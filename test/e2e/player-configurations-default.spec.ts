import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { addressOf, startTestApp } from '../support/app/test-app.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { NewEmbed } from '../support/delivery/embeds.js';
import { aContainer, aPublisher, type ConfigurationBody, type EmbedLinkBody } from '../support/delivery/player-configurations.js';
import { eventually } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

const stage = stageDeliverEmbed();

/** A publisher of a customer of their own, and a container. */
async function aScene(type: 'video' | 'audio' | 'image' | 'document' = 'video') {
  const publisher = await aPublisher(stage.app);
  const container = async () => (await aContainer(stage.app, publisher.user, { type })).id;
  const link = async (containerId: number) => await publisher.embed(containerId, undefined);
  const linked = async () => Number((await link(await container())).body.playerConfigurationId);
  const makeDefault = async (id: number, headers: Record<string, string> = {}) =>
    await publisher.send<ConfigurationBody & { code?: string }>(`playerconfiguration/${id}/default`, 'POST', undefined, headers);
  const defaults = async () => (await publisher.find()).body.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  return { publisher, container, link, linked, makeDefault, defaults };
}

describe('the default player configuration of a type', () => {
  it.each([
    ['video', 1],
    ['audio', 1],
    ['image', 0],
    ['document', 0],
  ] as const)('is made when it is first needed, and used by all links that name none (%s)', async (type, templateId) => {
    const { publisher, container, link, defaults } = await aScene(type);
    const [one, other] = [await container(), await container()];
    expect(await defaults()).toEqual([]);
    const made = await link(one);
    const id = Number(made.body.playerConfigurationId);
    expect([made.status, (await link(one)).status, (await publisher.embed(other, null)).body.playerConfigurationId]).toEqual([
      201,
      200,
      id,
    ]);
    expect((await publisher.get(id)).body).toMatchObject({
      ...{ name: `Default (${type})`, type, templateId, formats: [], automaticFormats: true, isDefault: true, autoGenerate: false },
      ...{ securitySettings: null, settings: null, creatorId: publisher.user.id },
    });
  });

  it('is one, whichever process is asked first', async () => {
    const { publisher, container, defaults } = await aScene();
    const second = await startTestApp({ ...stage.storage.settings, database: stage.app.database, publicUrl: stage.app.url });
    const containers = await Promise.all(Array.from({ length: 8 }, container));
    const links = await Promise.all(
      containers.map(async (id, n) => {
        const url = n % 2 ? stage.app.url : addressOf(second.app);
        return await call<EmbedLinkBody>(`${url}/v5/embedlink/${id}`, { token: publisher.token, body: {} });
      }),
    );
    await second.close();
    const [only, ...others] = await defaults();
    expect([links.map(({ status }) => status), others]).toEqual([links.map(() => 201), []]);
    expect(new Set(links.map(({ body }) => body.playerConfigurationId))).toEqual(new Set([only]));
  });

  it('is another one when its mark is moved', async () => {
    const { publisher, linked, makeDefault, defaults } = await aScene();
    const first = await linked();
    const chosen = await publisher.made({ name: 'Website' });
    const tag = String((await publisher.get(chosen.id)).headers.get('etag'));
    expect((await makeDefault(chosen.id, { 'if-match': '"0"' })).body.code).toBe('precondition_failed');
    const moved = await makeDefault(chosen.id, { 'if-match': tag });
    expect(moved).toMatchObject({ status: 200, body: { id: chosen.id, name: 'Website', isDefault: true, automaticFormats: false } });
    expect([moved.headers.get('etag'), await defaults(), await linked()]).toEqual([
      (await publisher.get(chosen.id)).headers.get('etag'),
      [chosen.id],
      chosen.id,
    ]);
    expect((await publisher.get(first)).body).toMatchObject({ isDefault: false, automaticFormats: true });
    expect((await makeDefault(chosen.id)).headers.get('etag')).toBe(moved.headers.get('etag'));
  });

  it('is marked by that call alone, and only by users of its customer', async () => {
    const { publisher, makeDefault, defaults } = await aScene();
    const { body } = await publisher.create({ isDefault: true, automaticFormats: true });
    const updated = await publisher.update(body.id, { ...body, isDefault: true, automaticFormats: null });
    expect(body).toMatchObject({ isDefault: false, automaticFormats: true });
    expect(updated.body).toMatchObject({ isDefault: false, automaticFormats: false });
    expect([body.ignored, updated.body.ignored, await defaults()]).toEqual([undefined, undefined, []]);
    const other = await aScene();
    expect([(await other.makeDefault(body.id)).status, (await makeDefault(2_147_483_647)).body.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['its links are deleted', false],
    ['its links move to another one', true],
  ])('is made again when it was destroyed and %s', async (_, moves) => {
    const { publisher, linked, defaults } = await aScene();
    const first = await linked();
    const target = await publisher.made();
    expect((await publisher.destroy(first, { move: moves ? target.id : -1 })).status).toBe(200);
    expect(await defaults()).toEqual([]);
    const next = await linked();
    expect([next === first, next === target.id, await defaults()]).toEqual([false, false, [next]]);
  });
});

const rendition = (format: object, fileExtension = 'mp4', more: object = {}) => ({
  ...{ fileName: 'film', fileExtension, content: 'bytes', width: 640, height: 360, ...more },
  format,
});

/** A film with a rendition of each kind, for a link that names no format. */
const film = (configuration: object): NewEmbed => ({
  type: 'video',
  original: { fileName: 'film.mp4', content: 'original' },
  renditions: {
    sound: rendition({ settings: { mediaTypes: ['video', 'audio'] } }, 'mp3', { type: 'audio' }),
    web: rendition({}),
    named: rendition({}),
    hidden: rendition({ settings: { mediaTypes: ['video'], useInPlayer: false } }),
    trial: rendition({ settings: { mediaTypes: ['video'], testMode: true } }),
    poster: rendition({ usage: 'preview' }, 'jpg'),
  },
  delivers: ['named'],
  configuration: { automaticFormats: true, ...configuration },
});

describe('a configuration with automaticFormats', () => {
  it('delivers what it names, then all renditions that are for viewers, the type of the media first', async () => {
    const { link, formatIds, configuration } = await stage.embed(film({}));
    const { body } = await stage.json(link);
    const [named, web, sound] = [formatIds.named, formatIds.web, formatIds.sound];
    expect(body.formats.map(({ formatId, downloadable }) => [formatId, downloadable])).toEqual([
      [named, false],
      [web, false],
      [sound, false],
    ]);
    const file = async (query: string) => {
      const { status, text } = await stage.get(`/v5/deliverFile/${link}${query}`, { accept: 'application/json' });
      return [status, status === 302 ? null : JSON.parse(text).code];
    };
    expect(await file(`?formatId=${web}`)).toEqual([302, null]);
    for (const name of ['hidden', 'trial', 'poster', 'original'])
      expect([name, ...(await file(`?formatId=${formatIds[name]}`))]).toEqual([name, 403, 'format_not_in_configuration']);
    expect(await file('?download=true')).toEqual([403, 'not_downloadable']);
    const explained = { ip: '203.0.113.7', formatId: web, download: true };
    expect((await stage.publisher.send(`playerconfiguration/${configuration.id}/explain`, 'POST', explained)).body).toMatchObject({
      allowed: false,
      code: 'not_downloadable',
    });
  });

  it('delivers the original for playing and downloading where settings.download is true', async () => {
    const { link, formatIds } = await stage.embed(film({ settings: { download: true } }));
    const { body } = await stage.json(link);
    expect(body.formats.flatMap(({ formatId, downloadable }) => (downloadable ? [formatId] : []))).toEqual([formatIds.original]);
    const { status, headers } = await stage.get(`/v5/deliverFile/${link}?download=true`);
    expect([status, await (await fetch(String(headers.get('location')))).text()]).toEqual([302, 'original']);
  });

  it('is needed by settings.download, which is otherwise named as ignored', async () => {
    const { create, update } = stage.publisher;
    const { body } = await create({ settings: { download: true } });
    expect(body).toMatchObject({ settings: { download: true }, ignored: [{ path: 'settings.download' }] });
    expect((await update(body.id, { automaticFormats: true, settings: { download: true } })).body).not.toHaveProperty('ignored');
  });

  it('delivers a photo in other sizes and without its metadata, but not the photo itself', async () => {
    const exif = { IFD0: { Copyright: 'Ada', Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
    const image = sharp({ create: { width: 1_000, height: 500, channels: 3, background: 'teal' } });
    const content = await image.withExif(exif).jpeg().toBuffer();
    const photo: NewEmbed = {
      type: 'image',
      original: { fileName: 'photo.jpg', content },
      delivers: [],
      configuration: { automaticFormats: true },
    };
    const { link, formatIds } = await stage.embed(photo);
    expect((await stage.json(link)).body.formats).toEqual([]);
    expect((await stage.get(`/v5/deliverFile/${link}?formatId=${formatIds.original}`)).status).toBe(403);
    expect((await stage.page(link)).text).toMatch(/<img[^>]+srcset="[^"]+width=160[^"]* 160w,[^"]+ 1000w"/);
    for (const width of [320, 1_000]) {
      const open = async () => await stage.get(`/v5/deliverEmbed/${link}/image?width=${width}&format=jpeg`);
      await eventually(async () => (await open()).headers.get('cache-control') !== 'no-store');
      const bytes = Buffer.from(await (await fetch(String((await open()).headers.get('location')))).arrayBuffer());
      expect([(await sharp(bytes).metadata()).width, bytes.includes('Camera')]).toEqual([width, false]);
    }
    const { status, body } = await stage.publisher.send<EmbedLinkBody[]>(`embedlink?limit=1`, 'GET');
    expect([status, body[0]?.snippet]).toEqual([200, expect.stringMatching(/^<img src=/)]);
  });
});
