import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { ToolboxService } from '../../src/modules/converter/tools/toolbox.service.js';
import { debianProgram } from '../support/debian-program.js';
import { useExecutionStage } from '../support/execution-stage.js';
import { put } from '../support/hostile-files.js';
import { drawMedia, type MediaFiles } from '../support/media-files.js';
import { readPixels } from '../support/pixels.js';
import { run } from '../support/run-invocation.js';

/** What isolates programs, and nothing that makes renditions. */
const ISOLATION = ['bwrap', 'prlimit', 'nice', 'choom', 'setpriv', 'true'];

const full = useExecutionStage();
const bare = useExecutionStage({ customer: 'Harbour & <Söhne>' });
let media: MediaFiles;
const images: Record<string, string> = {};

beforeAll(async () => {
  media = await drawMedia(full.folder);
  const draw = async (name: string, ...argv: string[]) => {
    images[name] = path.join(full.folder, name);
    await run(full.folder, 'convert', [...argv, images[name]]);
  };
  const halves = ['(', '-size', '300x101', 'xc:red', ')', '(', '-size', '300x100', 'xc:blue', ')', '-append'];
  await draw('still.gif', ...halves);
  await draw('animated.gif', '-delay', '10', '-size', '120x80', 'xc:red', 'xc:blue', '-loop', '0');
  await draw('animated.webp', '-delay', '10', '-size', '120x80', 'xc:red', 'xc:blue', '-loop', '0');
  await draw('picture.tif', ...halves, '-orient', 'RightTop');
  await draw('picture.avif', ...halves);
  await draw('cmyk.jpg', ...halves, '-colorspace', 'CMYK');
  await draw('deep.png', ...halves, '-depth', '16');
  await draw('clear.png', '-size', '90x60', 'xc:none');

  const bin = path.join(full.folder, 'bin');
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

/** The colours in the middle of the quarters. ffmpeg of Debian 12 does not read the AVIF of newer libraries, but sharp does. */
async function colorsOf(file: string): Promise<(readonly number[])[]> {
  const readable = file.endsWith('.avif') ? `${file}.png` : file;
  if (readable !== file) await sharp(file).toFile(readable);
  const pixels = await readPixels(readable);
  const [width, height] = [pixels.width, pixels.height];
  return [0.25, 0.75].flatMap((x) => [0.25, 0.75].map((y) => pixels.at(Math.floor(width * x), Math.floor(height * y))));
}

/** sharp converts the colours of print by a profile, ImageMagick by a formula. */
const near = (value: number, name: string) => (name.startsWith('cmyk') ? expect.any(Number) : expect.closeTo(value, -1.1));

describe('images on a machine without ImageMagick, ffmpeg and exiftool', () => {
  it.each([
    ['photo.jpg', 'image-thumbnail', {}],
    ['photo.jpg', 'jpeg', { parameters: { crop: '300x100', gravity: 'South', resize: '50x50^' } }],
    ['photo.jpg', 'png', { parameters: { resize: '77x', colors: 4 } }],
    ['photo.jpg', 'webp', {}],
    ['photo.jpg', 'avif', {}],
    ['still.gif', 'png', { filetype: 'gif', parameters: { resize: 'x40' } }],
    ['animated.gif', 'image-thumbnail', {}],
    ['animated.webp', 'webp', {}],
    ['picture.tif', 'image-thumbnail', {}],
    ['picture.tif', 'png', { filetype: 'tiff' }],
    ['picture.avif', 'jpeg', {}],
    ['cmyk.jpg', 'jpeg', {}],
    ['deep.png', 'png', {}],
    ['clear.png', 'jpeg', {}],
  ])('%s as %s %j is as large, as upright and as coloured as by ImageMagick', async (name, key, settings) => {
    const original = { file: images[name] ?? media.photo, type: 'image', fileExtension: path.extname(name).slice(1) };
    const [expected, made] = [
      await full.make(original, await full.blueprint(key, settings)),
      await bare.make(original, await bare.blueprint(key, settings)),
    ];
    expect(made.rendition).toMatchObject({ fileExtension: expected.rendition.fileExtension, facts: expected.rendition.facts });
    expect(made.source).toEqual(expected.source);
    const [one, other] = [await colorsOf(expected.file), await colorsOf(made.file)];
    expect(other).toEqual(one.map((color) => color.map((value) => near(value, name))));
  });

  it('have the customer and the service as XMP, and nothing of the camera', async () => {
    const { file } = await bare.make({ file: media.photo, type: 'image', fileExtension: 'jpg' }, await bare.blueprint('image-thumbnail'));
    const told = JSON.parse(await run(full.folder, 'exiftool', ['-json', '-G1', file]))[0];
    expect(told).toMatchObject({ 'XMP-photoshop:Source': 'Harbour & <Söhne>', 'XMP-xmp:CreatorTool': expect.stringMatching(/\S/) });
    expect(Object.keys(told).filter((tag) => /GPS|IFD0:Make|Orientation/.test(tag))).toEqual([]);
  });

  it('are not made of more pixels than ImageMagick takes, nor of a damaged file', async () => {
    const outcomeOf = async (file: string) =>
      (await bare.run(await bare.place({ file, type: 'image', fileExtension: 'png' }), await bare.blueprint('image-thumbnail'))).outcome;
    const bomb = path.join(full.folder, 'bomb.png');
    await run(full.folder, 'ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'color=black:s=16100x7000',
      '-frames:v',
      '1',
      '-pix_fmt',
      'monob',
      bomb,
    ]);
    expect(await outcomeOf(bomb)).toMatchObject({ kind: 'failed' });
    const whole = await readFile(images['deep.png'] ?? '');
    expect(await outcomeOf(put(full.folder, 'cut.png', whole.subarray(0, whole.length / 2)))).toMatchObject({ kind: 'failed' });
  });

  it('of other types wait for a machine with ImageMagick', async () => {
    const file = path.join(full.folder, 'picture.bmp');
    await run(full.folder, 'convert', [images['still.gif'] ?? '', `bmp:${file}`]);
    const { outcome } = await bare.run(await bare.place({ file, type: 'image', fileExtension: 'bmp' }), await bare.blueprint('jpeg'));
    expect(outcome).toEqual({ kind: 'elsewhere', program: 'convert' });
  });
});
