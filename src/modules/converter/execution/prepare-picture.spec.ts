import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { isRawHead, preparePicture, RAW } from './prepare-picture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'prepare-picture-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function prepare(content: Buffer): Promise<{ readonly type: string | null; readonly prepared: Buffer }> {
  const file = path.join(folder, 'input');
  await writeFile(file, content);
  return { type: await preparePicture(file), prepared: await readFile(file) };
}

const pixels = sharp({ create: { width: 6, height: 4, channels: 3, background: 'red' } });
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const brands = (...names: readonly string[]): Buffer =>
  Buffer.concat([
    hex(`000000${(12 + 4 * names.length).toString(16).padStart(2, '0')}`),
    Buffer.from(`ftyp${names[0]}\0\0\0\0${names.slice(1).join('')}`),
  ]);

interface Entry {
  readonly tag: number;
  readonly value: number;
}
/** A TIFF of directories in a row, each with these entries of type LONG, and `rest` behind them. */
function aTiff(directories: readonly (readonly Entry[])[], rest = Buffer.alloc(0)): Buffer {
  const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const uint16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
  const sizeOf = (entries: readonly Entry[]) => 6 + 12 * entries.length;
  let at = 8;
  const written = directories.map((entries, index) => {
    at += sizeOf(entries);
    const fields = entries.map(({ tag, value }) => Buffer.concat([uint16(tag), uint16(4), uint32(1), uint32(value)]));
    return Buffer.concat([uint16(entries.length), ...fields, uint32(index + 1 < directories.length ? at : 0)]);
  });
  return Buffer.concat([Buffer.from('II*\0'), uint32(8), ...written, rest]);
}

describe('the type of a picture', () => {
  it.each([
    ['jpeg', 'jpg'],
    ['png', 'png'],
    ['webp', 'webp'],
    ['tiff', 'tif'],
  ] as const)('of a %s is %s, and the file stays as it is', async (format, type) => {
    const content = await pixels.clone().toFormat(format).toBuffer();
    expect(await prepare(content)).toEqual({ type, prepared: content });
  });

  it('of a text is unknown', async () => expect((await prepare(Buffer.from('Harbour at dawn'))).type).toBeNull());

  it('of a raw photo without a JPEG in it is raw', async () => {
    const sensor = [{ tag: 262, value: 32_803 }];
    expect((await prepare(aTiff([sensor]))).type).toBe(RAW);
    const canon = brands('crx ', 'crx ', 'isom');
    expect([isRawHead(canon), (await prepare(canon)).type]).toEqual([true, RAW]);
  });
});

it('the picture of a raw photo is the largest JPEG in it, with the orientation of the photo', async () => {
  const [small, large] = await Promise.all([6, 60].map(async (side) => await pixels.clone().resize(side, side).jpeg().toBuffer()));
  if (!small || !large) throw new Error('There are two.');
  const preview = (value: number, bytes: number) => [
    { tag: 513, value },
    { tag: 514, value: bytes },
  ];
  const sensor = [
    { tag: 262, value: 32_803 },
    { tag: 274, value: 6 },
  ];
  const start = 8 + 3 * 6 + 12 * 6;
  const photo = aTiff([sensor, preview(start, small.length), preview(start + small.length, large.length)], Buffer.concat([small, large]));
  const { type, prepared } = await prepare(photo);
  expect([type, prepared.subarray(-large.length + 2).equals(large.subarray(2))]).toEqual(['jpg', true]);
  expect(await sharp(prepared).metadata()).toMatchObject({ width: 60, orientation: 6 });
});

it('the picture of a raw photo in boxes is the JPEG of a track of its, with the orientation of the photo', async () => {
  const jpeg = await pixels.clone().resize(60, 40).jpeg().toBuffer();
  const uint32 = (value: number) => hex(value.toString(16).padStart(8, '0'));
  const box = (type: string, ...content: readonly Buffer[]) => {
    const all = Buffer.concat(content);
    return Buffer.concat([uint32(all.length + 8), Buffer.from(type), all]);
  };
  const track = (start: number, bytes: number) =>
    box('trak', box('stsz', uint32(0), uint32(bytes), uint32(1)), box('co64', uint32(0), uint32(1), uint32(0), uint32(start)));
  const index = (start: number) =>
    box('moov', box('CMT1', aTiff([[{ tag: 274, value: 8 }]])), track(start, jpeg.length), track(start + jpeg.length, 4));
  const head = brands('crx ', 'crx ', 'isom');
  const start = head.length + index(0).length + 8;
  const { type, prepared } = await prepare(Buffer.concat([head, index(start), box('mdat', jpeg, uint32(1))]));
  expect(type).toBe('jpg');
  expect(await sharp(prepared).metadata()).toMatchObject({ width: 60, height: 40, orientation: 8 });
});

it('the picture of a TIFF whose first page is a reduced one is the full one', async () => {
  const page = (value: number) => [{ tag: 254, value }];
  const tiff = aTiff([page(1), page(4), page(0)]);
  const { type, prepared } = await prepare(tiff);
  expect([type, prepared.readUInt32LE(4)]).toEqual(['tif', 8 + 2 * 18]);
  expect(prepared.subarray(8).equals(tiff.subarray(8))).toBe(true);
});

it.each([
  [['avis', 'avif', 'mif1'], 'avis'],
  [['avif', 'mif1'], 'avif'],
  [['hevc', 'heic', 'mif1'], 'heic'],
])('the first brand of %j is that of a picture', async (names, type) => {
  const found = await prepare(Buffer.concat([brands(...names), Buffer.alloc(16)]));
  expect(found.type).toBe(type);
  expect(found.prepared.toString('latin1', 8, 12)).toBe(names[0] === 'avif' ? 'avif' : 'mif1');
});

it('the orientation of a PNG precedes its picture', async () => {
  const png = await pixels.clone().withMetadata({ orientation: 6 }).png().toBuffer();
  const start = png.indexOf('eXIf') - 4;
  const end = start + 12 + png.readUInt32BE(start);
  const behind = Buffer.concat([png.subarray(0, start), png.subarray(end, -12), png.subarray(start, end), png.subarray(-12)]);
  expect((await sharp(behind).metadata()).orientation).toBeUndefined();
  const { type, prepared } = await prepare(behind);
  expect([type, prepared.length]).toEqual(['png', png.length]);
  expect((await sharp(prepared).metadata()).orientation).toBe(6);
});
