import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFilmHeader } from './film-header.js';

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};
/** A track header of version 0 with the matrix of a rotation. */
const trackHeader = (width: number, height: number, isTurned: boolean): Buffer => {
  const content = Buffer.alloc(84);
  content.writeInt32BE(isTurned ? 0 : 65_536, 40);
  content.writeInt32BE(isTurned ? 0 : 65_536, 56);
  content.writeUInt32BE(width * 65_536, 76);
  content.writeUInt32BE(height * 65_536, 80);
  return box('tkhd', content);
};
const track = (handler: string, header: Buffer, media: Buffer = Buffer.alloc(5_000)): Buffer =>
  box(
    'trak',
    header,
    box('mdia', box('hdlr', Buffer.concat([Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(12)])), box('minf', media)),
  );
/** The index of a track with the stored size of its pictures. */
const samples = (width: number, height: number): Buffer => {
  const content = Buffer.alloc(94);
  content.writeUInt32BE(86, 8);
  content.write('avc1', 12, 'latin1');
  content.writeUInt16BE(width, 40);
  content.writeUInt16BE(height, 42);
  return box('stbl', box('stsd', content));
};
const mp4 = (isTurned = false): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from('isomisom')),
    box('moov', box('mvhd', Buffer.alloc(100)), track('soun', trackHeader(0, 0, false)), track('vide', trackHeader(1_280, 720, isTurned))),
    box('mdat', Buffer.alloc(1_000)),
  ]);

const element = (id: number[], content: Buffer): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id), size, content]);
};
const uint = (id: number[], value: number): Buffer => element(id, Buffer.from([value >> 8, value & 0xff]));
const webm = (...video: Buffer[]): Buffer =>
  Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], Buffer.alloc(20)),
    Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), // a segment of unknown size
    element([0x16, 0x54, 0xae, 0x6b], element([0xae], element([0xe0], Buffer.concat([uint([0xb0], 720), uint([0xba], 576), ...video])))),
  ]);

describe('the size of a film', () => {
  it('is that of the first picture track', () => {
    expect(readFilmHeader(mp4())).toEqual({ width: 1_280, height: 720 });
    expect(readFilmHeader(webm())).toEqual({ width: 720, height: 576 });
  });

  it('is upright, and has the shape of its pixels', () => {
    expect(readFilmHeader(mp4(true))).toEqual({ width: 720, height: 1_280 });
    expect(readFilmHeader(webm(uint([0x54, 0xb0], 1_024), uint([0x54, 0xba], 576)))).toEqual({ width: 1_024, height: 576 });
  });

  it('is enlarged on one side for square pixels, as players do', () => {
    const narrow = (isTurned: boolean) => box('moov', track('vide', trackHeader(640, 480, isTurned), samples(720, 480)));
    expect([false, true].map((isTurned) => readFilmHeader(narrow(isTurned)))).toEqual([
      { width: 720, height: 540 },
      { width: 540, height: 720 },
    ]);
    const wide = box('moov', track('vide', trackHeader(1_024, 576, false), samples(720, 576)));
    expect(readFilmHeader(wide)).toEqual({ width: 1_024, height: 576 });
    const ratio = [uint([0x54, 0xb0], 16), uint([0x54, 0xba], 9)];
    expect(readFilmHeader(webm(uint([0x54, 0xb0], 720), uint([0x54, 0xba], 432)))).toEqual({ width: 960, height: 576 });
    expect(readFilmHeader(webm(...ratio, uint([0x54, 0xb2], 3)))).toEqual({ width: 1_024, height: 576 });
    expect(readFilmHeader(webm(...ratio, uint([0x54, 0xb2], 4)))).toEqual({ width: 720, height: 576 });
  });

  it('is known although the index is cut off behind it', () => {
    const cut = mp4().subarray(0, mp4().lastIndexOf('minf') + 100);
    expect(readFilmHeader(cut)).toEqual({ width: 1_280, height: 720 });
  });

  it('is unknown in any other file', () => {
    expect(readFilmHeader(Buffer.from('%PDF-1.7 and some more text of it'))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 200 }), fc.nat(300), (bytes, place) => {
        const damaged = Buffer.concat([mp4().subarray(0, place), Buffer.from(bytes)]);
        for (const file of [damaged, Buffer.concat([webm().subarray(0, place), Buffer.from(bytes)]), Buffer.from(bytes)]) {
          const found = readFilmHeader(file);
          if (found) expect(Math.min(found.width, found.height)).toBeGreaterThan(0);
        }
      }),
    );
  });
});
