import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { PictureResizingService } from '../../src/modules/converter/index.js';
import { MediaRemovalService, PictureSize, PicturesRepository } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { collect, ObjectStorage } from '../../src/shared/storage/index.js';
import { addressOf, startTestApp } from '../support/app/test-app.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import type { NewEmbed } from '../support/delivery/embeds.js';
import { eventually } from '../support/eventually.js';
import { aPng, uploadMedia } from '../support/media/media.js';

const stage = stageDeliverEmbed();

/** What a browser without AVIF, and one with it, send for an image. */
const WITHOUT_AVIF = 'image/webp,image/apng,image/*,*/*;q=0.8';
const WITH_AVIF = `image/avif,${WITHOUT_AVIF}`;

const RED = { r: 200, g: 40, b: 50, alpha: 1 };
const BLUE = { r: 30, g: 60, b: 180 };

/** A red picture whose upper left quarter is blue. */
function aPhoto(width: number, height: number) {
  const quarter = { create: { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels: 3 as const, background: BLUE } };
  return sharp({ create: { width, height, channels: 3, background: RED } }).composite([{ input: quarter, gravity: 'northwest' }]);
}

const jpeg = async (width: number, height: number) => await aPhoto(width, height).jpeg({ quality: 95 }).toBuffer();

/** A JPEG with IPTC in UTF-8: a copyright notice and an author, as a resource of Photoshop. */
function withIptc(image: Buffer): Buffer {
  const set = (record: number, number: number, text: string) => {
    const content = Buffer.from(text);
    return Buffer.concat([Buffer.from([0x1c, record, number, 0, content.length]), content]);
  };
  const iptc = Buffer.concat([set(1, 90, '\x1b%G'), set(2, 80, 'Charles'), set(2, 116, '© Ada Lovelace')]);
  const segment = Buffer.concat([Buffer.from('Photoshop 3.0\0'), Buffer.from('8BIM\x04\x04\0\0\0\0\0'), Buffer.from([iptc.length]), iptc]);
  return Buffer.concat([image.subarray(0, 2), Buffer.from([0xff, 0xed, 0, segment.length + 2]), segment, image.subarray(2)]);
}

const aPicture = (fileName: string, content: Buffer, more: Partial<NewEmbed> = {}): NewEmbed => ({
  type: 'image',
  original: { fileName, content },
  ...more,
});

const request = async (link: string, query: string, accept = '*/*') =>
  await stage.get(`/v5/deliverEmbed/${link}/image?${query}`, { accept });

/** The picture behind the redirect, once it has been made: until then a busy machine may deliver another size, which is not to be stored. */
async function picture(link: string, query: string, accept?: string) {
  let answer = await request(link, query, accept);
  await eventually(async () => {
    const isReady = answer.status !== 302 || answer.headers.get('cache-control') !== 'no-store';
    if (!isReady) answer = await request(link, query, accept);
    return isReady;
  });
  return await follow(answer);
}

/** The picture to which an answer redirects. */
async function follow({ status, headers, text }: Awaited<ReturnType<typeof request>>) {
  const location = headers.get('location');
  if (location === null) throw new Error(`${status} ${text}`);
  const file = await fetch(location);
  const bytes = Buffer.from(await file.arrayBuffer());
  const facts = await sharp(bytes, { animated: true }).metadata();
  return { bytes, facts, location, headers, type: file.headers.get('content-type') };
}

/** The answer once the picture was examined; until then, on a busy machine, a request is sent to the upload. */
const decided = async (...args: Parameters<typeof request>) =>
  await eventually(async () => {
    const answer = await request(...args);
    return answer.status === 302 ? null : answer;
  });

const codeOf = ({ status, text }: { status: number; text: string }) => [status, (JSON.parse(text) as { code: string }).code];

/** The colour at a place, both from 0 to 1. */
async function colorAt(bytes: Buffer, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(bytes).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const at = info.channels * (Math.floor(y * info.height) * info.width + Math.floor(x * info.width));
  return [...data.subarray(at, at + 3)];
}

const isNear = (color: readonly number[], { r, g, b }: { r: number; g: number; b: number }) =>
  [r, g, b].every((part, index) => Math.abs(part - (color[index] ?? 0)) < 40);

const sizesOf = async (mediaItemId = 0) =>
  await stage.app.app.get(Database).repository(PictureSize).findBy({ mediaItemId, status: 'ready' });

