import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import sharp from 'sharp';

type Frames = AsyncIterable<Uint8Array> | readonly Uint8Array[];
interface Animation {
  readonly delays: readonly number[];
  readonly loop: number;
  readonly frames: Frames;
}
interface Chunk {
  readonly type: string;
  readonly content: Buffer;
}
interface Size {
  readonly width: number;
  readonly height: number;
}
const { readAnimation, upright, withChunk } = createRequire(import.meta.url)('./animation-frames.cjs') as {
  readAnimation: (source: { input: string; type: string }, tools: { sharp: typeof sharp; size: Size }) => Animation | null;
  upright: (animation: { frames: Frames }, size: Size, orientation?: number) => { readonly frames: Frames };
  withChunk: (png: Buffer, chunk: Chunk) => Buffer;
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'animation-frames-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** Picture after picture, as the names of the pixels' colours. */
async function namesOf(frames: Frames): Promise<string[]> {
  const pictures: string[] = [];
  for await (const pixels of frames)
    pictures.push(
      Array.from({ length: pixels.length / 4 }, (_, index) => NAMES.get(pixels.slice(4 * index, 4 * index + 4).join()) ?? '?').join(''),
    );
  return pictures;
}
const NAMES = new Map([
  ['0,0,0,0', '.'],
  ['255,0,0,255', 'r'],
  ['0,0,255,255', 'b'],
]);

const uint32 = (...numbers: readonly number[]): Buffer =>
  Buffer.concat(numbers.map((number) => Buffer.from([number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255])));
/** Where a picture is, for how many hundredths of a second, and what becomes of it. */
const control = ({ width = 2, height = 1, left = 0, hundredths = 10, dispose = 0 }): Chunk => ({
  type: 'fcTL',
  content: Buffer.concat([uint32(0, width, height, left, 0), Buffer.from([0, hundredths, 0, 100, dispose, 0])]),
});

async function aPicture(color: 'red' | 'blue', width: number): Promise<Buffer> {
  const png = await sharp({ create: { width, height: 1, channels: 4, background: color } })
    .png({ palette: false })
    .toBuffer();
  const start = png.indexOf('IDAT');
  return png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4));
}

/** Two red pixels, then a blue one to the right of what is left of them. */
async function anAnimation(dispose: number): Promise<string> {
  const first = await sharp({ create: { width: 2, height: 1, channels: 4, background: 'red' } })
    .png({ palette: false })
    .toBuffer();
  const second = { type: 'fdAT', content: Buffer.concat([uint32(0), await aPicture('blue', 1)]) };
  // The last one that is put behind the header comes first.
  const behind = Buffer.concat([
    first.subarray(0, -12),
    ...[control({ width: 1, left: 1, hundredths: 50 }), second].map(({ type, content }) =>
      Buffer.concat([uint32(content.length), Buffer.from(type), content, uint32(0)]),
    ),
    first.subarray(-12),
  ]);
  const file = path.join(folder, `animation-${dispose}.png`);
  const started = withChunk(behind, control({ dispose }));
  await writeFile(file, withChunk(started, { type: 'acTL', content: uint32(2, 3) }));
  return file;
}

it.each([
  ['stays', 0, ['rr', 'rb']],
  ['is cleared', 1, ['rr', '.b']],
])('a picture of an animated PNG is drawn on what the earlier one left, if that %s', async (_, dispose, pictures) => {
  const found = readAnimation({ input: await anAnimation(dispose), type: 'png' }, { sharp, size: { width: 2, height: 1 } });
  expect(found).toMatchObject({ delays: [100, 500], loop: 3 });
  expect(await namesOf(found?.frames ?? [])).toEqual(pictures);
});

it('a PNG of one picture is no animation', async () => {
  const file = path.join(folder, 'still.png');
  await sharp({ create: { width: 2, height: 1, channels: 4, background: 'red' } }).toFile(file);
  expect(readAnimation({ input: file, type: 'png' }, { sharp, size: { width: 2, height: 1 } })).toBeNull();
});

const letters = (text: string): Uint8Array => Uint8Array.from([...text].flatMap((one) => Array(4).fill(one.charCodeAt(0))));
async function turned(text: string, orientation: number | undefined): Promise<string[]> {
  const pictures: string[] = [];
  for await (const pixels of upright({ frames: [letters(text)] }, { width: 3, height: 2 }, orientation).frames)
    pictures.push(Array.from({ length: pixels.length / 4 }, (_, index) => String.fromCharCode(pixels[4 * index] ?? 0)).join(''));
  return pictures;
}

// The stored picture has the rows abc and def.
it.each([
  [undefined, 'abcdef'],
  [1, 'abcdef'],
  [2, 'cbafed'],
  [3, 'fedcba'],
  [4, 'defabc'],
  [5, 'adbecf'],
  [6, 'daebfc'],
  [7, 'fcebda'],
  [8, 'cfbead'],
])('the pictures of an animation of orientation %s are turned', async (orientation, pixels) => {
  expect(await turned('abcdef', orientation)).toEqual([pixels]);
});
