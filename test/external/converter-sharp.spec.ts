import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { ToolboxService } from '../../src/modules/converter/tools/toolbox.service.js';
import type { FormatSettings } from '../../src/modules/formats/index.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { run } from '../support/converter/run-invocation.js';
import { debianProgram } from '../support/debian-program.js';
import { PROFILES } from '../support/media/color-profiles.js';
import { put } from '../support/media/hostile-files.js';
import { drawMedia, type MediaFiles } from '../support/media/media-files.js';
import { colorDifference } from '../support/media/pixels.js';

/** What isolates programs, and nothing that makes renditions. */
const ISOLATION = ['bwrap', 'prlimit', 'nice', 'choom', 'setpriv', 'true'];

const full = useExecutionStage();
const bare = useExecutionStage({ customer: 'Harbour & <Söhne>' });
let media: MediaFiles;

const fileOf = (name: string) => path.join(full.folder, name);
const convert = async (...argv: string[]) => await run(full.folder, 'convert', argv);
/** Draws an image of two halves, red above blue, 60 x 40. */
const HALVES = ['(', '-size', '60x20', 'xc:red', ')', '(', '-size', '60x20', 'xc:blue', ')', '-append'];
const turned = async (name: string, ...argv: string[]) => await convert(...HALVES, '-rotate', '270', '+repage', ...argv, fileOf(name));
const orient = async (name: string) =>
  await run(full.folder, 'exiftool', ['-q', '-m', '-overwrite_original', '-n', '-Orientation=6', '-GPSLatitude=51.9', fileOf(name)]);

