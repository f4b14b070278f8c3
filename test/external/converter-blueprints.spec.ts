import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';
import { drawMedia, type MediaFiles } from '../support/media/media-files.js';
import { readPixels } from '../support/media/pixels.js';

const stage = useExecutionStage({ customer: 'Harbour & Söhne "Film" 100%' });
let media: MediaFiles;
let document: string;
beforeAll(async () => {
  media = await drawMedia(stage.folder);
  document = path.join(stage.folder, 'letter.txt');
  await writeFile(document, 'Harbour at dawn');
});
afterEach(() => expect(stage.leftovers()).toEqual([]));

/** What mediainfo, which has nothing of ffmpeg's, says of a file. */
async function mediainfo(file: string, section: string, ...fields: string[]): Promise<string[]> {
  const template = `${section};${fields.map((field) => `%${field}%`).join('|')}`;
  return (await run(stage.folder, 'mediainfo', [`--Inform=${template}`, file])).trim().split('|');
}

describe('the blueprints of videos', () => {
  it.each([
    ['h264-1080p', 1280, 720, 'High'],
    ['h264-720p', 1280, 720, 'High'],
    ['h264-360p', 640, 360, 'High'],
    ['video-preview', 640, 360, 'Main'],
  ])('%s', async (key, width, height, profile) => {
    const { file, rendition, source, progress } = await stage.make({ file: media.video }, await stage.blueprint(key));
    expect(rendition).toMatchObject({ type: 'video', fileExtension: 'mp4', facts: { width, height, codec: 'h264' } });
    expect(rendition.facts.duration).toBeCloseTo(2, 1);
    expect(source.facts).toMatchObject({ width: 1280, height: 720, codec: 'h264' });
    expect(source.facts.duration).toBeCloseTo(2, 1);
    const [codec, theirs, wide, high, chroma] = await mediainfo(
      file,
      'Video',
      'Format',
      'Format_Profile',
      'Width',
      'Height',
      'ChromaSubsampling',
    );
    expect([codec, wide, high, chroma]).toEqual(['AVC', String(width), String(height), '4:2:0']);
    expect(theirs).toContain(profile);
    expect(await mediainfo(file, 'Audio', 'Format')).toEqual(['AAC']);
    expect((await mediainfo(file, 'General', 'IsStreamable', 'Title'))[0]).toBe('Yes');
    expect(progress.some((percent) => percent > 10 && percent < 90)).toBe(true);
  });

  it('video-poster', async () => {
    const { file, rendition } = await stage.make({ file: media.video }, await stage.blueprint('video-poster'));
    expect(rendition).toMatchObject({ type: 'image', facts: { width: 1280, height: 720, duration: null, codec: 'mjpeg' } });
    expect(await mediainfo(file, 'Image', 'Format', 'Width', 'Height')).toEqual(['JPEG', '1280', '720']);
  });

  it('technical-metadata', async () => {
    const { file, rendition, source } = await stage.make({ file: media.video }, await stage.blueprint('technical-metadata'));
    expect(rendition).toMatchObject({ type: 'video', fileExtension: 'json', facts: { width: null, codec: null } });
    const told = JSON.parse(await readFile(file, 'utf8'));
    expect(source).toEqual({ facts: { width: 1280, height: 720, duration: expect.closeTo(2, 1), codec: 'h264' }, technicalMetadata: told });
    expect(told).toMatchObject({ streams: [{ codec_name: 'h264' }, { codec_name: 'aac' }], format: { tags: { title: 'Harbour' } } });
    expect(JSON.stringify(told)).not.toContain('filename');
  });

  it('video-sound', async () => {
    const { file, rendition } = await stage.make({ file: media.video }, await stage.blueprint('video-sound'));
    expect(rendition).toMatchObject({ type: 'audio', fileExtension: 'm4a', facts: { width: null, codec: 'aac' } });
    expect(await mediainfo(file, 'General', 'VideoCount', 'AudioCount', 'Title')).toEqual(['', '1', '']);
  });

  it('storyboard: a tile for every ten seconds, the last picture where it has ended before the sound', async () => {
    const film = path.join(stage.folder, 'film.mp4');
    const color = (name: string, seconds: number) => ['-f', 'lavfi', '-i', `color=c=${name}:s=320x180:r=5:d=${seconds}`];
    await run(stage.folder, 'ffmpeg', [
      ...['-v', 'error', ...color('red', 10), ...color('blue', 10), '-f', 'lavfi', '-i', 'sine=d=34'],
      ...['-filter_complex', '[0][1]concat=n=2[film]', '-map', '[film]', '-map', '2', '-preset', 'ultrafast', film],
    ]);
    const { file, rendition } = await stage.make({ file: film }, await stage.blueprint('storyboard'));
    expect(rendition).toMatchObject({
      ...{ type: 'image', fileExtension: 'jpg', facts: { width: 640, height: 90 } },
      storyboard: { intervalSeconds: 10, pictures: 4, columns: 4, rows: 1 },
    });
    const pixels = await readPixels(file);
    const [red, blue] = [
      [254, 0, 0],
      [0, 0, 254],
    ].map((color) => color.map((value) => expect.closeTo(value, -1)));
    expect([80, 240, 400, 560].map((x) => pixels.at(x, 45))).toEqual([red, blue, blue, blue]);
  });

  it('storyboard of a film that a phone has turned', async () => {
    const turned = path.join(stage.folder, 'turned.mp4');
    await run(stage.folder, 'ffmpeg', ['-v', 'error', '-i', media.grey, '-c', 'copy', '-metadata:s:v', 'rotate=90', turned]);
    const { rendition } = await stage.make({ file: turned }, await stage.blueprint('storyboard'));
    expect(rendition).toMatchObject({
      ...{ facts: { width: 90, height: 160 }, storyboard: { intervalSeconds: 10, pictures: 1, columns: 1, rows: 1 } },
    });
  });

  it('a test makes the first seconds only', async () => {
    const format = await stage.blueprint('h264-360p', { testMode: { seconds: 1 } });
    const { file, rendition } = await stage.make({ file: media.video }, format);
    expect(rendition.test).toBe(true);
    expect(Number((await mediainfo(file, 'Video', 'Duration'))[0])).toBeCloseTo(1_000, -2);
  });
});

