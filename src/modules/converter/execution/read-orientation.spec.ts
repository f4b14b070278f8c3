import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readRotation } from './read-orientation.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'media-delivery-orientation-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** A TIFF of one directory, at its end as programs write it. */
function aTiff(orientation: number, { little = true, gap = 0 } = {}): Buffer {
  const uint16 = (value: number) => Buffer.from(little ? [value & 255, value >> 8] : [value >> 8, value & 255]);
  const uint32 = (value: number) => (little ? Buffer.concat([uint16(value), uint16(0)]) : Buffer.concat([uint16(0), uint16(value)]));
  const entry = (tag: number, value: number) => Buffer.concat([uint16(tag), uint16(3), uint32(1), uint16(value), uint16(0)]);
  const head = Buffer.concat([Buffer.from(little ? 'II' : 'MM'), uint16(42), uint32(8 + gap)]);
  return Buffer.concat([head, Buffer.alloc(gap), uint16(2), entry(0x100, 640), entry(0x112, orientation), uint32(0)]);
}

function aJpeg(...segments: readonly (readonly [marker: number, content: Buffer])[]): Buffer {
  const written = segments.map(([marker, content]) =>
    Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]),
  );
  return Buffer.concat([Buffer.from('ffd8', 'hex'), ...written, Buffer.from('ffda0002', 'hex'), Buffer.alloc(20)]);
}

const exif = (tiff: Buffer) => [0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff])] as const;

async function rotationOf(content: Buffer, type: string): Promise<number> {
  const name = path.join(folder, 'image');
  await writeFile(name, content);
  const file = await open(name);
  return await readRotation(file, type).finally(async () => await file.close());
}

it.each([
  [1, 0],
  [2, 0],
  [3, 180],
  [6, 90],
  [8, 270],
  [9, 0],
])('orientation %d is turned by %d degrees', async (orientation, degrees) => {
  for (const little of [true, false]) {
    expect(await rotationOf(aTiff(orientation, { little, gap: 3_000 }), 'tif')).toBe(degrees);
    const jfif = [0xe0, Buffer.alloc(14)] as const;
    expect(
      await rotationOf(aJpeg(jfif, [0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0')], exif(aTiff(orientation, { little }))), 'jpg'),
    ).toBe(degrees);
  }
});

it.each([
  ['without any', aJpeg()],
  ['that is cut off', aJpeg(exif(aTiff(6))).subarray(0, 30)],
  ['whose directory lies nowhere', aJpeg(exif(aTiff(6, { gap: 0 }).fill(0xff, 4, 8)))],
  ['of endless segments', Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(10_000, Buffer.from('ffe00002', 'hex'))])],
  ['of nothing', Buffer.alloc(0)],
])('an image %s is not turned', async (_, content) => {
  expect(await rotationOf(content, 'jpg')).toBe(0);
});
