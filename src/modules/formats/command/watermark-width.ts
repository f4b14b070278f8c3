import type { Watermark } from '../format-settings.js';
import { Refusal } from './refusal.js';
import type { Size } from './source-facts.js';

/** Per cent of the target's width when the format does not say. */
const DEFAULT_FACTOR = 20;
/** Distance from the edges: 2 per cent of the target's width. */
const MARGIN = 0.02;

/** How wide a watermark becomes, and its distance from the edges, in pixels; `width` null: as wide as it is. Needs the target's size. */
export function watermarkWidth(
  { widthFactor }: Watermark,
  target: Size | null,
): { readonly width: number | null; readonly margin: number } {
  if (target === null) throw new Refusal("A watermark needs the picture's size, which is not known.");
  const factor = widthFactor ?? DEFAULT_FACTOR;
  return { width: factor === 0 ? null : Math.max(1, Math.round((target.width * factor) / 100)), margin: Math.round(target.width * MARGIN) };
}
