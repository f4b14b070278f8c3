import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAnimationLength } from './read-animation.js';

const lengthOf = async (type: string, content: Buffer): Promise<number | null> => {
  const read = async (position: number, length: number) =>
    position < 0 || position + length > content.length ? null : content.subarray(position, position + length);
  return await readAnimationLength({ size: content.length, read }, type);
};
const uint16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const uint32 = (value: number) => Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)]);
const littleEndian = (bytes: Buffer) => Buffer.from(bytes).reverse();

/** A GIF with a comment, a table of colours, and images of several blocks that are shown for these hundredths of a second. */
const gif = (...delays: number[]) =>
  Buffer.concat([
    ...[Buffer.from('GIF89a\x10\0\x10\0'), Buffer.from([0x91, 0, 0]), Buffer.alloc(12)],
    ...[Buffer.from([0x21, 0xfe, 2]), Buffer.from('hi\0')],
    ...delays.flatMap((delay) => [
      ...[Buffer.from([0x21, 0xf9, 4, 0]), littleEndian(uint16(delay)), Buffer.from([0, 0])],
      ...[Buffer.from([0x2c, 0, 0, 0, 0, 16, 0, 16, 0, 0x80]), Buffer.alloc(6), Buffer.from([2, 3, 1, 2, 3, 1, 0x2c, 0])],
    ]),
    Buffer.from([0x3b]),
  ]);

const webpChunk = (type: string, content: Buffer) =>
  Buffer.concat([Buffer.from(type), littleEndian(uint32(content.length)), content, Buffer.alloc(content.length % 2)]);
/** A WebP of images that are shown for these milliseconds. */
const webp = (...delays: number[]) => {
  const image = (delay: number) => Buffer.concat([Buffer.alloc(12), littleEndian(uint32(delay)).subarray(0, 3), Buffer.alloc(8)]);
  const header = webpChunk('VP8X', Buffer.from([0x02, 0, 0, 0, 15, 0, 0, 15, 0, 0]));
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), header, ...delays.map((delay) => webpChunk('ANMF', image(delay)))]);
};

const pngChunk = (type: string, content = Buffer.alloc(0)) =>
  Buffer.concat([uint32(content.length), Buffer.from(type), content, Buffer.alloc(4)]);
/** A PNG of images that are shown for these fractions of a second. */
const png = (...delays: (readonly [over: number, under: number])[]) =>
  Buffer.concat([
    ...[Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', Buffer.alloc(13)), pngChunk('acTL', Buffer.alloc(8))],
    ...delays.flatMap(([over, under]) => [
      pngChunk('fcTL', Buffer.concat([Buffer.alloc(20), uint16(over), uint16(under), Buffer.alloc(2)])),
      pngChunk('fdAT', Buffer.alloc(50)),
    ]),
    pngChunk('IEND'),
  ]);

const box = (type: string, ...content: Buffer[]) => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([uint32(bytes.length + 8), Buffer.from(type), bytes]);
};
/** A sequence of images with a clock of thousandths, which are shown for these ticks. */
const avif = (...ticks: number[]) => {
  const times = box('stts', uint32(0), uint32(ticks.length), ...ticks.map((count) => Buffer.concat([uint32(1), uint32(count)])));
  const kind = box('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(13));
  const media = box('mdia', kind, box('mdhd', Buffer.alloc(12), uint32(1_000), uint32(0)), box('minf', box('stbl', times)));
  return Buffer.concat([box('ftyp', Buffer.from('avis')), box('meta', uint32(0)), box('moov', box('trak', media)), box('mdat')]);
};

const ANIMATIONS: Readonly<Record<string, Buffer>> = {
  gif: gif(20, 20, 20),
  webp: webp(200, 200, 200),
  png: png([1, 5], [20, 100], [20, 0]),
  avif: avif(200, 100, 300),
};

describe('the length of an animation', () => {
  it.each(Object.entries(ANIMATIONS))('is the time that all its pictures are shown (%s)', async (type, content) => {
    expect(await lengthOf(type, content)).toBe(0.6);
  });

  it('takes a tenth of a second for a picture that states hardly any, as browsers do', async () => {
    expect(await lengthOf('gif', gif(0, 1, 2))).toBe(0.22);
    expect(await lengthOf('webp', webp(0, 10, 11))).toBe(0.211);
  });

  it.each([
    ['gif', gif(20)],
    ['gif', Buffer.from('GIF89a\x10\0\x10\0')],
    ['webp', webp(200)],
    ['webp', Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), webpChunk('VP8 ', Buffer.alloc(10))])],
    ['png', png([1, 5])],
    ['png', Buffer.concat([png().subarray(0, 33), pngChunk('IDAT', Buffer.alloc(9))])],
    ['avif', avif(200)],
    ['avif', Buffer.concat([box('ftyp', Buffer.from('avif')), box('meta', uint32(0)), box('mdat')])],
    ['jpg', Buffer.from('ffd8ffe0', 'hex')],
  ])('is null for a picture that stands still (%s)', async (type, content) => {
    expect(await lengthOf(type, content)).toBeNull();
  });

  it('is null, or that of some pictures, if the file is damaged', async () => {
    const place = fc.record({
      type: fc.constantFrom(...Object.keys(ANIMATIONS)),
      cut: fc.nat(400),
      bytes: fc.uint8Array({ maxLength: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(place, async ({ type, cut, bytes }) => {
        const whole = ANIMATIONS[type] ?? Buffer.alloc(0);
        const found = await lengthOf(type, Buffer.concat([whole.subarray(0, cut), Buffer.from(bytes), whole.subarray(cut + bytes.length)]));
        expect(found === null || found > 0).toBe(true);
      }),
      // A time scale of over a thousand million, in which the pictures take less than a microsecond.
      { examples: [[{ type: 'avif', cut: 96, bytes: Uint8Array.from([0, 0, 0, 0, 0, 72]) }]] },
    );
  });
});
