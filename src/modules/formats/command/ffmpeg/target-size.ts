import type { Parameters } from '../../format-settings.js';
import { displaySize, type Size, type SourceFacts } from '../source-facts.js';
import { type FilterNode, filter } from './filter-graph.js';
import { parseFilters } from './parse-filters.js';

const RESIZING = new Set(['scale', 'zscale', 'crop', 'pad', 'transpose', 'rotate']);

/** What the longer and the shorter side of a film may have, in pixels; null: what it has. */
interface Bounds {
  readonly long: number | null;
  readonly short: number | null;
}

/**
 * `width` and `height` bound a film in its own orientation (contract section 12.1): the larger of the two its longer side, the smaller its
 * shorter side, so 720p is 1280 x 720 or 720 x 1280. One alone is meant for a landscape film: `width` is its longer side, `height` its shorter.
 */
function boundsOf({ width, height }: Parameters): Bounds {
  if (width !== undefined && height !== undefined) {
    return { long: Math.max(Number(width), Number(height)), short: Math.min(Number(width), Number(height)) };
  }
  return { long: width === undefined ? null : Number(width), short: height === undefined ? null : Number(height) };
}

/** Scales a film into its bounds, never larger than it is, with even sides, which halved colours need. */
export function fitIntoBounds(command: Parameters): FilterNode {
  const { long, short } = boundsOf(command);
  if (long === null && short === null) return filter('scale', { w: 'trunc(iw/2)*2', h: 'trunc(ih/2)*2' });
  const box = { w: side('iw', { landscape: long, portrait: short }), h: side('ih', { landscape: short, portrait: long }) };
  return filter('scale', { ...box, force_original_aspect_ratio: 'decrease', force_divisible_by: 2 });
}

/** ffmpeg knows the orientation best: `dar` is the ratio in which the film is shown, after its rotation and with pixels that are not square. */
function side(own: 'iw' | 'ih', { landscape, portrait }: { readonly landscape: number | null; readonly portrait: number | null }): string {
  if (landscape === portrait) return `min(${own},${landscape})`;
  return `min(${own},if(lt(dar,1),${portrait ?? own},${landscape ?? own}))`;
}

/** How large ffmpeg's picture becomes, as `fitIntoBounds` makes it. Null: not known. */
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
