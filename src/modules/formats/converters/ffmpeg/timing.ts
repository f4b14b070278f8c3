import type { FormatSettings } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import type { SourceFacts, StreamTimes } from '../converter.js';
import { type FilterNode, filter } from './filter-graph.js';
import { streamedRate } from './streaming.js';

/** Seconds of the test mode if the format specifies none. */
const TEST_SECONDS = 5;
/** Seconds by which the beginnings or ends of picture and sound may differ: less than the frame of any usual film. */
const TOLERANCE = 0.015;

/** The time in seconds at which reading starts: `ss`, or the middle of a source that is not longer. */
export function startOf({ ss }: Parameters, { duration }: Pick<SourceFacts, 'duration'>): number {
  const wanted = Number(ss ?? 0);
  return duration !== null && wanted > 0 && wanted >= duration ? rounded(duration / 2) : wanted;
}

/** The maximum length in seconds according to `t` and the test mode; null: no limit. */
export function longestOutput({ t }: Parameters, { testMode }: FormatSettings): number | null {
  const limits = [...(t === undefined ? [] : [Number(t)]), ...(testMode ? [testMode.seconds ?? TEST_SECONDS] : [])];
  return limits.length > 0 ? Math.min(...limits) : null;
}

/** Returns the length of the result in seconds; null: unknown. */
export function outputLength(command: Parameters, settings: FormatSettings, source: Pick<SourceFacts, 'duration'>): number | null {
  const rest = source.duration === null ? null : source.duration - startOf(command, source);
  const longest = longestOutput(command, settings);
  return rest === null || longest === null ? (rest ?? longest) : Math.min(rest, longest);
}

/** The gaps of a stream in seconds: before it begins and after it ends, within the part of the film that is made. */
interface Gaps {
  readonly before: number;
  readonly after: number;
}
const NO_GAPS: Gaps = { before: 0, after: 0 };

/** Returns how long a stream is missing at the beginning and the end of a part of a film. */
function gapsOf(times: StreamTimes | null, part: { readonly start: number; readonly end: number } | null): Gaps {
  if (times === null || part === null) return NO_GAPS;
  const gap = (seconds: number) => (seconds > TOLERANCE ? rounded(seconds) : 0);
  return { before: gap(Math.min(times.start, part.end) - part.start), after: gap(part.end - Math.max(times.end, part.start)) };
}

/** What padding needs to know of a request. */
interface TimedRequest {
  readonly command: Parameters;
  readonly settings: FormatSettings;
  readonly source: SourceFacts;
}

/** The part of the source that is made, in its own time: to the end of picture or sound, whichever is later. Null: unknown, or there is only one. */
function partOf({ command, settings, source }: TimedRequest): { readonly start: number; readonly end: number } | null {
  const sounds = source.sounds.map(({ times }) => times);
  const times = [source.pictureTimes, ...sounds].filter((one) => one !== null);
  if (source.pictureTimes === null || times.length < 2) return null;
  const start = startOf(command, source);
  const end = Math.max(...times.map((one) => one.end));
  return { start, end: Math.min(end, start + (longestOutput(command, settings) ?? Number.POSITIVE_INFINITY)) };
}

/**
 * Returns the filters with which the picture lasts as long as the sound (contract section 13.7, Time): the first picture is shown until the second
 * comes, the last one is held. They make the frame rate constant, because only then can pictures be repeated.
 */
export function paddedPicture(request: TimedRequest): readonly FilterNode[] {
  const { source } = request;
  const { before, after } = gapsOf(source.pictureTimes, partOf(request));
  if (before === 0 && after === 0) return [];
  const reason = [
    ...(before > 0 ? [`the picture begins ${before} s after the sound`] : []),
    ...(after > 0 ? [`the picture ends ${after} s before the sound`] : []),
  ].join(', ');
  return [
    filter('fps', { fps: streamedRate(source).exact, start_time: 0 }, reason),
    ...(after > 0 ? [filter('tpad', { stop_mode: 'clone', stop_duration: after }, `${reason}: the last picture is held`)] : []),
  ];
}

/** Returns the filters with which a sound begins and ends with the film: silence fills what is missing (contract section 13.7, Time). */
export function paddedSound(request: TimedRequest, times: StreamTimes | null): readonly FilterNode[] {
  const part = partOf(request);
  const { before, after } = gapsOf(times, part);
  return [
    ...(before > 0 ? [filter('aresample', { async: 1, first_pts: 0 }, `the sound begins ${before} s after the picture`)] : []),
    ...(after > 0 && part
      ? [filter('apad', { whole_dur: rounded(part.end - part.start) }, `the sound ends ${after} s before the picture`)]
      : []),
  ];
}

/** Pictures per second of which one is chosen. */
const PICKING_RATE = 25;
/** Seconds before a time at which reading starts if no key frame can be looked up there: key frames are rarely further apart. */
const RUN_UP = 10;

/** How the picture that is shown at one time is read from a film. */
export interface PictureAt {
  /** Options before the input. */
  readonly input: readonly string[];
  readonly filters: readonly FilterNode[];
}

/**
 * Reads the picture that is shown at a time in seconds: the one that began before it, and after the last one the last (contract section 13.7, Time).
 * Reading starts at the key frame before; frames get a constant rate, the last one is repeated, and those before the time are dropped.
 */
export function pictureAt(time: number, { pictureTimes, isIndexed }: Pick<SourceFacts, 'pictureTimes' | 'isIndexed'>): PictureAt {
  const end = pictureTimes?.end ?? Number.POSITIVE_INFINITY;
  const canSeek = isIndexed !== false && time <= end - 1;
  const seek = canSeek ? time : rounded(Math.max(0, Math.min(time, end) - RUN_UP));
  const filters = [
    filter('fps', { fps: PICKING_RATE }, 'one of these pictures is chosen'),
    filter('tpad', { stop: -1, stop_mode: 'clone' }, 'after its end a film shows its last picture'),
    filter('trim', { start: rounded(Math.min(time, end) - seek) }, `the picture that is shown at ${time} s`),
  ];
  return { input: seek === 0 ? [] : ['-noaccurate_seek', '-ss', String(seek)], filters };
}

const rounded = (seconds: number): number => Number(seconds.toFixed(3));
