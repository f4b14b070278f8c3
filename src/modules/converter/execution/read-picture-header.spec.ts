import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectImageType } from '../../../shared/picture-header.js';
import { IMAGE_FACTS } from '../../formats/index.js';
import { readPictureHeader } from './read-picture-header.js';

describe("an image's type", () => {
  it.each([
    ['ffd8ffe000104a46', 'jpg'],
    ['89504e470d0a1a0a', 'png'],
    ['524946461234567857454250', 'webp'],
    ['474946383961', 'gif'],
    ['49492a0008000000', 'tif'],
    ['000000186674797061766966', 'avif'],
    ['0000001866747970686569630000', 'heic'],
    ['000000186674797068656973', 'heic'],
    ['0000001c667479706d69663100000000617669666d696166', 'avif'],
    ['0000001c667479706d696631000000006d69616668656963', 'heic'],
    ['000000146674797069736f6d00000000', null],
    ['0000000c6a5020200d0a870a', 'jp2'],
  ])('%s is %s', (bytes, type) => {
    expect(detectImageType(Buffer.from(bytes, 'hex'))).toBe(type);
  });

  it.each(['<svg xmlns=', '%!PS-Adobe', 'push graphic-context', '<image>', '#EXTM3U', '', 'RIFFxxxxWAVE'])(
    '%s is not an image type',
    (text) => {
      expect(detectImageType(Buffer.from(text))).toBeNull();
    },
  );
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'picture-header-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = async (content: Buffer, demuxer: string | null = null) => {
  const file = path.join(folder, 'picture');
  writeFileSync(file, content);
  return await readPictureHeader(file, demuxer);
};
const uint16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const uint32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);

/** A segment of a JPEG (ITU T.81, B.1.1.4). */
const segment = (marker: number, content: Buffer) => Buffer.concat([Buffer.from([0xff, marker]), uint16(content.length + 2), content]);
const frame = (width: number, height: number) =>
  segment(0xc2, Buffer.concat([Buffer.from([8]), uint16(height), uint16(width), Buffer.from([1, 1, 0x11, 0])]));
const jpeg = (...segments: Buffer[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.alloc(64)]);
const JFIF = segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1'));
const PROFILE = segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0'), frame(7, 7), Buffer.alloc(60_000)]));

/** A PNG up to its first chunk (PNG, 5.2 and 11.2.2). */
const png = (width: number, height: number, chunk = 'IHDR') =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[uint32(13), Buffer.from(chunk), uint32(width), uint32(height), Buffer.alloc(9)],
  ]);

/** A WebP up to its header (RFC 9649, 2.7). */
const webp = (width: number, height: number, chunk = 'VP8X') => {
  const uint24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
  const size = Buffer.alloc(4);
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from(`WEBP${chunk}`), size, size, uint24(width - 1), uint24(height - 1)]);
};

/** A box (ISO/IEC 14496-12 section 4.2). */
const box = (type: string, ...content: Buffer[]) => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([uint32(bytes.length + 8), Buffer.from(type), bytes]);
};
const byte = (...values: number[]) => Buffer.from(values);
/** An HEIC of a tile, a thumbnail and a main image of 4000 x 3000 that is rotated and perhaps cut; its properties have the numbers 1 to 5. */
const heif = (brand: string, { main = 2, properties = [3, 4] }: { main?: number; properties?: readonly number[] }) => {
  const size = (width: number, height: number) => box('ispe', uint32(0), uint32(width), uint32(height));
  const clap = box('clap', ...[2_000, 1, 1_000, 1, 0, 1, 0, 1].map(uint32));
  const shared = box('ipco', size(512, 512), size(160, 120), size(4_000, 3_000), box('irot', byte(1)), clap);
  const link = (id: number, ...numbers: readonly number[]) => [uint16(id), byte(numbers.length, ...numbers.map((one) => one | 0x80))];
  const links = box('ipma', uint32(0), uint32(3), ...link(1, 1), ...link(3, 2), ...link(2, ...properties));
  const meta = box('meta', uint32(0), box('pitm', uint32(0), uint16(main)), box('iprp', shared, links));
  return Buffer.concat([box('ftyp', Buffer.from(brand), uint32(0), Buffer.from('mif1')), meta, box('mdat', Buffer.alloc(64))]);
};

describe('the header of a picture', () => {
  it.each([
    ['heic', 'hevc', heif('heic', {}), 3_000, 4_000],
    ['avif', 'av1', heif('avif', { properties: [3] }), 4_000, 3_000],
    ['heic that is cut', 'hevc', heif('heic', { properties: [3, 5, 4] }), 1_000, 2_000],
    ['psd', 'psd', Buffer.concat([Buffer.from('8BPS\0\x01'), Buffer.alloc(8), uint32(300), uint32(400)]), 400, 300],
    ['gif', 'gif', Buffer.from('GIF89a\x10\0\x20\0'), 16, 32],
    [
      'jp2',
      'jpeg2000',
      Buffer.concat([
        ...[Buffer.from('0000000c6a5020200d0a870a', 'hex'), box('ftyp', Buffer.from('jp2 '), uint32(0), Buffer.from('jp2 '))],
        box('jp2h', box('ihdr', uint32(300), uint32(400), Buffer.alloc(6))),
      ]),
      ...[400, 300],
    ],
  ] as [string, string, Buffer, number, number][])(
    'gives %s and the size that viewers show',
    async (_, videoCodec, content, width, height) => {
      expect(await read(content)).toMatchObject({ videoCodec, width, height, rotation: 0 });
    },
  );

  it.each([
    ['jpeg_pipe', 'mjpeg', jpeg(JFIF, frame(4_000, 3_000))],
    ['jpeg_pipe', 'mjpeg', jpeg(PROFILE, frame(4_000, 3_000))],
    ['png_pipe', 'png', png(4_000, 3_000)],
    ['webp_pipe', 'webp', webp(4_000, 3_000)],
  ])('gives %s and its size, as ffprobe does', async (demuxer, videoCodec, content) => {
    const expected = { ...IMAGE_FACTS, width: 4_000, height: 3_000, videoCodec };
    expect([await read(content), await read(content, demuxer)]).toEqual([expected, expected]);
    expect(await read(content, 'tiff_pipe')).toBeNull();
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['of another type', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavif')],
    ['that ends before its size', jpeg().subarray(0, 10)],
    ['whose size comes after more than is read', jpeg(PROFILE, PROFILE, PROFILE, frame(40, 30))],
    ['of a JPEG that begins with its size', jpeg(frame(40, 30))],
    ['of a JPEG without one', jpeg(segment(0xda, Buffer.alloc(200)))],
    ['of a PNG that begins with something else', png(40, 30, 'IDAT')],
    ['of a WebP of no kind that is known', webp(40, 30, 'VP9 ')],
    ['without a width', png(0, 30)],
    ['of an HEIC without a main image', heif('heic', { main: 9 })],
    ['of an HEIC that is cut off', heif('heic', {}).subarray(0, 150)],
    ['of a PSD that is cut off', Buffer.from('8BPS\0\x01')],
    ['of a TIFF whose directory lies nowhere', Buffer.from('II*\0\xff\xff\xff\xff', 'latin1')],
    ['of more than a number holds', png(-1, -1)],
  ])('%s is null', async (_, content) => {
    expect(await read(content)).toBeNull();
  });
});
