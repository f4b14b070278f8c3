import { GRAVITIES, type Gravity, type Watermark } from '../format-settings.js';

/** Where something lies along one side: at its beginning, in the middle, or at its end. */
export type Edge = 'start' | 'middle' | 'end';

export interface Place {
  readonly x: Edge;
  readonly y: Edge;
}

/** Along both sides: `SouthEast` is at the end of each. */
export const placeOf = (gravity: Gravity): Place => ({
  x: gravity.endsWith('West') ? 'start' : gravity.endsWith('East') ? 'end' : 'middle',
  y: gravity.startsWith('North') ? 'start' : gravity.startsWith('South') ? 'end' : 'middle',
});

export const isGravity = (text: unknown): text is Gravity => (GRAVITIES as readonly unknown[]).includes(text);

const POSITIONS: Readonly<Record<NonNullable<Watermark['position']>, Gravity>> = {
  tl: 'NorthWest',
  tr: 'NorthEast',
  bl: 'SouthWest',
  br: 'SouthEast',
  c: 'Center',
};

/** Where a watermark goes: on images `gravity` counts first, on videos `position`; bottom right when neither is set. */
export function watermarkGravity({ position, gravity }: Watermark, first: 'gravity' | 'position'): Gravity {
  const named = position ? POSITIONS[position] : undefined;
  return (first === 'gravity' ? (gravity ?? named) : (named ?? gravity)) ?? 'SouthEast';
}