describe('the blueprints of audio', () => {
  it.each([
    ['mp3', 'MPEG Audio', 'mp3', 'mp3'],
    ['aac', 'AAC', 'aac', 'm4a'],
    ['opus', 'Opus', 'opus', 'opus'],
    ['audio-preview', 'MPEG Audio', 'mp3', 'mp3'],
  ])('%s', async (key, format, codec, fileExtension) => {
    const { file, rendition } = await stage.make({ file: media.silence, type: 'audio', fileExtension: 'wav' }, await stage.blueprint(key));
    expect(rendition).toMatchObject({ type: 'audio', fileExtension, facts: { width: null, codec } });
    expect(rendition.facts.duration).toBeCloseTo(6, 0);
    expect(await mediainfo(file, 'Audio', 'Format')).toEqual([format]);
  });

  it('waveform: a curve as high as the sound is loud, on a transparent ground', async () => {
    const sound = path.join(stage.folder, 'louder.wav');
    await run(stage.folder, 'ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'sine=d=4',
      '-af',
      "volume='if(lt(t,2),0,1)':eval=frame",
      sound,
    ]);
    const { file, rendition } = await stage.make({ file: sound, type: 'audio', fileExtension: 'wav' }, await stage.blueprint('waveform'));
    expect(rendition).toMatchObject({ type: 'image', fileExtension: 'png', facts: { width: 1280, height: 320 }, storyboard: null });
    const pixel = async (x: number, y: number) =>
      (await run(stage.folder, 'convert', [file, '-format', `%[pixel:p{${x},${y}}]`, 'info:'])).trim();
    expect(await pixel(960, 160)).toMatch(/^srgba\(59,130,246,1\)$/);
    expect(await pixel(960, 5)).toMatch(/^srgba\(0,0,0,0\)$|^none$/);
    expect(await pixel(320, 120)).toMatch(/^srgba\(0,0,0,0\)$|^none$/);
  });

  it('mp3 of a video is audio', async () => {
    const format = await stage.blueprint('mp3', { mediaTypes: ['audio', 'video'] });
    expect((await stage.make({ file: media.video }, format)).rendition).toMatchObject({
      type: 'audio',
      facts: { width: null, codec: 'mp3' },
    });
  });
});

