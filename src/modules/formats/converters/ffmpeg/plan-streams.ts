import type { AudioWatermark, Watermark } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import { AUDIO_WATERMARK, type BuildRequest, displaySize, Refusal, type Size, type SourceFacts, WATERMARK } from '../converter.js';
import { along, placeOf, watermarkGravity, watermarkWidth } from '../place.js';
import { burnTimecode } from './burn-timecode.js';
import {
  type FilterChain,
  type FilterNode,
  filter,
  isOn,
  type OutputKind,
  type StreamPlan,
  userFilters,
  writeFilters,
} from './filter-graph.js';
import { isResizing, isStreaming, streamedPicture, streamedRate, streamedSize, streamedSound } from './streaming.js';

/** The plan of a stream without a watermark. */
const unmixed = (...options: readonly string[]): StreamPlan => ({ options, chains: [], input: null });

/** Plans how the picture is made. */
export function planPicture(request: BuildRequest, kind: OutputKind): StreamPlan {
  const { command, settings, timecode, source } = request;
  if (kind.holds === 'audio' || isOn(command, 'vn')) return unmixed('-vn');
  if (source.hasVideo === false) throw new Refusal('The source has no picture.');
  const { watermark } = settings;
  if ([command['c:v'], command.vcodec].includes('copy')) {
    if (watermark || timecode) throw new Refusal('A picture that is copied unchanged cannot have a watermark or timecode.');
    return unmixed('-map', '0:V:0');
  }
  const target = isStreaming(command) ? streamedSize(command, source) : targetSize(command, source);
  const filters = pictureFilters(request, target);
  if (!watermark) return unmixed('-map', '0:V:0', '-vf', writeFilters(filters));
  const chains = overlayWatermark({ watermark, target, picture: filters, input: 1 });
  return { options: ['-map', '[picture]'], chains, input: { name: WATERMARK, holds: 'image' } };
}

/** Returns the filters of the picture: those of the format, the scaling, the timecode. */
function pictureFilters({ command, timecode, source }: BuildRequest, target: Size | null): readonly FilterNode[] {
  const own = userFilters(command.vf, 'video');
  if (!isStreaming(command)) return [...own, fitIntoBounds(command), ...(timecode ? burnTimecode(timecode, target, source) : [])];
  if (target === null) throw new Refusal('The size of the picture cannot be read.');
  const frameRate = streamedRate(source).value;
  return [...own, ...streamedPicture(source, target), ...(timecode ? burnTimecode(timecode, target, { frameRate }) : [])];
}

interface Overlay {
  readonly watermark: Watermark;
  readonly target: Size | null;
  /** Filters of the picture under the watermark. */
  readonly picture: readonly FilterNode[];
  /** Index of the watermark's input. */
  readonly input: number;
}

/** Overlays a watermark on the picture, as the stream `picture`. */
function overlayWatermark({ watermark, target, picture, input }: Overlay): readonly FilterChain[] {
  const { width, margin } = watermarkWidth(watermark, target);
  const { x, y } = placeOf(watermarkGravity(watermark, 'position'));
  return [
    { from: ['0:V:0'], filters: picture, to: 'under' },
    { from: [`${input}:v:0`], filters: [filter('scale', width === null ? {} : { w: width, h: -1 })], to: 'mark' },
    {
      from: ['under', 'mark'],
      filters: [filter('overlay', { x: along('main_w-overlay_w', x, margin), y: along('main_h-overlay_h', y, margin) })],
      to: 'picture',
    },
  ];
}

/** The maximum of a film's longer and shorter sides, in pixels; null: unlimited. */
interface Bounds {
  readonly long: number | null;
  readonly short: number | null;
}

/**
 * `width` and `height` limit a film in its own orientation (contract section 12.1): the larger value limits its longer side, the smaller one its
 * shorter side, so 720p is 1280 x 720 or 720 x 1280. A single value refers to a landscape film: `width` to its longer, `height` to its shorter side.
 */
function boundsOf({ width, height }: Parameters): Bounds {
  if (width !== undefined && height !== undefined) {
    return { long: Math.max(Number(width), Number(height)), short: Math.min(Number(width), Number(height)) };
  }
  return { long: width === undefined ? null : Number(width), short: height === undefined ? null : Number(height) };
}

/** Scales a film into its bounds without enlarging it, with even sides, which 4:2:0 chroma subsampling requires. */
function fitIntoBounds(command: Parameters): FilterNode {
  const { long, short } = boundsOf(command);
  if (long === null && short === null) return filter('scale', { w: 'trunc(iw/2)*2', h: 'trunc(ih/2)*2' });
  const box = { w: side('iw', { landscape: long, portrait: short }), h: side('ih', { landscape: short, portrait: long }) };
  return filter('scale', { ...box, force_original_aspect_ratio: 'decrease', force_divisible_by: 2 });
}

