import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { InspectionsService } from '../../src/modules/converter/inspection/inspections.service.js';
import type { FormatSettings } from '../../src/modules/formats/index.js';
import { FileDescriptionsRepository, MediaItem } from '../../src/modules/media/index.js';
import { Database } from '../../src/shared/database/index.js';
import { MISINDEXED_FILMS } from '../corpus/damaged-films.js';
import { makeFilm } from '../corpus/make-file.js';
import { type OriginalFile, useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';
import { put } from '../support/media/hostile-files.js';
import { drawMedia, type MediaFiles } from '../support/media/media-files.js';
import { signedDocx } from '../support/media/office-files.js';
import { readPixels } from '../support/media/pixels.js';

const stage = useExecutionStage();
let media: MediaFiles;
beforeAll(async () => {
  media = await drawMedia(stage.folder);
});
afterEach(() => expect(stage.leftovers()).toEqual([]));

/** A film that ffmpeg draws, with these options for its output. */
async function aFilm(name: string, source: string, ...options: string[]): Promise<string> {
  const file = path.join(stage.folder, name);
  await run(stage.folder, 'ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...options, file]);
  return file;
}
const IMAGE = { type: 'image', fileExtension: 'jpg' };
const outcomeOf = async (file: string, blueprint: string, more: object = {}) =>
  (await stage.run(await stage.place({ file, ...more }), await stage.blueprint(blueprint))).outcome;

describe('an unusual video', () => {
  it('without sound becomes one without, and no audio', async () => {
    const { rendition, file } = await stage.make({ file: media.grey }, await stage.blueprint('h264-360p'));
    expect(rendition.facts.codec).toBe('h264');
    expect((await run(stage.folder, 'mediainfo', ['--Inform=Audio;%Format%', file])).trim()).toBe('');
    const format = await stage.blueprint('mp3', { mediaTypes: ['video'] });
    expect((await stage.run(await stage.place({ file: media.grey }), format)).outcome).toEqual({
      kind: 'failed',
      code: 'transcoding_refused',
      message: 'The source has no sound. Choose a format with a picture.',
      log: null,
    });
  });

  it('that is sound only is refused', async () => {
    const outcome = await outcomeOf(media.silence, 'h264-360p');
    expect(outcome).toMatchObject({ code: 'transcoding_refused', message: 'The source has no picture. Choose a format without one.' });
  });
});

describe.each(MISINDEXED_FILMS)('$name', (film) => {
  it('is read without its index, and is as long as its pictures', async () => {
    const placed = await stage.upload({ file: await makeFilm(stage.folder, film), fileExtension: 'avi' });
    for (const key of ['h264-360p', 'video-poster']) {
      const { rendition, source } = await stage.make(placed, await stage.blueprint(key));
      expect([key, rendition.facts, source.facts]).toMatchObject([key, { width: 320, height: 180 }, { width: 320, height: 180 }]);
      expect(Math.abs((source.facts.duration ?? 0) - 2)).toBeLessThan(0.1);
      if (key === 'h264-360p') expect(Math.abs((rendition.facts.duration ?? 0) - 2)).toBeLessThan(0.1);
    }
  });
});

/** A PDF of one empty page, in points, that is rotated by 90 degrees. */
const turnedPdf = (width: number, height: number): string =>
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Rotate 90>>endobj trailer<</Root 1 0 R>>\n%%EOF\n`;

/** What means something to a shell, to ffmpeg, to ImageMagick, to exiftool or to a file system. */
const TEXTS = [
  `it's "quoted" \\' \\" \\\\`,
  '100% %w %[exif:*] %{pts} %n',
  'a\nb\r\nc\td',
  '@/etc/passwd',
  '-fill red -write /tmp/x',
  ':;,=[]{}()<>|&$`(id)`$(id)',
  '../../../etc/passwd\0x',
  'Grüße 日本 😀 \u202eevil \ufeff',
  'msl:/etc/passwd label:@/etc/passwd file:///etc/passwd',
];

describe('hostile texts', () => {
  const container = (text: string) => ({
    name: text.replaceAll('\0', ''),
    description: text.replaceAll('\0', ''),
    tags: [text.replaceAll('\0', '')],
    license: { name: text.replaceAll('\0', ''), usageTerms: text.replaceAll('\0', '') },
    metadata: [{ title: 'Headline', content: text.replaceAll('\0', '') }],
  });

  it.each(TEXTS)('%j in an image is only text', async (text) => {
    const metadata = ['Headline', 'Caption', 'tags', 'license', 'instructions'].map((metaTitle) => ({ metaTitle }));
    const settings: FormatSettings = { metadata, annotation: { text: text.replaceAll('\0', ''), gravity: 'North', pointSize: 20 } };
    const original = { file: media.plain, type: 'image', fileExtension: 'png', container: container(text) };
    const { file, rendition } = await stage.make(original, await stage.blueprint('png', settings));
    expect(rendition.facts).toMatchObject({ width: 400, height: 300 });
    const plain = await readPixels(media.plain);
    expect((await readPixels(file)).differenceFrom(plain)?.bottom).toBeLessThan(150);
    expect(await run(stage.folder, 'exiftool', ['-a', '-G1', file])).not.toContain('root:');
  });
});

describe('watermarks', () => {
  const asset = async (file: string, type: 'image' | 'audio', fileExtension: string) => {
    const { mediaContainerId } = await stage.place({ file, type, fileExtension, container: { type: 'watermark', flag: 33 } });
    return { mediaContainerId };
  };

  it('are visible in a video and in a picture, and audible', async () => {
    const [watermark, audioWatermark] = [await asset(media.mark, 'image', 'png'), await asset(media.beep, 'audio', 'wav')];
    const film = await stage.make({ file: media.grey }, await stage.blueprint('h264-360p', { watermark: { ...watermark, position: 'c' } }));
    const pixels = await readPixels(film.file);
    expect(pixels.at(320, 180)).toEqual([expect.closeTo(254, -1), expect.closeTo(0, -1), expect.closeTo(0, -1)]);
    const marked = await stage.blueprint('png', { watermark: { ...watermark, gravity: 'Center' } });
    const picture = await stage.make({ file: media.plain, type: 'image', fileExtension: 'png' }, marked);
    expect((await readPixels(picture.file)).at(200, 150)).toEqual([255, 0, 0]);
    const heard = await stage.blueprint('mp3', { audioWatermark: { ...audioWatermark, position: 2 } });
    const { file } = await stage.make({ file: media.silence, type: 'audio', fileExtension: 'wav' }, heard);
    const volume = await run(stage.folder, 'ffmpeg', ['-i', file, '-af', 'volumedetect', '-f', 'null', '-']);
    expect(Number(/max_volume: (-?[\d.]+) dB/.exec(volume)?.[1])).toBeGreaterThan(-10);
  });

  it('that are not pictures are refused', async () => {
    const lie = await asset(put(stage.folder, 'mark.svg', '<svg/>'), 'image', 'png');
    const format = await stage.blueprint('png', { watermark: lie });
    const { outcome } = await stage.run(await stage.place({ file: media.plain, type: 'image', fileExtension: 'png' }), format);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'watermark_missing' });
  });
});

