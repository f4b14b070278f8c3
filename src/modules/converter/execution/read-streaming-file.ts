import type { NewRendition } from '../../media/index.js';
import { type ByteSource, boxesOfFile, contentOf, Fields, MalformedFile } from './mp4-boxes.js';
import { readCodec } from './read-codec.js';

type Streaming = NonNullable<NewRendition['streaming']>;

/** Far more than ffmpeg writes: a header has two tracks and no samples, a fragment describes the frames of some seconds. */
const MAX_HEADER_BYTES = 1_048_576;
const MAX_FRAGMENT_BYTES = 4_194_304;
/** Five days of segments; PostgreSQL's array of them has a megabyte. */
const MAX_SEGMENTS = 100_000;
/** PostgreSQL's integer. */
const MAX_SEGMENT_BYTES = 2_147_483_647;

/** A track as the header describes it. */
interface Track {
  readonly id: number;
  readonly isPicture: boolean;
  /** Its units of time in a second. */
  readonly timescale: number;
  /** RFC 6381. */
  readonly codec: string;
  /** The duration of a sample for which the fragments give none. */
  readonly sampleDuration: number;
}

/** A fragment's part of a track, in seconds of the decoding time. */
interface Run {
  readonly track: Track;
  readonly start: number;
  readonly end: number;
  readonly samples: number;
}

/**
 * Reads what playlists state about a fragmented MP4 and where its segments are, from the boxes of the file itself: each fragment is a segment, with
 * the indexes and the like in front of it. Throws MalformedFile.
 */
export async function readStreamingFile(source: ByteSource): Promise<Streaming> {
  let tracks: readonly Track[] | null = null;
  let headerBytes = 0;
  let position = 0;
  const fragments: (readonly Run[])[] = [];
  const segmentBytes: number[] = [];
  for await (const box of boxesOfFile(source)) {
    if (box.type === 'moov') {
      if (tracks) throw new MalformedFile('it has two headers');
      tracks = readTracks(await contentOf(source, box, MAX_HEADER_BYTES));
      headerBytes = position = box.end;
    } else if (box.type === 'moof') {
      if (!tracks || fragments.length > segmentBytes.length) throw new MalformedFile('its fragments are out of order');
      if (fragments.length === MAX_SEGMENTS) throw new MalformedFile('it has too many segments');
      fragments.push(readFragment(await contentOf(source, box, MAX_FRAGMENT_BYTES), tracks));
    } else if (box.type === 'mdat') {
      if (fragments.length !== segmentBytes.length + 1) throw new MalformedFile('its fragments are out of order');
      if (box.end - position > MAX_SEGMENT_BYTES) throw new MalformedFile('a segment is too long');
      segmentBytes.push(box.end - position);
      position = box.end;
    }
  }
  if (!tracks || fragments.length === 0 || fragments.length !== segmentBytes.length) throw new MalformedFile('it has no segments');
  const index = { headerBytes, segmentBytes, segmentMs: readDurations(fragments) };
  return { index, facts: { ...describeTracks(tracks, fragments), ...measureBandwidth(index), segments: segmentBytes.length } };
}

/** The tracks in the header; the picture comes first. */
function readTracks(header: Fields): readonly Track[] {
  const defaults = new Map(
    header
      .one('mvex')
      .all('trex')
      .map((trex) => [trex.number(4, 4), trex.number(12, 4)]),
  );
  const tracks = header.all('trak').map((trak): Track => {
    const [tkhd, mdhd] = [trak.one('tkhd'), trak.one('mdia', 'mdhd')];
    const id = tkhd.number(tkhd.number(0, 1) === 1 ? 20 : 12, 4);
    const timescale = mdhd.number(mdhd.number(0, 1) === 1 ? 20 : 12, 4);
    if (timescale === 0) throw new MalformedFile('a track has no unit of time');
    const kind = trak.one('mdia', 'hdlr').text(8, 4);
    const codec = readCodec(trak.one('mdia', 'minf', 'stbl', 'stsd'));
    return { id, timescale, codec, isPicture: kind === 'vide', sampleDuration: defaults.get(id) ?? 0 };
  });
  if (tracks.length === 0) throw new MalformedFile('it has no tracks');
  return tracks.toSorted((one, other) => Number(other.isPicture) - Number(one.isPicture));
}

