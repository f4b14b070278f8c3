import type { FormatSettings } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import { displaySize, type Size, type SourceFacts } from '../converter.js';
import { filterNames } from './ffmpeg-parameters.js';
import { type FilterNode, filter, isOn, type OutputKind } from './filter-graph.js';

/**
 * Streaming formats (contract section 12.3): a fragmented MP4 whose segments a player requests one by one. All renditions of a film have their
 * key frames at the same instants, so that a player can switch between them at the beginning of any segment:
 *
 * - every stream begins at 0, and the picture has a constant frame rate, which depends only on the original;
 * - the first frame at or after each multiple of two seconds is a key frame of a closed group, and no other frame is;
 * - a segment begins at every second key frame and is one fragment (`moof`).
 */
const KEY_FRAME_SECONDS = 2;
const SEGMENT_SECONDS = 4;

/** Whether a format is made for adaptive streaming. */
export const isStreaming = (command: Parameters): boolean => isOn(command, 'streaming');

/** Whether a format is the sound alone for adaptive streaming, which has viewers of several sounds choose one. */
export const isSoundForStreaming = ({ filetype, testMode }: FormatSettings, command: Parameters): boolean =>
  isStreaming(command) && filetype === 'm4a' && !testMode;

/** The parameters that streaming determines itself. */
const DECIDED = new Set([
  'width',
  'draw',
  'ss',
  'r',
  'g',
  'keyint_min',
  'sc_threshold',
  'force_key_frames',
  'fps_mode',
  'frames',
  'movflags',
  'shortest',
]);
const RESIZING = new Set(['scale', 'zscale', 'crop', 'pad', 'transpose', 'rotate']);
const RETIMING = new Set(['fps', 'tblend', 'thumbnail', 'tinterlace', 'pullup']);

/** Whether a filter of the picture changes its size. */
export const isResizing = (command: Parameters): boolean => filterNames(command).some((name) => RESIZING.has(name));

/** Something that a streaming format cannot have: a parameter (null: the file type), and the rest of a sentence about it. */
export interface StreamingConflict {
  readonly parameter: string | null;
  readonly message: string;
}

/** Finds why a format with this command could not be streamed. */
export function findStreamingConflicts(command: Parameters, filetype: string | undefined): readonly StreamingConflict[] {
  if (!isStreaming(command)) return [];
  const { 'c:v': picture = 'libx264', 'c:a': sound = 'aac', vcodec = picture, acodec = sound } = command;
  const decided = Object.keys(command).filter((name) => DECIDED.has(name.split(':', 1)[0] ?? ''));
  const isRetimed = filterNames(command).some((name) => RETIMING.has(name)) || isResizing(command);
  return [
    ...(filetype === 'mp4' || filetype === 'm4a'
      ? []
      : [{ parameter: null, message: 'a streaming format is made as mp4, or m4a without a picture' }]),
    ...(picture === 'libx264' && vcodec === 'libx264'
      ? []
      : [{ parameter: 'c:v', message: 'the picture of a streaming format is encoded with libx264' }]),
    ...(sound === 'aac' && acodec === 'aac' ? [] : [{ parameter: 'c:a', message: 'the sound of a streaming format is encoded with aac' }]),
    ...decided.map((parameter) => ({
      parameter,
      message: 'a streaming format decides this itself, so that all renditions can replace each other',
    })),
    ...(isRetimed ? [{ parameter: 'vf', message: 'a streaming format cannot have filters that change the size or the frame rate' }] : []),
  ];
}

/**
 * Returns why no rendition is made of this source, as a sentence; null: it is made. The parameter `above` is the number of lines of the next
 * smaller rendition, counted on the shorter side.
 */
export function whySkipped(command: Parameters, { holds }: OutputKind, source: SourceFacts): string | null {
  if (!isStreaming(command)) return null;
  if (holds === 'audio') return source.hasAudio === false ? 'The original has no sound.' : null;
  const size = shownSize(source);
  const lines = size && Math.min(size.width, size.height);
  if (lines === null || lines > Number(command.above ?? 0)) return null;
  return `The original has ${lines} lines, for which a smaller rendition is sufficient: this format requires more than ${command.above} lines.`;
}

/** Returns the displayed size of a source in square pixels, with the stored number of lines, which decides the renditions; null: unknown. */
function shownSize({ width, height, rotation, pixelAspect }: SourceFacts): Size | null {
  return displaySize({ width: width && Math.round(width * (pixelAspect ?? 1)), height, rotation, pixelAspect: null });
}

/** Returns the size of a rendition: even sides, as 4:2:0 requires, of which the shorter has at most `height` pixels. Null: unknown. */
export function streamedSize({ height }: Parameters, source: SourceFacts): Size | null {
  const size = shownSize(source);
  if (size === null) return null;
  const factor = Math.min(1, Number(height ?? Number.POSITIVE_INFINITY) / Math.min(size.width, size.height));
  const even = (pixels: number) => Math.max(2, (factor < 1 ? Math.round((pixels * factor) / 2) : Math.floor(pixels / 2)) * 2);
  return { width: even(size.width), height: even(size.height) };
}