describe('the blueprints of images', () => {
  it.each([
    ['jpeg', 'jpg', 'JPEG', 'mjpeg'],
    ['png', 'png', 'PNG', 'png'],
    ['webp', 'webp', 'WebP', 'webp'],
    ['avif', 'avif', 'av01', 'av1'],
    ['image-thumbnail', 'jpg', 'JPEG', 'mjpeg'],
  ])('%s', async (key, fileExtension, format, codec) => {
    const { file, rendition, source } = await stage.make(
      { file: media.photo, type: 'image', fileExtension: 'jpg' },
      await stage.blueprint(key),
    );
    const [width, height] = key === 'image-thumbnail' ? [400, 267] : [600, 400];
    expect(rendition).toMatchObject({ type: 'image', fileExtension, facts: { width, height, duration: null, codec } });
    expect(source.facts).toEqual({ width: 600, height: 400, duration: null, codec: 'mjpeg' });
    expect(await mediainfo(file, 'Image', 'Format')).toEqual([format]);
    // ffmpeg of Debian 12 does not read the AVIF of newer libraries.
    const readable = key === 'avif' ? `${file}.png` : file;
    if (readable !== file) await sharp(file).toFile(readable);
    const pixels = await readPixels(readable);
    expect(pixels.at(100, 10)).toEqual([expect.closeTo(254, -1), expect.closeTo(0, -1), expect.closeTo(0, -1)]);
  });

  it('contain the metadata of the platform and of the media, without earlier metadata', async () => {
    const metadata = [{ metaTitle: 'Headline' }, { metaTitle: 'tags' }, { metaTitle: 'license' }];
    const container = {
      tags: ['ships', 'Söhne, 100%\n"x"'],
      license: { name: 'CC', usageTerms: 'No <b>sale</b> & $(id)' },
      metadata: [{ title: 'Headline', content: 'Dawn %w @file\n"quoted"' }],
    };
    const original = { file: media.photo, type: 'image', fileExtension: 'jpg', container };
    const { file } = await stage.make(original, await stage.blueprint('jpeg', { metadata }));
    const told = await run(stage.folder, 'exiv2', ['-PIXkv', file]);
    expect(told).toMatch(/Iptc.Application2.Source\s+Harbour & Söhne "Film" 100%/);
    expect(told).toMatch(/Xmp.photoshop.Source\s+Harbour & Söhne "Film" 100%/);
    expect(told).toMatch(/Xmp.xmp.CreatorTool\s+\S/);
    expect(told).toMatch(/Iptc.Application2.Headline\s+Dawn %w @file/);
    expect(told).toMatch(/Iptc.Application2.Keywords\s+ships/);
    expect(told).toMatch(/Xmp.xmpRights.UsageTerms\s+lang="x-default" .*No <b>sale<\/b> & \$\(id\)/);
    expect(await run(stage.folder, 'exiv2', ['-PEkv', file]).catch(() => '')).not.toMatch(/GPS|Make/);
  });
});

describe('the blueprints of documents', () => {
  it('document-pdf', async () => {
    const original = { file: document, type: 'document', fileExtension: 'txt' };
    const { file, rendition } = await stage.make(original, await stage.blueprint('document-pdf'));
    expect(rendition).toMatchObject({ type: 'document', fileExtension: 'pdf', facts: { width: null, codec: null } });
    expect(await run(stage.folder, 'pdfinfo', [file])).toMatch(/Pages:\s+1\n/);
    const again = await stage.make({ ...original, file, fileExtension: 'pdf' }, await stage.blueprint('document-pdf'));
    expect((await readFile(again.file)).equals(await readFile(file))).toBe(true);
  });

  it('document-page', async () => {
    const original = { file: document, type: 'document', fileExtension: 'txt' };
    const { file, rendition } = await stage.make(original, await stage.blueprint('document-page'));
    expect(rendition).toMatchObject({ type: 'image', fileExtension: 'jpg', facts: { codec: 'mjpeg' } });
    const pixels = await readPixels(file);
    expect([pixels.width, pixels.height]).toEqual([rendition.facts.width, rendition.facts.height]);
  });
});