beforeAll(async () => {
  media = await drawMedia(full.folder);
  for (const [name, profile] of Object.entries(PROFILES)) await writeFile(fileOf(`${name}.icc`), profile);
  const patch = sharp({ create: { width: 60, height: 40, channels: 3, background: '#28c828' } });
  await patch.clone().withIccProfile('p3').jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(fileOf('p3.jpg'));
  await patch.clone().withIccProfile('p3').avif({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(fileOf('p3.avif'));
  await patch.clone().withIccProfile('srgb').png().toFile(fileOf('srgb.png'));
  for (const name of ['srgb', 'cmyk'] as const) {
    const { icc } = await sharp(await patch.clone().withIccProfile(name).toColourspace(name).tiff().toBuffer()).metadata();
    await writeFile(fileOf(`${name}.icc`), icc ?? '');
  }
  const bin = fileOf('bin');
  mkdirSync(bin);
  for (const name of ISOLATION) symlinkSync(debianProgram(name), path.join(bin, name));
  const { PATH } = process.env;
  process.env.PATH = bin;
  try {
    expect(await bare.context.get(ToolboxService).programs()).toEqual(['sharp']);
  } finally {
    process.env.PATH = PATH;
  }
});
afterEach(() => expect([...full.leftovers(), ...bare.leftovers()]).toEqual([]));

type Stage = typeof full;
const original = (name: string) => ({ file: fileOf(name), type: 'image', fileExtension: path.extname(name).slice(1) });
const make = async (stage: Stage, name: string, key: string, settings: FormatSettings = {}) =>
  await stage.make(original(name), await stage.blueprint(key, settings));

/** The colour and opacity of a pixel as ImageMagick reads it, converted to sRGB by the profile of the file. */
async function colorAt(file: string, x: number, y: number): Promise<number[]> {
  // ImageMagick of Debian 12 does not read the profile and the transparency of AVIF.
  const readable = file.endsWith('.avif') ? `${file}.png` : file;
  if (readable !== file) await sharp(file).keepIccProfile().png().toFile(readable);
  const argv = [`${readable}[0]`, '-profile', fileOf('srgb.icc'), '-colorspace', 'sRGB', '-crop', `1x1+${x}+${y}`, '-depth', '8', 'rgba:-'];
  const pixel = `${readable}.pixel`;
  await convert(...argv.slice(0, -1), `rgba:${pixel}`);
  return [...(await readFile(pixel))];
}
const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];

describe('an image on a machine without ImageMagick, ffmpeg and exiftool', () => {
  it.each([
    ['photo.jpg', 'image-thumbnail', {}],
    ['photo.jpg', 'jpeg', { parameters: { crop: '300x100', gravity: 'South', resize: '50x50' } }],
    ['photo.jpg', 'png', { parameters: { resize: '77x', colors: 4 } }],
    ['photo.jpg', 'avif', {}],
    ['mark.png', 'webp', { filetype: 'gif' }],
    ['plain.png', 'png', { filetype: 'tiff', parameters: { depth: 16 } }],
  ] as [string, string, FormatSettings][])('%s as %s %j is the same as elsewhere', async (name, key, settings) => {
    const [one, other] = [await make(full, name, key, settings), await make(bare, name, key, settings)];
    expect(other.rendition).toMatchObject({ fileExtension: one.rendition.fileExtension, facts: one.rendition.facts });
    expect(other.source).toEqual(one.source);
    const pixels = async (file: string) => (await sharp(file).raw().toBuffer()).toString('base64');
    expect(await pixels(other.file)).toBe(await pixels(one.file));
  });

  it('has the customer and the service as XMP, and nothing of the camera', async () => {
    const { file } = await make(bare, 'photo.jpg', 'image-thumbnail');
    const told = JSON.parse(await run(full.folder, 'exiftool', ['-json', '-G1', file]))[0];
    expect(told).toMatchObject({ 'XMP-photoshop:Source': 'Harbour & <Söhne>', 'XMP-xmp:CreatorTool': expect.stringMatching(/\S/) });
    expect(Object.keys(told).filter((tag) => /GPS|IFD0:|Serial|Owner|Thumbnail|Orientation/.test(tag))).toEqual([]);
  });

  it.each([
    ['picture.bmp', 'convert'],
    ['picture.heic', 'heif-convert'],
  ])('%s waits for a machine with %s', async (name, program) => {
    if (name.endsWith('.bmp')) await convert(fileOf('srgb.png'), fileOf(name));
    else await run(full.folder, 'heif-enc', [fileOf('srgb.png'), '-o', fileOf(name)]);
    const { outcome } = await bare.run(await bare.place(original(name)), await bare.blueprint('jpeg'));
    expect(outcome).toEqual({ kind: 'elsewhere', program });
  });
});

describe('the colours of an image', () => {
  const drawn = ['-size', '60x40', 'xc:rgb(40,200,40)'];
  const SOURCES: Readonly<Record<string, readonly string[] | null>> = {
    'p3.jpg': null,
    'adobe.webp': [...drawn, '-profile', 'adobe.icc', '-quality', '100'],
    'prophoto16.tif': ['-size', '60x40', 'xc:rgb(120,140,110)', '-depth', '16', '-profile', 'prophoto.icc'],
    'adobe16.png': [...drawn, '-depth', '16', '-define', 'png:bit-depth=16', '-profile', 'adobe.icc'],
    'cmyk.jpg': ['-size', '60x40', 'xc:rgb(128,128,128)', '-profile', 'srgb.icc', '-profile', 'cmyk.icc', '-quality', '100'],
    'cmyk16.tif': ['-size', '60x40', 'xc:rgb(128,128,128)', '-profile', 'srgb.icc', '-profile', 'cmyk.icc', '-depth', '16'],
    'grey.jpg': ['-size', '60x40', 'xc:gray(100)', '-colorspace', 'Gray', '-profile', 'linearGrey.icc', '-quality', '100'],
    'grey16.png': ['-size', '60x40', 'xc:gray(39.3%)', '-colorspace', 'Gray', '-define', 'png:bit-depth=16', '-profile', 'linearGrey.icc'],
    'deep.png': [...drawn, '-depth', '16', '-define', 'png:bit-depth=16'],
  };

  it.each(Object.keys(SOURCES))('of %s are those of its profile, with that of sRGB', async (name) => {
    const argv = SOURCES[name];
    if (argv) await convert(...argv, fileOf(name));
    const expected = await colorAt(fileOf(name), 30, 20);
    for (const [key, settings] of [
      ['jpeg', { parameters: { resize: '30x' } }],
      ['png', {}],
      ['webp', { parameters: { define: 'webp:lossless=true' } }],
      ['png', { annotation: { text: '.', gravity: 'NorthWest', pointSize: 8 } }],
    ] as [string, FormatSettings][]) {
      const { file } = await make(full, name, key, settings);
      const seen = await colorAt(file, 15, 10);
      expect([key, seen, expected, colorDifference(seen, expected) <= 3]).toEqual([key, seen, expected, true]);
      expect((await run(full.folder, 'exiftool', ['-s3', '-ICC_Profile:ProfileDescription', file])).trim()).toMatch(/^sRGB/);
    }
  });

  it('stay with their profile if the format says so', async () => {
    const { file } = await make(full, 'p3.jpg', 'webp', { parameters: { profile: 'keep', define: 'webp:lossless=true' } });
    expect((await sharp(file).metadata()).icc).toEqual((await sharp(fileOf('p3.jpg')).metadata()).icc);
    expect(colorDifference(await colorAt(file, 30, 20), [40, 200, 40])).toBeLessThanOrEqual(3);
    const drawn = await make(full, 'p3.jpg', 'jpeg', { parameters: { profile: 'keep' }, annotation: { text: '.' } });
    expect((await sharp(drawn.file).metadata()).icc).toEqual((await sharp(fileOf('p3.jpg')).metadata()).icc);
    expect(colorDifference(await colorAt(drawn.file, 30, 10), [40, 200, 40])).toBeLessThanOrEqual(3);
  });

  it('of 16 bits stay finer than 8 bits if the format says so', async () => {
    await convert('-size', '10x2000', 'gradient:gray(50%)-gray(51%)', '-depth', '16', '-define', 'png:bit-depth=16', fileOf('fine.png'));
    const { file } = await make(full, 'fine.png', 'png', { parameters: { depth: 16 } });
    expect(Number(await run(full.folder, 'identify', ['-format', '%k', file]))).toBeGreaterThan(100);
  });
});

describe('transparency', () => {
  const CUT_OUT = ['-size', '60x40', 'xc:none', '-fill', '#28c828', '-draw', 'rectangle 30,0 59,39'];

  it.each(['png', 'avif', 'heic', 'webp', 'tif', 'psd'])(
    'of %s stays where the file type has it, else there is the background',
    async (type) => {
      const name = `cut-out.${type}`;
      await convert(...CUT_OUT, `PNG32:${fileOf('cut-out.png')}`);
      if (type === 'avif') await sharp(fileOf('cut-out.png')).avif({ quality: 90, chromaSubsampling: '4:4:4' }).toFile(fileOf(name));
      else if (type === 'heic') await run(full.folder, 'heif-enc', ['-L', fileOf('cut-out.png'), '-o', fileOf(name)]);
      else if (type !== 'png') await convert(...CUT_OUT, fileOf(name));
      const colors = async (key: string, settings: FormatSettings = {}) => {
        const { file } = await make(full, name, key, settings);
        return [await colorAt(file, 5, 20), await colorAt(file, 50, 20)];
      };
      const green = [40, 200, 40, 255].map((value) => expect.closeTo(value, -1.1));
      for (const key of ['webp', 'png', 'avif']) {
        const [clear, solid] = await colors(key);
        expect([key, clear?.[3], solid]).toEqual([key, 0, green]);
      }
      const white = [255, 255, 255, 255].map((value) => expect.closeTo(value, -1));
      expect(await colors('jpeg')).toEqual([white, green]);
      expect(await colors('jpeg', { parameters: { background: 'blue' } })).toEqual([
        [0, 0, 254, 255].map((value) => expect.closeTo(value, -1)),
        green,
      ]);
    },
  );
});

describe('orientation', () => {
  it.each(['webp', 'png', 'tif', 'jpg'])('of %s is applied once', async (type) => {
    const name = `lying.${type}`;
    if (type === 'tif') await turned(name, '-compress', 'JPEG', '-quality', '95', '-orient', 'RightTop');
    else {
      await turned(name, '-quality', '95');
      await orient(name);
    }
    for (const key of ['webp', 'jpeg'] as const) {
      const { file, rendition, source } = await make(full, name, key, {
        annotation: key === 'jpeg' ? { text: '.', pointSize: 8 } : undefined,
      });
      expect([source.facts, rendition.facts]).toMatchObject([
        { width: 60, height: 40 },
        { width: 60, height: 40 },
      ]);
      const near = (color: number[]) => color.map((value) => expect.closeTo(value, -1.4));
      expect([await colorAt(file, 5, 3), await colorAt(file, 5, 36)]).toEqual([near(RED), near(BLUE)]);
    }
  });

  it('of an HEIC is that of its image, whatever its EXIF data say', async () => {
    await turned('side.png');
    await orient('side.png');
    await run(full.folder, 'heif-enc', ['-q', '95', fileOf('side.png'), '-o', fileOf('side.heic')]);
    const { rendition, source } = await make(full, 'side.heic', 'jpeg');
    expect([source.facts, rendition.facts]).toMatchObject([
      { width: 40, height: 60, codec: 'hevc' },
      { width: 40, height: 60 },
    ]);
  });
});

describe('an animation', () => {
  beforeAll(async () => {
    const pictures = ['-size', '60x40', 'xc:none', 'xc:red', 'xc:blue'];
    await convert('-dispose', 'Background', '-delay', '20', ...pictures, '-loop', '3', fileOf('moving.gif'));
    await convert('-delay', '20', ...pictures, '-loop', '3', fileOf('moving.webp'));
    await run(full.folder, 'ffmpeg', ['-v', 'error', '-i', fileOf('moving.gif'), '-plays', '3', '-f', 'apng', fileOf('moving.png')]);
  });

  it.each(['moving.gif', 'moving.webp', 'moving.png'])('%s stays one, with its times and its transparency', async (name) => {
    for (const filetype of ['webp', 'gif']) {
      const { file, rendition } = await make(full, name, 'webp', { filetype, parameters: { resize: '30x', crop: '40x40' } });
      const { pages, delay, width, pageHeight, hasAlpha } = await sharp(file, { pages: -1 }).metadata();
      expect([filetype, pages, delay, width, pageHeight, hasAlpha]).toEqual([filetype, 3, [200, 200, 200], 30, 30, true]);
      expect(rendition.facts).toMatchObject({ width: 30, height: 30, duration: 0.6 });
      const last = await sharp(file, { page: 2 }).removeAlpha().raw().toBuffer();
      expect(colorDifference([...last.subarray(0, 3)], BLUE)).toBeLessThan(8);
    }
  });

  it('has a watermark on every picture, and is still where the file type has no animation', async () => {
    const { mediaContainerId } = await full.place({
      ...{ file: media.mark, type: 'image', fileExtension: 'png', container: { type: 'watermark', flag: 33 } },
    });
    const watermark = { mediaContainerId, gravity: 'NorthWest' as const, widthFactor: 50 };
    const { file } = await make(full, 'moving.gif', 'webp', { watermark });
    for (const page of [0, 1, 2]) {
      const pixels = await sharp(file, { page }).ensureAlpha().raw().toBuffer();
      expect([page, ...pixels.subarray(4 * (5 * 60 + 5), 4 * (5 * 60 + 5) + 4)].map((value) => Math.round(value / 20))).toEqual([
        ...[Math.round(page / 20), 13, 0, 0, 13],
      ]);
    }
    const still = await make(full, 'moving.png', 'png');
    expect((await sharp(still.file).metadata()).pages ?? 1).toBe(1);
  });
});

describe('a large image', () => {
  it('is converted in its shape up to the limit of pixels', async () => {
    await sharp({ create: { width: 16_382, height: 3_628, channels: 3, background: '#28c828' } })
      .jpeg()
      .toFile(fileOf('panorama.jpg'));
    const { rendition, source } = await make(full, 'panorama.jpg', 'jpeg', { annotation: { text: 'Harbour' } });
    expect([source.facts, rendition.facts]).toMatchObject([
      { width: 16_382, height: 3_628 },
      { width: 2_560, height: 567 },
    ]);
    expect((await make(bare, 'panorama.jpg', 'webp')).rendition.facts).toMatchObject({ width: 2_560, height: 567 });
  });

  it('beyond the limit fails with the limit as the reason', async () => {
    const head = Buffer.from('89504e470d0a1a0a0000000d49484452000088b8000075300100000000', 'hex'); // 35,000 x 30,000
    const outcome = await full.run(
      await full.place(original(path.basename(put(full.folder, 'bomb.png', head)))),
      await full.blueprint('webp'),
    );
    expect(outcome.outcome).toMatchObject({
      ...{ kind: 'failed', code: 'source_unreadable' },
      message: 'The picture has 1,050 million pixels; the limit is 256 million.',
    });
  });

  it('counts all pictures of an animation', async () => {
    await convert('-delay', '10', '-size', '20x20', 'xc:red', 'xc:green', 'xc:blue', fileOf('long.webp'));
    const webp = await readFile(fileOf('long.webp'));
    for (const at of [24, 27]) webp.writeUIntLE(9_999, at, 3); // the size of its canvas (RFC 9649, section 2.7)
    await writeFile(fileOf('long.webp'), webp);
    const { outcome } = await full.run(await full.place(original('long.webp')), await full.blueprint('webp'));
    const message = 'The image has 300 million pixels; the limit is 256 million.';
    expect(outcome).toEqual({ kind: 'failed', code: 'source_unreadable', message, log: null });
  });

  it('that ends too early fails', async () => {
    await convert('-size', '400x300', 'plasma:red-blue', '-depth', '16', fileOf('whole.png'));
    const whole = await readFile(fileOf('whole.png'));
    put(full.folder, 'cut.png', whole.subarray(0, whole.length / 2));
    const { outcome } = await bare.run(await bare.place(original('cut.png')), await bare.blueprint('image-thumbnail'));
    const message = 'The picture cannot be read because it is damaged. Upload it again.';
    expect(outcome).toMatchObject({ kind: 'failed', code: 'source_unreadable', message });
  });
});
