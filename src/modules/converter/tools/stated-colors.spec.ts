import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const require = createRequire(import.meta.url);
const { readStatedColors } = require('./stated-colors.cjs') as { readStatedColors: (file: string, type: string) => object | null };
const { toStandardColors } = require('./standard-colors.cjs') as {
  toStandardColors: (
    pixels: Uint8Array | Uint16Array,
    how: { channels: number; colors: { primaries: unknown; transfer: unknown }; deep?: boolean },
  ) => Uint8Array | Uint16Array;
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stated-colors-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

const uint32 = (...numbers: readonly number[]): Buffer =>
  Buffer.concat(numbers.map((number) => Buffer.from(number.toString(16).padStart(8, '0'), 'hex')));
const chunk = (type: string, content: Buffer): Buffer => Buffer.concat([uint32(content.length), Buffer.from(type), content, uint32(0)]);
const box = (type: string, ...content: readonly Buffer[]): Buffer => {
  const all = Buffer.concat(content);
  return Buffer.concat([uint32(all.length + 8), Buffer.from(type), all]);
};
async function read(type: string, ...parts: readonly Buffer[]): Promise<object | null> {
  const file = path.join(folder, 'picture');
  await writeFile(file, Buffer.concat(parts));
  return readStatedColors(file, type);
}
const png = async (...chunks: readonly Buffer[]) => await read('png', Buffer.alloc(8), ...chunks, chunk('IDAT', Buffer.alloc(4)));

const P3 = uint32(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000);
const SRGB = uint32(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000);
const GAMMA = chunk('gAMA', uint32(45_455));

describe('the colours that a picture states', () => {
  it('are code points, which count more than a profile', async () => {
    expect(await png(chunk('cICP', Buffer.from([9, 16, 0, 1])))).toEqual({ primaries: 9, transfer: 16, overridesProfile: true });
    expect(await png(chunk('cICP', Buffer.from([1, 13, 0, 1])))).toBeNull();
  });

  it('are chromaticities with a gamma, unless there is a profile or they are those of sRGB', async () => {
    expect(await png(chunk('cHRM', P3), GAMMA)).toEqual({ primaries: [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06], transfer: 13 });
    expect(await png(chunk('cHRM', P3), GAMMA, chunk('iCCP', Buffer.alloc(1)))).toBeNull();
    expect(await png(chunk('cHRM', SRGB), GAMMA)).toBeNull();
    expect(await png(chunk('cHRM', uint32(...Array<number>(8).fill(0))), GAMMA)).toBeNull();
    expect(await png(chunk('cHRM', P3))).toBeNull();
  });

  it('are those of the main image of an HEIC or AVIF', async () => {
    const stated = (primaries: number) => box('colr', Buffer.from('nclx'), Buffer.from([0, primaries, 0, 13, 0, 6, 128]));
    const links = box('ipma', uint32(0, 2), Buffer.from([0, 1, 1, 1, 0, 2, 1, 2]));
    const properties = box('iprp', box('ipco', stated(9), stated(12)), links);
    const meta = box('meta', uint32(0), box('pitm', uint32(0), Buffer.from([0, 2])), properties);
    expect(await read('heif', meta)).toEqual({ primaries: 12, transfer: 13 });
    expect(await read('heif', meta.subarray(0, 40))).toBeNull();
  });

  it('are none in other types', async () => expect(await read('jpeg', chunk('cICP', Buffer.from([9, 16, 0, 1])))).toBeNull());
});

describe('pixels in stated colours', () => {
  const P3_COLORS = { primaries: 12, transfer: 13 };

  it('become those of sRGB, and keep their transparency', () => {
    const pixels = Uint8Array.from([220, 40, 40, 77, 128, 128, 128, 255]);
    const converted = [...toStandardColors(pixels, { channels: 4, colors: P3_COLORS })];
    const shown = [241, 0, 23, 77, 128, 128, 128, 255]; // by Chromium
    expect(converted.map((value, index) => Math.abs(value - (shown[index] ?? 0)) <= (index < 3 ? 3 : 0))).toEqual(Array(8).fill(true));
  });

  it('keep 16 bits if these are wanted', () => {
    const pixels = Uint16Array.from([32_896, 32_896, 32_896]);
    const [red = 0] = toStandardColors(pixels, { channels: 3, colors: P3_COLORS, deep: true });
    expect(Math.abs(red - 32_896)).toBeLessThan(40);
    expect([...toStandardColors(pixels, { channels: 3, colors: P3_COLORS })]).toEqual([128, 128, 128]);
  });

  it('of high dynamic range stay in order and below white', () => {
    const light = [0, 100, 150, 200, 255].map(
      (value) => toStandardColors(Uint8Array.of(value, value, value), { channels: 3, colors: { primaries: 9, transfer: 16 } })[0] ?? 0,
    );
    expect(light).toEqual([...light].sort((one, other) => one - other));
    expect([light[0], light[4]]).toEqual([0, 255]);
  });
});