/** The parts of a fragment that have samples, in the order of the tracks. */
function readFragment(fragment: Fields, tracks: readonly Track[]): readonly Run[] {
  const parts = new Map(fragment.all('traf').map((traf) => [traf.one('tfhd').number(4, 4), traf]));
  const runs = tracks.flatMap((track) => {
    const part = parts.get(track.id);
    const run = part && readRun(part, track);
    return run && run.samples > 0 ? [run] : [];
  });
  if (runs.length === 0) throw new MalformedFile('a fragment has no samples');
  return runs;
}

function readRun(part: Fields, track: Track): Run {
  const [tfhd, tfdt] = [part.one('tfhd'), part.one('tfdt')];
  const flags = tfhd.number(1, 3);
  const durationAt = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0);
  const sampleDuration = flags & 0x8 ? tfhd.number(durationAt, 4) : track.sampleDuration;
  const time = tfdt.number(4, tfdt.number(0, 1) === 1 ? 8 : 4);
  const totals = part.all('trun').map((trun) => readSamples(trun, sampleDuration));
  const duration = totals.reduce((sum, total) => sum + total.duration, 0);
  const samples = totals.reduce((sum, total) => sum + total.samples, 0);
  return { track, samples, start: time / track.timescale, end: (time + duration) / track.timescale };
}

function readSamples(trun: Fields, sampleDuration: number): { readonly samples: number; readonly duration: number } {
  const [flags, samples] = [trun.number(1, 3), trun.number(4, 4)];
  const first = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  const entry = [0x100, 0x200, 0x400, 0x800].filter((field) => flags & field).length * 4;
  if (first + samples * entry > trun.length) throw new MalformedFile('a fragment has fewer samples than it says');
  if (!(flags & 0x100)) return { samples, duration: samples * sampleDuration };
  let duration = 0;
  for (let sample = 0; sample < samples; sample += 1) duration += trun.number(first + sample * entry, 4);
  return { samples, duration };
}

/** Milliseconds of each segment; their sum is that of the whole, because each is the difference of two rounded times. */
function readDurations(fragments: readonly (readonly Run[])[]): number[] {
  const starts = fragments.map(([run]) => Math.round((run?.start ?? 0) * 1_000));
  const end = Math.round(Math.max(...(fragments.at(-1) ?? []).map((run) => run.end)) * 1_000);
  return starts.map((start, index) => {
    const duration = (starts[index + 1] ?? end) - start;
    if (duration <= 0) throw new MalformedFile('its times do not ascend');
    return duration;
  });
}

function describeTracks(
  tracks: readonly Track[],
  fragments: readonly (readonly Run[])[],
): Pick<Streaming['facts'], 'codecs' | 'frameRate'> {
  const runs = fragments.flat().filter(({ track }) => track.isPicture);
  const frames = runs.reduce((sum, { samples }) => sum + samples, 0);
  const seconds = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  return {
    codecs: tracks.map(({ codec }) => codec).join(','),
    frameRate: seconds > 0 ? Number((frames / seconds).toFixed(3)) : null,
  };
}

/**
 * The largest bit rate of neighbouring segments that last between a half and one and a half of the longest one together (RFC 8216 section 4.1),
 * so that a last segment of a single frame does not count alone; and the bit rate of all segments.
 */
export function measureBandwidth({
  segmentBytes,
  segmentMs,
}: Pick<Streaming['index'], 'segmentBytes' | 'segmentMs'>): Pick<Streaming['facts'], 'bandwidth' | 'averageBandwidth'> {
  const rateOf = (bytes: number, ms: number) => Math.ceil((bytes * 8_000) / ms);
  const [bytes, ms] = [segmentBytes, segmentMs].map((all) => all.reduce((sum, one) => sum + one, 0)) as [number, number];
  const longest = Math.ceil(segmentMs.reduce((most, one) => Math.max(most, one), 0) / 1_000) * 1_000;
  let bandwidth = rateOf(bytes, ms);
  for (let first = 0; first < segmentMs.length; first += 1) {
    let [sum, lasting] = [0, 0];
    for (let last = first; last < segmentMs.length; last += 1) {
      sum += segmentBytes[last] ?? 0;
      lasting += segmentMs[last] ?? 0;
      if (lasting > 1.5 * longest) break;
      if (lasting >= 0.5 * longest) bandwidth = Math.max(bandwidth, rateOf(sum, lasting));
    }
  }
  return { bandwidth, averageBandwidth: rateOf(bytes, ms) };
}
