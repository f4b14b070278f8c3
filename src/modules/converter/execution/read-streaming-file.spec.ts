import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ByteSource, MalformedFile } from './mp4-boxes.js';
import { measureBandwidth, readStreamingFile } from './read-streaming-file.js';

const u32 = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

const AVC = box('avc1', Buffer.alloc(78), box('avcC', Buffer.from([1, 0x64, 0, 0x1f])));
/** An elementary stream whose lengths take four bytes, as ffmpeg writes them: AAC-LC. */
const AAC = box(
  'mp4a',
  Buffer.alloc(28),
  box('esds', u32(0), '\x03\x80\x80\x80\x22\0\0\0\x04\x80\x80\x80\x14\x40', Buffer.alloc(12), '\x05\x80\x80\x80\x02\x11\x90'),
);

interface TrackKind {
  readonly id: number;
  readonly kind: 'vide' | 'soun';
  readonly timescale: number;
  readonly entry: Buffer;
}
const PICTURE: TrackKind = { id: 1, kind: 'vide', timescale: 12_800, entry: AVC };
const SOUND: TrackKind = { id: 2, kind: 'soun', timescale: 48_000, entry: AAC };

const trak = ({ id, kind, timescale, entry }: TrackKind) =>
  box(
    'trak',
    box('tkhd', u32(0, 0, 0, id)),
    box(
      'mdia',
      box('mdhd', u32(0, 0, 0, timescale, 0)),
      box('hdlr', u32(0, 0), kind),
      box('minf', box('stbl', box('stsd', u32(0, 1), entry))),
    ),
  );
const header = (...tracks: TrackKind[]) =>
  Buffer.concat([
    box('ftyp', 'cmfc', u32(0)),
    box('moov', ...tracks.map(trak), box('mvex', ...tracks.map(({ id }) => box('trex', u32(0, id, 1, 512, 0, 0))))),
  ]);

/** A part of a fragment: samples of the default duration, or of the ones given; `flags` of the first one. */
const traf = (id: number, time: number, samples: number, durations: readonly number[] = [], flags?: number) => {
  const fields = (durations.length > 0 ? 0x100 : 0) + (flags === undefined ? 0 : 0x4);
  const trun = u32(fields, samples, ...(flags === undefined ? [] : [flags]), ...durations);
  return box('traf', box('tfhd', u32(0x020000, id)), box('tfdt', u32(0x01000000, 0, time)), box('trun', trun));
};
const fragment = (bytes: number, ...parts: Buffer[]) => Buffer.concat([box('moof', ...parts), box('mdat', Buffer.alloc(bytes))]);

/** Counts what is read, and fails outside of the file. */
function sourceOf(bytes: Buffer): ByteSource & { readBytes: number } {
  const source = {
    readBytes: 0,
    size: bytes.length,
    read: async (position: number, length: number): Promise<Buffer> => {
      if (position < 0 || length < 0 || position + length > bytes.length) throw new Error(`It read ${length} bytes at ${position}.`);
      source.readBytes += length;
      return bytes.subarray(position, position + length);
    },
  };
  return source;
}

const HEADER = header(SOUND, PICTURE);
const FIRST = fragment(50_000, traf(2, 0, 188, Array(188).fill(1_024)), traf(1, 0, 100));
const SECOND = fragment(30_000, traf(1, 51_200, 50), traf(2, 192_512, 94, Array(94).fill(1_024)));
const FILM = Buffer.concat([HEADER, box('sidx', Buffer.alloc(40)), FIRST, SECOND, box('mfra', Buffer.alloc(20))]);

