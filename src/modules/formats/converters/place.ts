import type { Watermark } from '../format-settings.dto.js';
import type { Gravity } from '../format-settings.js';
import { Refusal, type Size } from './converter.js';

/** A position along one axis: at the start, in the middle, or at the end. */
type Edge = 'start' | 'middle' | 'end';

interface Place {
  readonly x: Edge;
  readonly y: Edge;
}

/** Returns the position along both axes: `SouthEast` is at the end of each. */
export const placeOf = (gravity: Gravity): Place => ({
  x: gravity.endsWith('West') ? 'start' : gravity.endsWith('East') ? 'end' : 'middle',
  y: gravity.startsWith('North') ? 'start' : gravity.startsWith('South') ? 'end' : 'middle',
});

/** Returns ffmpeg's expression for a position along an axis; `room` is the difference of the sizes: `main_w-overlay_w`. */
export function along(room: string, edge: Edge, margin: number): string {
  if (edge === 'start') return String(margin);
  return edge === 'middle' ? `(${room})/2` : `${room}-${margin}`;
}

const POSITIONS: Readonly<Record<NonNullable<Watermark['position']>, Gravity>> = {
  tl: 'NorthWest',
  tr: 'NorthEast',
  bl: 'SouthWest',
  br: 'SouthEast',
  c: 'Center',
};

/** Returns the position of a watermark: for images `gravity` takes precedence, for videos `position`; the default is bottom right. */
export function watermarkGravity({ position, gravity }: Watermark, first: 'gravity' | 'position'): Gravity {
  const named = position ? POSITIONS[position] : undefined;
  return (first === 'gravity' ? (gravity ?? named) : (named ?? gravity)) ?? 'SouthEast';
}

/** Percentage of the target's width if the format does not specify it. */
const DEFAULT_FACTOR = 20;
/** Distance from the edges, as a part of the target's width. */
const MARGIN = 0.02;

/** Returns width and margin of a watermark in pixels; `width` null: unscaled. Throws a Refusal if the target's size is unknown. */
export function watermarkWidth(watermark: Watermark, target: Size | null): { readonly width: number | null; readonly margin: number } {
  if (target === null) throw new Refusal("A watermark needs the picture's size, which is not known.");
  const { percent, margin } = watermarkShare(watermark);
  return {
    width: percent === 0 ? null : Math.max(1, Math.round((target.width * percent) / 100)),
    margin: Math.round(target.width * margin),
  };
}

/** Returns width (in percent, 0: unscaled) and margin (as a part) of a watermark, both of the target's width. */
export const watermarkShare = ({ widthFactor }: Watermark): { readonly percent: number; readonly margin: number } => ({
  percent: widthFactor ?? DEFAULT_FACTOR,
  margin: MARGIN,
});
