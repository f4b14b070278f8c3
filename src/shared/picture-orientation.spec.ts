import { crc32 } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { readRotation, readTiffSize } from './picture-orientation.js';

/** A TIFF of one directory, at its end as programs write it. */
function aTiff(orientation: number, { little = true, gap = 0 } = {}): Buffer {
  const uint16 = (value: number) => Buffer.from(little ? [value & 255, value >> 8] : [value >> 8, value & 255]);
  const long = (value: number) => (little ? Buffer.concat([uint16(value), uint16(0)]) : Buffer.concat([uint16(0), uint16(value)]));
  const entry = (tag: number, value: number) => Buffer.concat([uint16(tag), uint16(3), long(1), uint16(value), uint16(0)]);
  const head = Buffer.concat([Buffer.from(little ? 'II' : 'MM'), uint16(42), long(8 + gap)]);
  return Buffer.concat([head, Buffer.alloc(gap), uint16(3), entry(0x100, 640), entry(0x101, 480), entry(0x112, orientation), long(0)]);
}

function aJpeg(...segments: readonly (readonly [marker: number, content: Buffer])[]): Buffer {
  const written = segments.map(([marker, content]) =>
    Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]),
  );
  return Buffer.concat([Buffer.from('ffd8', 'hex'), ...written, Buffer.from('ffda0002', 'hex'), Buffer.alloc(20)]);
}

const exif = (tiff: Buffer) => [0xe1, Buffer.concat([Buffer.from('Exif\0\0'), tiff])] as const;

const pictureOf = (content: Buffer) => ({
  size: content.length,
  read: async (position: number, length: number) =>
    position + length <= content.length ? content.subarray(position, position + length) : null,
});
const rotationOf = async (content: Buffer, type: string): Promise<number> => await readRotation(pictureOf(content), type);

const uint32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
function aPng(...chunks: readonly (readonly [type: string, content: Buffer])[]): Buffer {
  const written = chunks.map(([type, content]) => {
    const checked = Buffer.concat([Buffer.from(type), content]);
    return Buffer.concat([uint32(content.length), checked, uint32(crc32(checked))]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...written]);
}

function aWebp(...chunks: readonly (readonly [type: string, content: Buffer])[]): Buffer {
  const written = chunks.map(([type, content]) =>
    Buffer.concat([Buffer.from(type), uint32(content.length).reverse(), content, Buffer.alloc(content.length % 2)]),
  );
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), ...written]);
}
const VP8X = ['VP8X', Buffer.from([0x08, ...Array(9).fill(0)])] as const;

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
    const tiff = aTiff(orientation, { little });
    const pixels = ['IDAT', Buffer.alloc(100_000)] as const;
    expect(await rotationOf(aPng(['IHDR', Buffer.alloc(13)], ['eXIf', tiff], pixels), 'png')).toBe(degrees);
    expect(await rotationOf(aPng(['IHDR', Buffer.alloc(13)], pixels, ['eXIf', tiff], ['IEND', Buffer.alloc(0)]), 'png')).toBe(degrees);
    const frames = Array.from({ length: 300 }, () => ['ANMF', Buffer.alloc(3)] as const);
    expect(await rotationOf(aWebp(VP8X, ['ICCP', Buffer.alloc(101)], ...frames, ['EXIF', tiff]), 'webp')).toBe(degrees);
    expect(await rotationOf(aWebp(VP8X, ['EXIF', Buffer.concat([Buffer.from('Exif\0\0'), tiff])]), 'webp')).toBe(degrees);
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

it.each([
  ['a PNG whose picture only looks like EXIF data', 'png', aPng(['IDAT', Buffer.concat([Buffer.from('\0\0\0\x1aeXIf'), aTiff(6)])])],
  ['a PNG of endless chunks', 'png', aPng(...Array.from({ length: 5_000 }, () => ['tEXt', Buffer.alloc(0)] as const))],
  [
    'a PNG that claims a chunk as long as no file',
    'png',
    aPng(['eXIf', aTiff(6)])
      .fill(0xff, 8, 12)
      .fill(0, 12, 16),
  ],
  ['a WebP without the sign of EXIF data', 'webp', aWebp(['VP8X', Buffer.alloc(10)], ['EXIF', aTiff(6)])],
  ['a WebP whose chunk is longer than the file', 'webp', aWebp(VP8X, ['ICCP', Buffer.alloc(2)]).fill(0xff, 34, 38)],
  ['another type', 'gif', aTiff(6)],
])('%s is not turned', async (_, type, content) => {
  expect(await rotationOf(content, type)).toBe(0);
});

it('the size of a TIFF is in its directory, wherever that is', async () => {
  const size = async (content: Buffer) => await readTiffSize(pictureOf(content));
  for (const little of [true, false]) expect(await size(aTiff(6, { little, gap: 30_000 }))).toEqual({ width: 640, height: 480 });
  expect(await size(aTiff(6).subarray(0, 20))).toBeNull();
  expect(await size(Buffer.from('II*\0\xff\xff\xff\xff', 'latin1'))).toBeNull();
});