/** Frames per second; higher rates are halved. The excess over 60 allows for inexact clocks. */
const MAX_RATE = 60.6;
/** Frames per second; pictures of a slower film are repeated, so that it has key frames. */
const MIN_RATE = 1;
const DEFAULT_RATE = 25;
/** Frames per second; `exact` in ffmpeg's notation. */
interface FrameRate {
  readonly value: number;
  readonly exact: string;
}

/** The usual rates of films in ascending order. */
const RATES: readonly FrameRate[] = [
  ...[24_000, 30_000, 60_000].map((frames) => ({ value: frames / 1_001, exact: `${frames}/1001` })),
  ...[24, 25, 30, 48, 50, 60].map((value) => ({ value, exact: String(value) })),
].toSorted((one, other) => one.value - other.value);

const isNear = (one: number, other: number, tolerance: number): boolean => Math.abs(one / other - 1) < tolerance;

/**
 * Returns the constant frame rate of all renditions of a source. For a variable rate, it is the base rate, which fits all frames, or if that is
 * only the resolution of the clock, the first usual rate that is not below the average.
 */
export function streamedRate({ frameRate, baseFrameRate }: Pick<SourceFacts, 'frameRate' | 'baseFrameRate'>): FrameRate {
  const average = frameRate ?? baseFrameRate ?? DEFAULT_RATE;
  const base = baseFrameRate ?? average;
  const isField = isNear(base, 2 * average, 0.01);
  const isReal = !isField && (base <= MAX_RATE || isNear(base, average, 0.01));
  const next = RATES.find(({ value }) => value > average * 0.99)?.value ?? average;
  let rate = Math.max(MIN_RATE, isField ? average : isReal ? base : next);
  while (rate > MAX_RATE) rate /= 2;
  const known = RATES.find(({ value }) => isNear(rate, value, 0.0004));
  const value = Number(rate.toFixed(3));
  return known ?? { value, exact: String(value) };
}

/** Returns the filters that give the picture of a source the rate of its renditions; `held` repeats its last picture. Scaling follows. */
export function streamedPicture(source: SourceFacts, target: Size, held: readonly FilterNode[]): readonly FilterNode[] {
  return [
    filter('fps', { fps: streamedRate(source).exact, start_time: 0 }, 'the constant picture rate of all renditions of this film'),
    ...held,
    ...(isOddOnly(source, target)
      ? [filter('crop', { w: target.width, h: target.height, x: 0, y: 0 }, 'a source with an odd number of lines or columns')]
      : []),
  ];
}

/** Whether a source is one line or column larger than its rendition, or both: these are cropped instead of scaling the picture. */
function isOddOnly(source: SourceFacts, { width, height }: Size): boolean {
  const size = source.pixelAspect === null ? shownSize(source) : null;
  return size !== null && Math.max(size.width - width, size.height - height) === 1;
}

/** Returns the filter that makes the sound begin at 0 and fills its gaps with silence. */
export const streamedSound = (): FilterNode =>
  filter('aresample', { async: 1, first_pts: 0 }, 'the sound begins at 0, and its gaps are silent');

/** Microseconds. */
const MICROSECONDS = 1_000_000;
/** Without key frames, where the sound is longer than the picture, a segment ends after this time. */
const LONGEST_SEGMENT = (SEGMENT_SECONDS + KEY_FRAME_SECONDS) * MICROSECONDS;
/** How long the picture waits for a sound that begins late or ends early; this part of the result is kept in memory. */
const MAX_WAIT = 120 * MICROSECONDS;

/**
 * Returns the options for key frames and for the file, which starts with an index of its segments (`sidx`). Offsets may be negative (ISO/IEC 23000-19,
 * `trun` version 1): otherwise each picture would be late by the frames that the decoder reorders, at one frame per second by two seconds.
 */
export function streamingOptions({ holds }: OutputKind, source: SourceFacts): readonly string[] {
  const keyFrames = [
    ...['-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SECONDS})`, '-forced-idr', '1', '-sc_threshold', '0', '-flags', '+cgop'],
    // Twice the distance, so that the encoder adds no key frames itself.
    ...['-g', String(Math.ceil(2 * KEY_FRAME_SECONDS * streamedRate(source).value))],
  ];
  const fragments =
    holds === 'audio'
      ? ['-frag_duration', String(SEGMENT_SECONDS * MICROSECONDS)]
      : ['-min_frag_duration', String((SEGMENT_SECONDS - 1) * MICROSECONDS), '-frag_duration', String(LONGEST_SEGMENT)];
  return [
    ...(holds === 'audio' ? [] : keyFrames),
    ...['-max_muxing_queue_size', '4096', '-max_interleave_delta', String(MAX_WAIT), ...fragments, '-brand', 'cmfc'],
    ...['-movflags', '+frag_keyframe+delay_moov+default_base_moof+global_sidx+negative_cts_offsets'],
  ];
}
