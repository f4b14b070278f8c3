import type { NewRendition } from '../../media/index.js';
import { type ByteSource, boxesOfFile, contentOf, Fields, MalformedFile } from './mp4-boxes.js';
import { readCodec } from './read-codec.js';

type Streaming = NonNullable<NewRendition['streaming']>;

/** Far more bytes than ffmpeg writes: a header has two tracks and no samples, and a fragment describes the frames of a few seconds. */
const MAX_HEADER_BYTES = 1_048_576;
const MAX_FRAGMENT_BYTES = 4_194_304;
/** About five days of film; PostgreSQL's arrays for this many segments take about a megabyte. */
const MAX_SEGMENTS = 100_000;
/** The maximum of PostgreSQL's integer. */
const MAX_SEGMENT_BYTES = 2_147_483_647;

/** A track as the header describes it. */
interface Track {
  readonly id: number;
  readonly isPicture: boolean;
  /** Units of time per second. */
  readonly timescale: number;
  /** The codec in the notation of RFC 6381. */
  readonly codec: string;
  /** The duration and the flags of a sample for which the fragments give none. */
  readonly sampleDuration: number;
  readonly sampleFlags: number;
}

/** A fragment's part of a track, in seconds of the decoding time. */
interface Run {
  readonly track: Track;
  readonly start: number;
  readonly end: number;
  readonly samples: number;
  /** Whether decoding can begin with its first sample. */
  readonly isEntry: boolean;
}

/** A fragment with its media, the indexes in front of it, and its parts in the order of the tracks. */
interface Fragment {
  readonly bytes: number;
  readonly runs: readonly Run[];
}

/**
 * Reads what playlists state about a fragmented MP4, and the places of its segments, from the boxes of the file. A segment is a fragment at which a
 * player can start, together with the following ones at which it cannot. Throws MalformedFile.
 */
export async function readStreamingFile(source: ByteSource): Promise<Streaming> {
  const { headerBytes, tracks, fragments } = await readBoxes(source);
  const segments = groupFragments(fragments);
  const segmentBytes = segments.map((group) => group.reduce((sum, { bytes }) => sum + bytes, 0));
  if (segmentBytes.some((bytes) => bytes > MAX_SEGMENT_BYTES)) throw new MalformedFile('a segment is too long');
  const index = { headerBytes, segmentBytes, segmentMs: readDurations(segments) };
  return { index, facts: { ...describeTracks(tracks, fragments), ...measureBandwidth(index), segments: segments.length } };
}

interface Boxes {
  readonly headerBytes: number;
  readonly tracks: readonly Track[];
  readonly fragments: readonly Fragment[];
}

async function readBoxes(source: ByteSource): Promise<Boxes> {
  const fragments: Fragment[] = [];
  let tracks: readonly Track[] | null = null;
  let runs: readonly Run[] | null = null; // the runs of the fragment whose `mdat` box follows
  let [headerBytes, position] = [0, 0];
  for await (const box of boxesOfFile(source)) {
    if (box.type === 'moov') {
      if (tracks) throw new MalformedFile('it has two headers');
      tracks = readTracks(await contentOf(source, box, MAX_HEADER_BYTES));
      headerBytes = position = box.end;
    } else if (box.type === 'moof') {
      if (!tracks || runs) throw new MalformedFile('its fragments are out of order');
      if (fragments.length === MAX_SEGMENTS) throw new MalformedFile('it has too many segments');
      runs = readFragment(await contentOf(source, box, MAX_FRAGMENT_BYTES), tracks);
    } else if (box.type === 'mdat') {
      if (!runs) throw new MalformedFile('its fragments are out of order');
      fragments.push({ runs, bytes: box.end - position });
      runs = null;
      position = box.end;
    }
  }
  if (!tracks || runs || fragments.length === 0) throw new MalformedFile('it has no segments');
  return { headerBytes, tracks, fragments };
}

/**
 * Groups fragments into segments. A segment begins with a fragment whose picture can be decoded by itself. After the end of the picture each fragment
 * is a segment; before it, a fragment with sound only is delayed sound and belongs to the current segment.
 */
function groupFragments(fragments: readonly Fragment[]): readonly (readonly Fragment[])[] {
  const last = fragments.findLastIndex(({ runs }) => runs[0]?.track.isPicture);
  const groups: Fragment[][] = [];
  for (const [index, fragment] of fragments.entries()) {
    const [first] = fragment.runs;
    const current = groups.at(-1);
    if (!current || index > last || (first?.track.isPicture && first.isEntry)) groups.push([fragment]);
    else current.push(fragment);
  }
  return groups;
}

