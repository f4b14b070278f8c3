import type { Watermark } from '../../format-settings.dto.js';
import type { Parameters } from '../../format-settings.js';
import { type BuildRequest, displaySize, Refusal, type Size, type SourceFacts, WATERMARK } from '../converter.js';
import { type Edge, placeOf, watermarkGravity, watermarkWidth } from '../place.js';
import { burnTimecode } from './burn-timecode.js';
import { parseFilters } from './ffmpeg-parameters.js';
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

/** How the picture is made. */
export function planPicture(request: BuildRequest, kind: OutputKind): StreamPlan {
  const { command, settings, timecode, source } = request;
  if (kind.holds === 'audio' || isOn(command, 'vn')) return { options: ['-vn'], chains: [], input: null };
  if (source.hasVideo === false) throw new Refusal('The source has no picture.');
  const { watermark } = settings;
  if ([command['c:v'], command.vcodec].includes('copy')) {
    if (watermark || timecode) throw new Refusal('A picture that is copied unchanged cannot have a watermark or timecode.');
    return { options: ['-map', '0:V:0'], chains: [], input: null };
  }
  const target = targetSize(command, source);
  const filters = pictureFilters(request, target);
  if (!watermark) return { options: ['-map', '0:V:0', '-vf', writeFilters(filters)], chains: [], input: null };
  const chains = overlayWatermark({ watermark, target, picture: filters, input: 1 });
  return { options: ['-map', '[picture]'], chains, input: { name: WATERMARK, holds: 'image' } };
}

/** The filters of the picture: the format's own, the scaling, the timecode. */
const pictureFilters = ({ command, timecode, source }: BuildRequest, target: Size | null): readonly FilterNode[] => [
  ...userFilters(command.vf, 'video'),
  fitIntoBounds(command),
  ...(timecode ? burnTimecode(timecode, target, source) : []),
];

interface Overlay {
  readonly watermark: Watermark;
  readonly target: Size | null;
  /** Filters of the picture under the watermark. */
  readonly picture: readonly FilterNode[];
  /** Number of the watermark's input. */
  readonly input: number;
}

/** The picture with a watermark over it, as the stream `picture`. */
function overlayWatermark({ watermark, target, picture, input }: Overlay): readonly FilterChain[] {
  const { width, margin } = watermarkWidth(watermark, target);
  const { x, y } = placeOf(watermarkGravity(watermark, 'position'));
  return [
    { from: ['0:V:0'], filters: picture, to: 'under' },
    { from: [`${input}:v:0`], filters: [filter('scale', width === null ? {} : { w: width, h: -1 })], to: 'mark' },
    { from: ['under', 'mark'], filters: [filter('overlay', { x: along('w', x, margin), y: along('h', y, margin) })], to: 'picture' },
  ];
}

function along(side: 'w' | 'h', edge: Edge, margin: number): string {
  if (edge === 'start') return String(margin);
  return edge === 'middle' ? `(main_${side}-overlay_${side})/2` : `main_${side}-overlay_${side}-${margin}`;
}

const RESIZING = new Set(['scale', 'zscale', 'crop', 'pad', 'transpose', 'rotate']);

/** The maximum of the longer and the shorter side of a film, in pixels; null: its own size. */
interface Bounds {
  readonly long: number | null;
  readonly short: number | null;
}

/**
 * `width` and `height` bound a film in its own orientation (contract section 12.1): the larger one its longer side, the smaller one its shorter
 * side, so 720p is 1280 x 720 or 720 x 1280. One alone refers to a landscape film: `width` to its longer side, `height` to its shorter side.
 */
function boundsOf({ width, height }: Parameters): Bounds {
  if (width !== undefined && height !== undefined) {
    return { long: Math.max(Number(width), Number(height)), short: Math.min(Number(width), Number(height)) };
  }
  return { long: width === undefined ? null : Number(width), short: height === undefined ? null : Number(height) };
}

/** Scales a film into its bounds, never larger than it is, with even sides, which halved colours need. */
function fitIntoBounds(command: Parameters): FilterNode {
  const { long, short } = boundsOf(command);
  if (long === null && short === null) return filter('scale', { w: 'trunc(iw/2)*2', h: 'trunc(ih/2)*2' });
  const box = { w: side('iw', { landscape: long, portrait: short }), h: side('ih', { landscape: short, portrait: long }) };
  return filter('scale', { ...box, force_original_aspect_ratio: 'decrease', force_divisible_by: 2 });
}

/** ffmpeg itself knows the orientation: `dar` is the display aspect ratio, after the rotation and with pixels that are not square. */
function side(own: 'iw' | 'ih', { landscape, portrait }: { readonly landscape: number | null; readonly portrait: number | null }): string {
  if (landscape === portrait) return `min(${own},${landscape})`;
  return `min(${own},if(lt(dar,1),${portrait ?? own},${landscape ?? own}))`;
}

/** The size of ffmpeg's picture, as `fitIntoBounds` makes it; null: unknown. */
export function targetSize(command: Parameters, source: SourceFacts): Size | null {
  const filters = parseFilters(String(command.vf ?? ''), 'video') ?? [];
  const size = displaySize(source);
  if (size === null || filters.some(({ name }) => RESIZING.has(name))) return null;
  const { long, short } = boundsOf(command);
  const [width, height] = isPortrait(size, source) ? [short, long] : [long, short];
  const factor = Math.min(1, (width ?? size.width) / size.width, (height ?? size.height) / size.height);
  const even = (pixels: number) => Math.max(2, Math.floor((pixels * factor) / 2 + 1e-6) * 2);
  return { width: even(size.width), height: even(size.height) };
}

function isPortrait({ width, height }: Size, { pixelAspect, rotation }: SourceFacts): boolean {
  const aspect = pixelAspect ?? 1;
  const isTurned = Math.abs(rotation ?? 0) % 180 === 90;
  return (width / height) * (isTurned ? 1 / aspect : aspect) < 1;
}