describe('a fragmented MP4', () => {
  it('tells where its segments are, and what playlists state', async () => {
    expect(await readStreamingFile(sourceOf(FILM))).toEqual({
      index: { headerBytes: HEADER.length, segmentBytes: [48 + FIRST.length, SECOND.length], segmentMs: [4_000, 2_016] },
      facts: {
        codecs: 'avc1.64001f,mp4a.40.2',
        frameRate: 25,
        segments: 2,
        ...{ bandwidth: Math.ceil((SECOND.length * 8_000) / 2_016), averageBandwidth: expect.any(Number) },
      },
    });
  });

  it('of sound only has no frame rate', async () => {
    const parts = [0, 192_512].map((time) => fragment(900, traf(2, time, 188, Array(188).fill(1_024))));
    const { facts, index } = await readStreamingFile(sourceOf(Buffer.concat([header(SOUND), ...parts])));
    expect(facts).toMatchObject({ codecs: 'mp4a.40.2', frameRate: null, segments: 2 });
    expect(index.segmentMs).toEqual([4_011, 4_010]);
  });

  it('whose sound outlasts its picture goes on with the sound', async () => {
    const last = fragment(500, traf(2, 6 * 48_000, 47, Array(47).fill(1_024)));
    const { index, facts } = await readStreamingFile(sourceOf(Buffer.concat([HEADER, FIRST, SECOND, last])));
    expect([index.segmentMs, facts.frameRate]).toEqual([[4_000, 2_000, 1_003], 25]);
  });

  it('begins a segment only where a player can begin', async () => {
    const cut = fragment(700, traf(1, 51_200, 50, [], 0x10000));
    const sound = fragment(300, traf(2, 0, 94, Array(94).fill(1_024)));
    const next = fragment(800, traf(1, 76_800, 50, Array(50).fill(512), 0));
    const { index, facts } = await readStreamingFile(sourceOf(Buffer.concat([HEADER, FIRST, cut, sound, next])));
    expect(index).toMatchObject({ segmentMs: [6_000, 2_000], segmentBytes: [FIRST.length + cut.length + sound.length, next.length] });
    expect(facts.frameRate).toBe(25);
  });

  it('of three hours is read without its media, in pieces', async () => {
    const parts = Array.from({ length: 2_700 }, (_, n) => fragment(100, traf(1, n * 51_200, 100)));
    const source = sourceOf(Buffer.concat([header(PICTURE), ...parts]));
    const { facts, index } = await readStreamingFile(source);
    expect([facts.segments, index.segmentMs.every((ms) => ms === 4_000)]).toEqual([2_700, true]);
    expect(source.readBytes / source.size).toBeLessThan(0.9);
  });

  const [moof, mdat] = [FIRST.subarray(0, FIRST.length - 50_008), FIRST.subarray(-50_008)];
  it.each([
    ['is empty', Buffer.alloc(0), /no segments/],
    ['has no segments', HEADER, /no segments/],
    ['has no header', FIRST, /out of order/],
    ['has two headers', Buffer.concat([HEADER, FILM]), /two headers/],
    ['ends within a segment', FILM.subarray(0, HEADER.length + 2_000), /longer than what it is in/],
    ['has a fragment without media', Buffer.concat([HEADER, moof]), /no segments/],
    ['has media without a fragment', Buffer.concat([HEADER, FIRST, mdat]), /out of order/],
    ['goes back in time', Buffer.concat([HEADER, SECOND, FIRST]), /do not increase/],
    [
      'has samples that are not there',
      Buffer.concat([HEADER, fragment(9, box('traf', box('tfhd', u32(0, 1)), box('tfdt', u32(0, 0)), box('trun', u32(0x100, 2 ** 31))))]),
      /fewer samples/,
    ],
    ['has another codec', Buffer.concat([header({ ...PICTURE, entry: box('hvc1', Buffer.alloc(90)) }), FIRST]), /another codec \("hvc1"\)/],
    ['has no tracks', Buffer.concat([header(), FIRST]), /no tracks/],
    ['has a box without length', Buffer.concat([FILM, u32(0), Buffer.from('free')]), /longer than what it is in/],
  ])('that %s is refused', async (_, bytes, reason) => {
    await expect(readStreamingFile(sourceOf(bytes))).rejects.toThrow(reason);
    await expect(readStreamingFile(sourceOf(bytes))).rejects.toBeInstanceOf(MalformedFile);
  });

  it('is never read outside, whatever its bytes are', async () => {
    const place = fc.record({ at: fc.nat(HEADER.length + 3_000), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 6 }), fc.nat(FILM.length), async (changes, length) => {
        const bytes = Buffer.from(FILM.subarray(0, changes.length % 2 === 0 ? length : FILM.length));
        for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
        const found = await readStreamingFile(sourceOf(bytes)).catch((error: unknown) => error);
        if (found instanceof Error) expect(found).toBeInstanceOf(MalformedFile);
        else expect(found).toMatchObject({ index: { segmentBytes: expect.any(Array) } });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the bandwidth', () => {
  it('is that of the largest segment, but not of one much shorter than the others', () => {
    const segments = { segmentBytes: [4_000, 8_000, 4_000, 900], segmentMs: [4_000, 4_000, 4_000, 40] };
    expect(measureBandwidth(segments)).toEqual({ bandwidth: 16_000, averageBandwidth: Math.ceil((16_900 * 8_000) / 12_040) });
    expect(measureBandwidth({ segmentBytes: [100], segmentMs: [40] })).toEqual({ bandwidth: 20_000, averageBandwidth: 20_000 });
  });
});
