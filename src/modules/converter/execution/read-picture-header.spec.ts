import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectImageType } from '../../../shared/picture-header.js';
import { IMAGE_FACTS } from './parse-probe.js';
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

describe('the header of a picture', () => {
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
    ['of another type', Buffer.from('GIF89a\x10\0\x10\0')],
    ['that ends before its size', jpeg().subarray(0, 10)],
    ['whose size comes after more than is read', jpeg(PROFILE, PROFILE, PROFILE, frame(40, 30))],
    ['of a JPEG that begins with its size', jpeg(frame(40, 30))],
    ['of a JPEG without one', jpeg(segment(0xda, Buffer.alloc(200)))],
    ['of a PNG that begins with something else', png(40, 30, 'IDAT')],
    ['of a WebP of no kind that is known', webp(40, 30, 'VP9 ')],
    ['without a width', png(0, 30)],
    ['of more pixels than may be', png(50_000, 50_000)],
    ['of more than a number holds', png(-1, -1)],
  ])('%s is left to ffprobe', async (_, content) => {
    expect(await read(content)).toBeNull();
  });
});