describe('the inspection of an upload', () => {
  const inspected = async (original: OriginalFile, known?: { width: number; height: number }): Promise<MediaItem> => {
    const { sourceMediaId: id } = await stage.place(original);
    if (known) await stage.context.get(Database).repository(MediaItem).update({ id }, known);
    await stage.context.get(InspectionsService).inspect(id);
    return await stage.context.get(Database).repository(MediaItem).findOneByOrFail({ id });
  };

  it('describes the streams of a film, with which it is converted', async () => {
    const { fileDescription, ...item } = await inspected({ file: media.video });
    expect(item).toMatchObject({ width: 1_280, height: 720, codec: 'h264', duration: expect.closeTo(2, 1), scripted: null });
    expect(fileDescription).toMatchObject({ version: 1, problem: null, width: 1_280, size: item.fileSize });
    expect(fileDescription?.media).toMatchObject({
      format: { tags: { title: 'Harbour' } },
      streams: [
        { codec_type: 'video', codec_name: 'h264' },
        { codec_type: 'audio', codec_name: 'aac' },
      ],
    });
    expect(fileDescription?.times).toEqual([0, 1].map((index) => ({ index, start: expect.closeTo(0, 1), end: expect.closeTo(2, 1) })));
    expect(JSON.stringify(fileDescription)).not.toContain('51.9');
    const original = { mediaContainerId: item.mediaContainerId, sourceMediaId: item.id, s3Key: item.s3Key };
    const { outcome } = await stage.run(original, await stage.blueprint('h264-360p'));
    expect(outcome).toMatchObject({ kind: 'made', rendition: { facts: { width: 640, height: 360 } } });
  });

  it.each([
    ['wide.mp4', '720x576', 'setsar=64/45', [], 1_024, 576],
    ['narrow.mp4', '720x480', 'setsar=8/9', [], 720, 540],
    ['broadcast.mkv', '720x576', 'interlace=scan=tff,setfield=tff,setsar=64/45', ['-flags', '+ilme+ildct'], 1_024, 576],
    ['turned.mp4', '1440x1080', 'setsar=4/3', ['-metadata:s:v:0', 'rotate=270'], 1_080, 1_920],
  ])('finds the size of a film whose pixels are not square (%s)', async (name, size, vf, options, width, height) => {
    const drawn = await aFilm(
      `drawn-${name}`,
      `testsrc2=s=${size}:r=10:d=1`,
      '-vf',
      vf,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      ...options,
    );
    const file = path.join(stage.folder, name);
    await run(stage.folder, 'ffmpeg', ['-v', 'error', '-y', '-i', drawn, '-c', 'copy', ...options, file]);
    const item = await inspected({ file, fileExtension: path.extname(name).slice(1) }, { width: 9, height: 9 });
    expect(item).toMatchObject({ width, height, fileDescription: { width, height, problem: null } });
    const original = { mediaContainerId: item.mediaContainerId, sourceMediaId: item.id, s3Key: item.s3Key };
    const { outcome } = await stage.run(original, await stage.blueprint('video-poster'));
    expect(outcome).toMatchObject({
      kind: 'made',
      rendition: { facts: name === 'turned.mp4' ? { width: 720, height: 1_280 } : { width, height } },
    });
  });

  it('measures how long an animated picture and its rendition move, and nothing of one that stands still', async () => {
    const file = await aFilm('animation.gif', 'testsrc2=s=64x48:r=5:d=0.6');
    const animation = await inspected({ ...IMAGE, file, fileExtension: 'gif' });
    expect(animation).toMatchObject({ duration: 0.6, fileDescription: { content: 'gif', duration: 0.6, media: null } });
    const original = { mediaContainerId: animation.mediaContainerId, sourceMediaId: animation.id, s3Key: animation.s3Key };
    const { outcome } = await stage.run(original, await stage.blueprint('webp'));
    expect(outcome).toMatchObject({ kind: 'made', rendition: { type: 'image', facts: { duration: 0.6 } } });
    expect(await inspected({ ...IMAGE, file: media.photo })).toMatchObject({ duration: null, fileDescription: { duration: null } });
  });

  it('fetches only parts of a large film, whose index is at its end', async () => {
    const file = await aFilm('large.mov', 'testsrc2=s=640x360:r=25:d=7', '-c:v', 'rawvideo', '-pix_fmt', 'uyvy422');
    const item = await inspected({ file, fileExtension: 'mov' });
    const { id, mediaContainerId, s3Key, fileSize, fileDescription } = item;
    expect(fileSize).toBeGreaterThan(67_108_864);
    expect(fileDescription).toMatchObject({ problem: null, width: 640, height: 360, duration: expect.closeTo(7, 1), codec: 'rawvideo' });
    expect(fileDescription).not.toHaveProperty('times');
    const items = stage.context.get(Database).repository(MediaItem);
    const timesOf = async () => (await items.findOneByOrFail({ id })).fileDescription?.times;
    await items.update({ id }, { duration: 3_600 }); // what a header might state
    // Times of an object that was replaced in the meantime.
    await stage.context
      .get(FileDescriptionsRepository)
      .complete({ ...item, etag: 'older' }, { times: [{ index: 0, start: 1, end: 2 }] }, 2);
    expect(await timesOf()).toBeUndefined();
    expect(await items.findOneByOrFail({ id })).toMatchObject({ duration: 3_600 });
    const { outcome } = await stage.run({ mediaContainerId, sourceMediaId: id, s3Key }, await stage.blueprint('video-poster'));
    expect(outcome.kind).toBe('made');
    expect(await timesOf()).toEqual([{ index: 0, start: 0, end: 7 }]);
    expect(await items.findOneByOrFail({ id })).toMatchObject({ duration: 7 });
  });

  it('finds the separator of a CSV, and refuses a document that only claims to be one', async () => {
    const csv = { type: 'document', fileExtension: 'csv' };
    const described = async (content: string) =>
      (await inspected({ ...csv, file: put(stage.folder, 'table.csv', content) })).fileDescription;
    expect(await described('a;b,c\n1;2,5\n')).toMatchObject({ problem: null, content: 'csv', separator: ';' });
    expect(await described('<html>a;b</html>')).toMatchObject({ problem: expect.stringContaining('a text in a markup language') });
  });

  it.each([
    ['shown.heic', 'image', 400, 300, 'heic'],
    ['shown.avif', 'image', 400, 300, 'avif'],
    ['shown.jp2', 'image', 400, 300, 'jp2'],
    ['shown.psd', 'image', 400, 300, 'psd'],
    ['shown.tif', 'image', 300, 400, 'tif'],
    ['shown.webp', 'image', 300, 400, 'webp'],
    ['shown.svg', 'image', 48, 24, 'svg'],
    ['shown.pdf', 'document', 612, 300, 'pdf'],
  ])('finds the size of %s as people see it', async (name, type, width, height, content) => {
    const file = path.join(stage.folder, name);
    const convert = async (...argv: string[]) => await run(stage.folder, 'convert', [media.plain, ...argv, file]);
    if (content === 'svg') put(stage.folder, name, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 24"/>');
    else if (content === 'pdf') put(stage.folder, name, turnedPdf(300, 612));
    else if (content === 'heic') await run(stage.folder, 'heif-enc', [media.plain, '-o', file]);
    else if (content === 'avif') await sharp(media.plain).avif().toFile(file);
    else await convert(...(content === 'tif' ? ['-orient', 'RightTop'] : []));
    if (content === 'webp') await run(stage.folder, 'exiftool', ['-q', '-overwrite_original', '-n', '-Orientation=8', file]);
    // The first bytes do not say whether a picture is turned.
    const item = await inspected({ file, type, fileExtension: content }, { width: 9, height: 9 });
    expect(item).toMatchObject({ width, height, fileDescription: { width, height, content, problem: null } });
    expect(item.fileDescription?.pages).toBe(content === 'pdf' ? 1 : undefined);
  });

  it.each(['jpg', 'png', 'webp', 'tif', 'avif', 'heic'])('finds the colour profile of a picture (%s)', async (extension) => {
    const fileOf = (type: string) => path.join(stage.folder, `profiled.${type}`);
    const file = fileOf(extension);
    await sharp(media.plain).withIccProfile('p3').toFile(fileOf('png'));
    if (extension === 'heic') await run(stage.folder, 'heif-enc', [fileOf('png'), '-o', file]);
    else if (extension !== 'png') await sharp(fileOf('png')).keepIccProfile().toFile(file);
    const { fileDescription } = await inspected({ ...IMAGE, file, fileExtension: extension });
    expect(fileDescription?.colorProfile).toEqual({ name: 'sP3C', colorSpace: 'RGB' });
  });

  it('describes a picture without a profile, or with one that is damaged, without a profile', async () => {
    expect((await inspected({ ...IMAGE, file: media.photo })).fileDescription).not.toHaveProperty('colorProfile');
    const jpeg = await sharp(media.plain).withIccProfile('p3').jpeg().toBuffer();
    jpeg.write('<b>!', jpeg.indexOf('RGB XYZ '));
    const { fileDescription } = await inspected({ ...IMAGE, file: put(stage.folder, 'damaged-profile.jpg', jpeg) });
    expect(fileDescription).toMatchObject({ problem: null, width: 400, height: 300, content: 'jpg' });
    expect(fileDescription).not.toHaveProperty('colorProfile');
  });

  it.each(['document-pdf', 'document-page'])('counts the pages of an office document with its first rendition (%s)', async (blueprint) => {
    const pages = ['One', 'Two', 'Three'].join('</w:t><w:br w:type="page"/><w:t>');
    const file = put(stage.folder, 'letter.docx', signedDocx('Ada', pages));
    const { fileDescription, ...item } = await inspected({ file, type: 'document', fileExtension: 'docx' });
    expect(fileDescription).not.toHaveProperty('pages');
    const placed = { mediaContainerId: item.mediaContainerId, sourceMediaId: item.id, s3Key: item.s3Key };
    expect((await stage.run(placed, await stage.blueprint(blueprint))).outcome.kind).toBe('made');
    const found = await stage.context.get(Database).repository(MediaItem).findOneByOrFail({ id: item.id });
    expect(found.fileDescription).toEqual({ ...fileDescription, pages: 3 });
    expect(found).toMatchObject({ width: null, height: null, duration: null });
  });

  it('finds the size of pictures as they are shown', async () => {
    const { width, height, fileDescription } = await inspected({ ...IMAGE, file: media.photo });
    expect([width, height, fileDescription?.content]).toEqual([600, 400, 'jpg']);
  });

  it.each([
    ['video', 'a text', 'not a film at all\n'.repeat(100)],
    ['audio', 'a PDF', '%PDF-1.7\n'],
    ['image', 'nothing but zeros', Buffer.alloc(1_000)],
  ])('describes why a file of the type %s cannot be read: it is %s', async (type, words, content) => {
    const file = put(stage.folder, 'unreadable', content);
    expect((await inspected({ file, type, fileExtension: 'x' })).fileDescription).toMatchObject({
      problem: expect.stringContaining(`it is ${words}`),
      media: null,
    });
  });
});