describe('a picture in another size', () => {
  it('has the next width of the ladder, and is never larger than its source', async () => {
    const { link } = await stage.embed(aPicture('harbour.jpg', await jpeg(1500, 1000)));
    const sizes = [];
    for (const width of [100, 161, 480, 1400, 8192]) {
      const { facts } = await picture(link, `width=${width}`);
      sizes.push([facts.format, facts.width, facts.height]);
    }
    expect(sizes).toEqual([
      ['jpeg', 160, 107],
      ['jpeg', 320, 213],
      ['jpeg', 480, 320],
      ['jpeg', 1500, 1000],
      ['jpeg', 1500, 1000],
    ]);
  });

  it('has with a height the nearest ratio: within the box, or cut off to fill it', async () => {
    const { link } = await stage.embed(aPicture('tower.jpg', await jpeg(600, 1200)));
    const size = async (query: string) => {
      const { facts } = await picture(link, query);
      return [facts.width, facts.height];
    };
    expect(await size('width=480&height=470')).toEqual([240, 480]);
    expect(await size('width=300&height=310&fit=cover')).toEqual([320, 320]);
    expect(await size('width=160&height=90&fit=cover')).toEqual([160, 90]);
    expect(await size('width=1900&height=3800&fit=cover')).toEqual([600, 1200]);
  });

  it('has the best type that the browser names, or the one that was asked for', async () => {
    const { link } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    const type = async (query: string, accept?: string) => (await picture(link, `width=160${query}`, accept)).type;
    expect(await type('', WITH_AVIF)).toBe('image/avif');
    expect(await type('', WITHOUT_AVIF)).toBe('image/webp');
    expect(await type('', 'image/avif;q=0, image/webp;q=0.0')).toBe('image/jpeg');
    expect(await type('', '*/*')).toBe('image/jpeg');
    expect(await type('&format=png', WITH_AVIF)).toBe('image/png');
    expect((await request(link, 'width=160', WITH_AVIF)).headers.get('vary')).toMatch(/\bAccept\b/);
  });

  it('is the same file for every request, kept beside its source and counted as storage', async () => {
    const { link, mediaIds } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    const usage = async () => (await stage.publisher.send<{ storage: { bytes: number } }>('customer/usage', 'GET')).body.storage.bytes;
    const before = await usage();
    const [first, second] = [await picture(link, 'width=160'), await picture(link, 'width=150')];
    expect(new URL(second.location).pathname).toBe(new URL(first.location).pathname);
    expect(first.location).toContain('/renditions/');
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    const sizes = await sizesOf(mediaIds.original);
    expect(sizes).toMatchObject([{ name: '160x107', fileSize: first.bytes.length }]);
    expect(await usage()).toBe(before + first.bytes.length);
  });

  it('has no metadata but the copyright, and the colours of sRGB', async () => {
    const exif = { IFD0: { Copyright: 'Ada Lovelace', Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N' } };
    const content = await aPhoto(300, 200).withIccProfile('p3').withExif(exif).jpeg().toBuffer();
    const { link } = await stage.embed(aPicture('harbour.jpg', content));
    for (const format of ['avif', 'webp', 'jpeg', 'png']) {
      const { facts, bytes } = await picture(link, `width=160&format=${format}`);
      const text = facts.exif?.toString('latin1') ?? '';
      expect([format, text.includes('Ada Lovelace'), text.includes('Camera')]).toEqual([format, true, false]);
      expect(facts.icc?.toString('latin1').replaceAll('\0', '')).toContain('sRGB');
      expect(isNear(await colorAt(bytes, 0.9, 0.9), RED)).toBe(true);
    }
  });

  it('keeps a copyright notice that stands only in IPTC, and nothing else of it', async () => {
    const { link } = await stage.embed(aPicture('harbour.jpg', withIptc(await jpeg(300, 200))));
    for (const format of ['avif', 'webp', 'jpeg', 'png']) {
      const { facts, bytes } = await picture(link, `width=160&format=${format}`);
      expect([format, facts.exif?.includes('Ada Lovelace'), facts.xmpAsString?.includes('>© Ada Lovelace<')]).toEqual([format, true, true]);
      expect([facts.iptc, bytes.includes('Charles')]).toEqual([undefined, false]);
    }
  });

  it('is the largest picture that players show, with its watermark, and for a film the preview picture', async () => {
    const marked = { fileName: 'marked', fileExtension: 'jpg', content: await jpeg(400, 300), width: 400, height: 300, type: 'image' };
    const small = { ...marked, content: await jpeg(200, 150), width: 200, height: 150 };
    const image = await stage.embed(aPicture('harbour.jpg', await jpeg(900, 600), { renditions: { small, marked } }));
    expect((await picture(image.link, 'width=640')).facts.width).toBe(400);
    const poster = { ...small, format: { usage: 'preview' as const } };
    const film = { type: 'video' as const, original: { fileName: 'film.mp4', content: 'a film' } };
    const { link } = await stage.embed({ ...film, renditions: { poster }, delivers: ['original'] });
    expect((await picture(link, 'width=640')).facts.width).toBe(200);
  });
});

describe('every picture is shown as it is meant', () => {
  it('a photo is upright in each of the eight orientations', async () => {
    const check = async (orientation: number) => {
      const isLying = orientation >= 5;
      const content = await jpeg(isLying ? 200 : 300, isLying ? 300 : 200);
      const stored = await sharp(content).withMetadata({ orientation }).jpeg().toBuffer();
      const upright = await sharp(stored).autoOrient().png().toBuffer();
      const { link } = await stage.embed(aPicture('photo.jpg', stored));
      const { facts, bytes } = await picture(link, 'width=160');
      expect([facts.width, facts.height, facts.orientation]).toEqual([160, 107, undefined]);
      for (const [x, y] of [0.2, 0.8].flatMap((side) => [[side, 0.2] as const, [side, 0.8] as const])) {
        const [r = 0, g = 0, b = 0] = await colorAt(upright, x, y);
        expect([orientation, x, y, isNear(await colorAt(bytes, x, y), { r, g, b })]).toEqual([orientation, x, y, true]);
      }
    };
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(check));
  });

  it.each([
    ['CMYK', async () => ['print.jpg', await aPhoto(300, 200).toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer()], 'jpeg'],
    ['16 bits', async () => ['deep.png', await aPhoto(300, 200).toColourspace('rgb16').png().toBuffer()], 'jpeg'],
    ['an interlaced PNG', async () => ['harbour.png', await aPhoto(300, 200).png({ progressive: true }).toBuffer()], 'jpeg'],
    ['TIFF', async () => ['scan.tif', await aPhoto(300, 200).tiff().toBuffer()], 'jpeg'],
  ] as const)('of %s', async (_, make, format) => {
    const [fileName, content] = await make();
    const { link } = await stage.embed(aPicture(String(fileName), content as Buffer));
    const { facts, bytes } = await picture(link, 'width=160');
    expect([facts.format, facts.width, facts.space, facts.depth]).toEqual([format, 160, 'srgb', 'uchar']);
    expect(isNear(await colorAt(bytes, 0.9, 0.9), RED)).toBe(true);
  });

  it('of greys with a transparent part: transparent where the type has it, otherwise on white', async () => {
    const canvas = { width: 300, height: 200, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } };
    const patch = { width: 150, height: 100, channels: 4 as const, background: { r: 90, g: 90, b: 90, alpha: 1 } };
    const drawing = sharp({ create: canvas }).composite([{ input: { create: patch }, gravity: 'northwest' }]);
    const content = await sharp(await drawing.png().toBuffer())
      .toColourspace('b-w')
      .png()
      .toBuffer();
    const { link } = await stage.embed(aPicture('cut-out.png', content));
    const automatic = await picture(link, 'width=160');
    expect([automatic.facts.format, automatic.facts.hasAlpha]).toEqual(['png', true]);
    const flat = await picture(link, 'width=160&format=jpeg');
    expect(isNear(await colorAt(flat.bytes, 0.9, 0.9), { r: 255, g: 255, b: 255 })).toBe(true);
    expect(isNear(await colorAt(flat.bytes, 0.05, 0.05), { r: 90, g: 90, b: 90 })).toBe(true);
  });

  it.each(['gif', 'webp'] as const)('of an animation (%s), which stays one', async (type) => {
    const frames = await Promise.all(
      [RED, BLUE].map(
        async (background) =>
          await sharp({ create: { width: 200, height: 100, channels: 3, background } })
            .png()
            .toBuffer(),
      ),
    );
    const content = await sharp(frames, { join: { animated: true } })
      .toFormat(type)
      .toBuffer();
    const { link } = await stage.embed(aPicture(`dance.${type}`, content));
    const pages = async (query: string, accept?: string) => {
      const { facts } = await picture(link, query, accept);
      return [facts.format, facts.pages ?? 1, facts.width, facts.pageHeight ?? facts.height];
    };
    expect(await pages('width=160', WITH_AVIF)).toEqual(['webp', 2, 160, 80]);
    expect(await pages('width=160')).toEqual(['gif', 2, 160, 80]);
    expect(await pages('width=160&format=jpeg')).toEqual(['jpeg', 1, 160, 80]);
  });

  it('of a photo that was cut off: what is missing is grey', async () => {
    const whole = await jpeg(1200, 900);
    const { link } = await stage.embed(aPicture('photo.jpg', whole.subarray(0, whole.length / 2)));
    const { bytes, facts } = await picture(link, 'width=320');
    expect([facts.width, facts.height]).toEqual([320, 240]);
    expect(isNear(await colorAt(bytes, 0.2, 0.05), BLUE)).toBe(true);
  });

  it.each([
    ['is no picture', 'photo.jpg', async () => Buffer.from('no picture at all')],
    ['is a drawing', 'drawing.svg', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['lacks its second half', 'harbour.png', async () => (await aPhoto(900, 600).png().toBuffer()).subarray(0, 900)],
    ['has 1,600 million pixels', 'bomb.png', async () => aPng(40_000, 40_000)],
  ])('a file that %s is no picture, which is remembered', async (_, fileName, make) => {
    const { link, mediaIds } = await stage.embed(aPicture(fileName, await make()));
    expect(codeOf(await decided(link, 'width=320'))).toEqual([404, 'no_picture']);
    expect(codeOf(await request(link, 'width=160', WITH_AVIF))).toEqual([404, 'no_picture']);
    expect(await sizesOf(mediaIds.original)).toEqual([]);
  });
});

describe('the rules of a link', () => {
  it('apply to its picture in every size, also when they become stricter', async () => {
    const { link, configuration } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    await picture(link, 'width=160');
    await stage.publisher.send(`playerconfiguration/${configuration.id}`, 'PUT', {
      formats: configuration.formats,
      securitySettings: { authOnly: true, auth: { enabled: true } },
    });
    expect(codeOf(await request(link, 'width=160'))).toEqual([403, 'auth_required']);
    expect(codeOf(await request('00000000-0000-4000-8000-000000000000', 'width=160'))).toEqual([404, 'not_found']);
  });

  it.each(['', 'width=0', 'width=8193', 'width=1.5', 'width=160&fit=fill', 'width=160&format=gif', 'width=160&height=0'])(
    'a request with %j is refused',
    async (query) => expect(codeOf(await request('00000000-0000-4000-8000-000000000000', query))).toEqual([400, 'validation_failed']),
  );
});

describe('the preview of a media container', () => {
  interface Container {
    readonly preview: { url: string; width: number; height: number; expiresAt: string } | null;
  }
  const read = async (id: number) => (await stage.publisher.send<Container>(`mediacontainer/${id}`, 'GET')).body.preview;
  const shown = async (url = '') => {
    const answer = await fetch(url, { headers: { accept: WITH_AVIF } });
    return await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
  };

  it('is a URL without credentials of a picture of 480 pixels, the same in lists and for some time', async () => {
    const { containerId } = await stage.embed(aPicture('harbour.jpg', await jpeg(1500, 1000)));
    const preview = await read(containerId);
    expect(preview).toMatchObject({ width: 480, height: 320, url: expect.stringMatching(/\/v5\/preview\/[\w.-]+$/) });
    const minutes = (Date.parse(preview?.expiresAt ?? '') - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThan(61);
    const { body } = await stage.publisher.send<Container[]>(`mediacontainer?id=${containerId}`, 'GET');
    expect(body[0]?.preview?.url).toBe(preview?.url);
    expect(await shown(preview?.url)).toMatchObject({ format: 'heif', width: 480, height: 320 });
  });

  it('is never the file as it was uploaded, also if its size cannot be made at the moment', async () => {
    const { containerId, link } = await stage.embed(aPicture('harbour.jpg', await jpeg(1500, 1000)));
    const sizes = stage.app.app.get(PictureResizingService, { strict: false });
    const make = sizes.make.bind(sizes);
    sizes.make = async () => null;
    try {
      const { url = '' } = (await read(containerId)) ?? {};
      const answer = await fetch(url, { redirect: 'manual', headers: { accept: WITH_AVIF } });
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual([503, '5', 'no-store']);
      expect((await request(link, 'width=480')).status).toBe(302); // viewers of this link may have the file
    } finally {
      sizes.make = make;
    }
    expect(await shown((await read(containerId))?.url)).toMatchObject({ width: 480 });
  });

  it('costs a page of many containers one statement for the pictures and one for the formats', async () => {
    for (let n = 0; n < 12; n += 1) await stage.embed(aPicture(`${n}.png`, aPng(900, 600)));
    const page = async () => void (await stage.publisher.send<Container[]>('mediacontainer?limit=100', 'GET'));
    const statements = await recordStatements(page);
    expect(statements.filter(({ text }) => /picture_|formats/.test(text))).toHaveLength(2);
  });

  it('is another URL after the poster of a film was replaced, and null without a picture', async () => {
    const film = { type: 'video' as const, original: { fileName: 'film.mp4', content: 'a film' } };
    const poster = async (width: number) => ({
      fileName: 'poster',
      fileExtension: 'jpg',
      role: 'poster',
      content: await jpeg(width, width),
    });
    const { containerId } = await stage.embed({ ...film, beside: [await poster(500)] });
    const first = await read(containerId);
    expect(await shown(first?.url)).toMatchObject({ width: 480 });
    const again = { ...(await poster(300)), mediaContainerId: containerId, originalFileExtension: 'jpg' };
    await uploadMedia(stage.app, stage.publisher.token, { ...again, fileName: 'poster.jpg' });
    const second = await read(containerId);
    expect(second?.url).not.toBe(first?.url);
    expect(await shown(second?.url)).toMatchObject({ width: 300 });
    expect((await fetch(first?.url ?? '', { redirect: 'manual' })).status).toBe(404);
    expect(await read((await stage.embed(film)).containerId)).toBeNull();
  });

  it('is null for a file that cannot be read, and no URL of it can be forged', async () => {
    const { containerId, link } = await stage.embed(aPicture('bomb.png', aPng(40_000, 40_000)));
    expect(await read(containerId)).not.toBeNull(); // its header promises a picture
    await request(link, 'width=160');
    expect(await read(containerId)).toBeNull();
    const { url = '' } = (await read((await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)))).containerId)) ?? {};
    for (const forged of [
      url.slice(0, -1),
      `${url}x`,
      url.replace(/preview\/(\d+)/, (_, id) => `preview/${Number(id) - 1}`),
      `${url}${'9'.repeat(300)}`,
    ]) {
      expect((await fetch(forged, { redirect: 'manual' })).status).toBe(404);
    }
  });
});