/** Lets ffmpeg determine the orientation: `dar` is the display aspect ratio after the rotation, even if pixels are not square. */
function side(own: 'iw' | 'ih', { landscape, portrait }: { readonly landscape: number | null; readonly portrait: number | null }): string {
  if (landscape === portrait) return `min(${own},${landscape})`;
  return `min(${own},if(lt(dar,1),${portrait ?? own},${landscape ?? own}))`;
}

/** Returns the size of ffmpeg's picture, as `fitIntoBounds` makes it; null: unknown. */
export function targetSize(command: Parameters, source: SourceFacts): Size | null {
  const size = displaySize(source);
  if (size === null || isResizing(command)) return null;
  const { long, short } = boundsOf(command);
  const [width, height] = isPortrait(size, source) ? [short, long] : [long, short];
  const factor = Math.min(1, (width ?? size.width) / size.width, (height ?? size.height) / size.height);
  const even = (pixels: number) => Math.max(2, Math.floor((pixels * factor) / 2 + 1e-6) * 2);
  return { width: even(size.width), height: even(size.height) };
}

const isPortrait = (size: Size, source: SourceFacts): boolean => displayAspect(size, source) < 1;

/** Width divided by height as a viewer sees the film: after the rotation, and taking account of pixels that are not square. */
function displayAspect({ width, height }: Size, { pixelAspect, rotation }: SourceFacts): number {
  const aspect = pixelAspect ?? 1;
  const isTurned = Math.abs(rotation ?? 0) % 180 === 90;
  return (width / height) * (isTurned ? 1 / aspect : aspect);
}

/** Returns the size of a picture of the film with square pixels within the bounds of `width` and `height`; null: unknown. */
export function squareSize(command: Parameters, source: SourceFacts): Size | null {
  const size = displaySize(source);
  return size && targetSize(command, { ...source, ...squared(size, source), rotation: 0, pixelAspect: null });
}

/** Converts a size to square pixels by enlarging one side, so that no detail is lost. */
function squared(size: Size, source: SourceFacts): Size {
  const aspect = displayAspect(size, source);
  return aspect * size.height >= size.width
    ? { width: Math.round(size.height * aspect), height: size.height }
    : { width: size.width, height: Math.round(size.width / aspect) };
}

/** Sample rate in Hz while the watermark is prepared; the sound is resampled too, so that both match. */
const RATE = 48_000;

/** Plans how the sound is made. A source without sound gets no audio watermark. */
export function planSound({ command, settings, source }: BuildRequest, kind: OutputKind, nextInput: number): StreamPlan {
  if (kind.holds === 'audio' && source.hasAudio === false) throw new Refusal('The source has no sound.');
  if (kind.holds === 'image' || kind.options.includes('-an') || isOn(command, 'an') || source.hasAudio === false) {
    return unmixed(...(kind.options.includes('-an') ? [] : ['-an']));
  }
  const filters = [...userFilters(command.af, 'audio'), ...(isStreaming(command) ? [streamedSound()] : [])];
  const { audioWatermark } = settings;
  if ([command['c:a'], command.acodec].includes('copy')) {
    if (audioWatermark) throw new Refusal('Sound that is copied unchanged cannot have an audio watermark.');
    return unmixed('-map', '0:a:0?');
  }
  if (!audioWatermark) return unmixed('-map', '0:a:0?', ...(filters.length > 0 ? ['-af', writeFilters(filters)] : []));
  const chains = mixWatermark(audioWatermark, filters, nextInput);
  return { options: ['-map', '[sound]'], chains, input: { name: AUDIO_WATERMARK, holds: 'media' } };
}

/**
 * Mixes the watermark into the sound, as the stream `sound`: first at `position` seconds, then every `interval` seconds to the end. One interval
 * of the watermark is kept in memory, in 16 bits and mono: an hour takes 350 MB.
 */
function mixWatermark({ position, interval }: AudioWatermark, sound: readonly FilterNode[], input: number): readonly FilterChain[] {
  const repeat =
    interval === undefined || interval === 0
      ? []
      : [filter('apad', { whole_dur: interval }), filter('atrim', { end: interval }), filter('aloop', { loop: -1, size: interval * RATE })];
  const mark = [
    filter('aresample', { sample_rate: RATE }),
    filter('aformat', { sample_fmts: 's16', channel_layouts: 'mono' }),
    ...repeat,
    ...(position ? [filter('adelay', { delays: position * 1000, all: 1 })] : []),
  ];
  const mix = filter('amix', { inputs: 2, duration: 'first', dropout_transition: 0, normalize: 0 });
  return [
    { from: ['0:a:0'], filters: [...sound, filter('aresample', { sample_rate: RATE })], to: 'plain' },
    { from: [`${input}:a:0`], filters: mark, to: 'beep' },
    { from: ['plain', 'beep'], filters: [mix], to: 'sound' },
  ];
}
