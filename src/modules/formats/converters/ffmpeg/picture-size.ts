import type { Parameters } from '../../format-settings.js';
import { displaySize, type Size, type SourceFacts } from '../converter.js';
import { type FilterNode, filter } from './filter-graph.js';

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

/**
 * Returns the size of a film's picture within the bounds of `width` and `height`: never enlarged, with square pixels (contract section 13.7) and even
 * sides, which 4:2:0 chroma subsampling requires. Null: the size of the source is unknown.
 */
export function squareSize(command: Parameters, source: SourceFacts): Size | null {
  const size = displaySize(source);
  if (size === null) return null;
  const { long, short } = boundsOf(command);
  const [width, height] = size.width < size.height ? [short, long] : [long, short];
  const factor = Math.min(1, (width ?? size.width) / size.width, (height ?? size.height) / size.height);
  const even = (pixels: number) => Math.max(2, Math.floor((pixels * factor) / 2 + 1e-6) * 2);
  return { width: even(size.width), height: even(size.height) };
}

/** Returns the options of `scale` for a film whose size is not known, because other filters change it: ffmpeg fits it into the bounds. */
export function fitIntoBounds(command: Parameters): FilterNode['options'] {
  const { long, short } = boundsOf(command);
  if (long === null && short === null) return { w: 'trunc(iw/2)*2', h: 'trunc(ih/2)*2' };
  const box = { w: side('iw', { landscape: long, portrait: short }), h: side('ih', { landscape: short, portrait: long }) };
  return { ...box, force_original_aspect_ratio: 'decrease', force_divisible_by: 2 };
}

/** Lets ffmpeg determine the orientation: `dar` is the display aspect ratio after the rotation, even if pixels are not square. */
function side(own: 'iw' | 'ih', { landscape, portrait }: { readonly landscape: number | null; readonly portrait: number | null }): string {
  if (landscape === portrait) return `min(${own},${landscape})`;
  return `min(${own},if(lt(dar,1),${portrait ?? own},${landscape ?? own}))`;
}

/** Makes the pixels of a picture square. */
export const squarePixels = ({ pixelAspect }: Pick<SourceFacts, 'pixelAspect'>): FilterNode =>
  filter(
    'setsar',
    { sar: 1 },
    pixelAspect === null ? undefined : `pixels of the source are ${pixelAspect.toFixed(3)} times as wide as high`,
  );