describe('a page with a picture', () => {
  it('names its sizes on the page of the link, in the HTML to embed and in oEmbed', async () => {
    const { link } = await stage.embed(aPicture('harbour.jpg', await jpeg(700, 350)));
    const address = `/v5/deliverEmbed/${link}`;
    const srcset = (origin: string, play = '') =>
      [160, 320, 480, 640, 700].map((width) => `${origin}${address}/image?width=${width}${play} ${width}w`).join(', ');
    expect((await stage.page(link)).text).toContain(`srcset="${srcset('', '&amp;play=page')}" sizes="100vw"`);
    const oembed = await stage.get(`/v5/oembed?${new URLSearchParams({ url: `${stage.app.url}${address}`, maxwidth: '800' })}`);
    const { html } = JSON.parse(oembed.text) as { html: string };
    expect(html).toContain(
      `srcset="${srcset(stage.app.url)}" sizes="(max-width: 700px) 100vw, 700px" alt="harbour" width="700" height="350"`,
    );
  });
});

describe('of all processes', () => {
  const requestMany = async (origins: readonly string[], address: string) =>
    await Promise.all(origins.map(async (origin) => await fetch(`${origin}${address}`, { redirect: 'manual' })));
  const objectsOf = async (containerId: number) => {
    const { customerId } = stage.publisher.user;
    return await collect(stage.app.app.get(ObjectStorage).list(`renditions/${customerId}/${containerId}/`));
  };

  it('200 simultaneous first requests make one file', async () => {
    const { database, url: publicUrl } = stage.app;
    const other = await startTestApp({ ...stage.storage.settings, database, publicUrl });
    try {
      const { link, containerId } = await stage.embed(aPicture('harbour.jpg', await jpeg(1500, 1000)));
      const origins = Array.from({ length: 200 }, (_, index) => (index % 2 ? publicUrl : addressOf(other.app)));
      const answers = await requestMany(origins, `/v5/deliverEmbed/${link}/image?width=320`);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
      expect(await objectsOf(containerId)).toHaveLength(1);
      const late = await picture(link, 'width=320');
      expect(late.location).toContain((await objectsOf(containerId))[0]?.key);
    } finally {
      await other.close();
    }
  });

  it('another one makes what a killed process has begun, and its remains are deleted', async () => {
    const { link, containerId, mediaIds } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    const { location } = await picture(link, 'width=160');
    const sizes = stage.app.app.get(Database).repository(PictureSize);
    // As if the process had died after it had written the object.
    await sizes.update({ mediaItemId: mediaIds.original }, { status: 'claimed', expiresAt: new Date(Date.now() - 600_000) });
    expect((await picture(link, 'width=160')).location).not.toBe(location);
    await stage.app.app.get(HousekeepingService).run();
    const [size, ...others] = await sizes.findBy({ mediaItemId: mediaIds.original });
    expect([size?.status, others]).toEqual(['ready', []]);
    expect((await objectsOf(containerId)).map(({ key }) => key)).toEqual([size?.s3Key]);
  });

  it('no size outlives its source, also not one that is being made', async () => {
    const { link, containerId, mediaIds } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    await picture(link, 'width=160');
    await picture(link, 'width=160&format=webp');
    const sizes = stage.app.app.get(Database).repository(PictureSize);
    const expiresAt = new Date(Date.now() + 60_000);
    await sizes.update({ mediaItemId: mediaIds.original, format: 'webp' }, { status: 'claimed', expiresAt });
    await stage.publisher.send(`mediacontainer/${containerId}`, 'DELETE', { forceDelete: true });
    await stage.app.app.get(MediaRemovalService).removeContainer(containerId);
    const left = await sizes.findBy({ mediaItemId: mediaIds.original });
    expect(left).toMatchObject([{ status: 'removed', format: 'webp' }]);
    expect((await objectsOf(containerId)).map(({ key }) => key)).toEqual(left.map(({ s3Key }) => s3Key));
    await sizes.update({ mediaItemId: mediaIds.original }, { expiresAt: new Date(Date.now() - 600_000) });
    await stage.app.app.get(HousekeepingService).run();
    expect([await objectsOf(containerId), await sizes.countBy({ mediaItemId: mediaIds.original })]).toEqual([[], 0]);
  });

  it('a picture has at most 360 sizes, of which those that pages offer are always made; others are replaced by the nearest', async () => {
    const { link, mediaIds } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    await picture(link, 'width=160&format=png');
    await stage.app.app.get(Database).query(
      `INSERT INTO picture_sizes (customer_id, media_item_id, content, name, format, width, height, s3_key, status, expires_at)
        SELECT customer_id, media_item_id, content, n || 'x1c', 'gif', n, 1, s3_key || n, 'ready', now()
        FROM picture_sizes, generate_series(1, 314) n WHERE media_item_id = $1`,
      [mediaIds.original],
    );
    const beyond = await follow(await request(link, 'width=160&height=160&fit=cover&format=png'));
    expect([beyond.facts.width, beyond.facts.height, beyond.headers.get('cache-control')]).toEqual([160, 107, 'no-store']);
    expect((await picture(link, 'width=320&format=png')).facts.width).toBe(300);
  });

  it('pictures are made again when the operator says so', async () => {
    const { link, mediaIds } = await stage.embed(aPicture('harbour.jpg', await jpeg(300, 200)));
    const { location } = await picture(link, 'width=160');
    expect(await stage.app.app.get(PicturesRepository).removeAll()).toBeGreaterThan(0);
    expect((await picture(link, 'width=160')).location).not.toBe(location);
    expect(await sizesOf(mediaIds.original)).toHaveLength(1);
  });
});