/** The tracks in the header; the picture comes first. */
function readTracks(header: Fields): readonly Track[] {
  const defaults = new Map(
    header
      .one('mvex')
      .all('trex')
      .map((trex) => [trex.number(4, 4), trex]),
  );
  const tracks = header.all('trak').map((trak): Track => {
    const [tkhd, mdhd] = [trak.one('tkhd'), trak.one('mdia', 'mdhd')];
    const id = tkhd.number(tkhd.number(0, 1) === 1 ? 20 : 12, 4);
    const timescale = mdhd.number(mdhd.number(0, 1) === 1 ? 20 : 12, 4);
    if (timescale === 0) throw new MalformedFile('a track has no unit of time');
    const kind = trak.one('mdia', 'hdlr').text(8, 4);
    const codec = readCodec(trak.one('mdia', 'minf', 'stbl', 'stsd'));
    const trex = defaults.get(id);
    const samples = { sampleDuration: trex?.number(12, 4) ?? 0, sampleFlags: trex?.number(20, 4) ?? 0 };
    return { id, timescale, codec, isPicture: kind === 'vide', ...samples };
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
  const flagsAt = durationAt + (flags & 0x8 ? 4 : 0) + (flags & 0x10 ? 4 : 0);
  const sampleDuration = flags & 0x8 ? tfhd.number(durationAt, 4) : track.sampleDuration;
  const time = tfdt.number(4, tfdt.number(0, 1) === 1 ? 8 : 4);
  const totals = part.all('trun').map((trun) => readSamples(trun, sampleDuration));
  const duration = totals.reduce((sum, total) => sum + total.duration, 0);
  const samples = totals.reduce((sum, total) => sum + total.samples, 0);
  const ownFlags = flags & 0x20 ? tfhd.number(flagsAt, 4) : track.sampleFlags;
  const sampleFlags = totals[0]?.firstFlags ?? ownFlags;
  return { track, samples, start: time / track.timescale, end: (time + duration) / track.timescale, isEntry: !(sampleFlags & NO_ENTRY) };
}

/** The flag of a sample that depends on others (ISO/IEC 14496-12 section 8.8.3.1: sample_is_non_sync_sample). */
const NO_ENTRY = 0x10000;

interface Samples {
  readonly samples: number;
  readonly duration: number;
  /** The flags of the first sample; null: the default flags of the track apply. */
  readonly firstFlags: number | null;
}

function readSamples(trun: Fields, sampleDuration: number): Samples {
  const [flags, samples] = [trun.number(1, 3), trun.number(4, 4)];
  const first = 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  const entry = [0x100, 0x200, 0x400, 0x800].filter((field) => flags & field).length * 4;
  if (first + samples * entry > trun.length) throw new MalformedFile('a fragment has fewer samples than it says');
  const firstFlags =
    flags & 0x4 ? trun.number(flags & 0x1 ? 12 : 8, 4) : flags & 0x400 && samples > 0 ? trun.number(first + flagsPlace(flags), 4) : null;
  if (!(flags & 0x100)) return { samples, firstFlags, duration: samples * sampleDuration };
  let duration = 0;
  for (let sample = 0; sample < samples; sample += 1) duration += trun.number(first + sample * entry, 4);
  return { samples, firstFlags, duration };
}

/** The offset of a sample's flags in its entry: after the optional duration and size. */
const flagsPlace = (flags: number): number => (flags & 0x100 ? 4 : 0) + (flags & 0x200 ? 4 : 0);

/** The duration of each segment in milliseconds. The sum equals that of the whole, because each is a difference of two rounded times. */
function readDurations(segments: readonly (readonly Fragment[])[]): number[] {
  const starts = segments.map(([fragment]) => Math.round((fragment?.runs[0]?.start ?? 0) * 1_000));
  const ends = (segments.at(-1) ?? []).flatMap(({ runs }) => runs.map((run) => run.end));
  const end = Math.round(Math.max(...ends) * 1_000);
  return starts.map((start, index) => {
    const duration = (starts[index + 1] ?? end) - start;
    if (duration <= 0) throw new MalformedFile('its timestamps do not increase');
    return duration;
  });
}

function describeTracks(tracks: readonly Track[], fragments: readonly Fragment[]): Pick<Streaming['facts'], 'codecs' | 'frameRate'> {
  const runs = fragments.flatMap((fragment) => fragment.runs).filter(({ track }) => track.isPicture);
  const frames = runs.reduce((sum, { samples }) => sum + samples, 0);
  const seconds = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  return {
    codecs: tracks.map(({ codec }) => codec).join(','),
    frameRate: seconds > 0 ? Number((frames / seconds).toFixed(3)) : null,
  };
}

/**
 * Returns the peak and the average bit rate. The peak is the largest bit rate of neighbouring segments that together last 0.5 to 1.5 times as long as
 * the longest segment (RFC 8216 section 4.1), so that a last segment of a single frame does not count alone.
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
