import type { Parameters } from '../../format-settings.js';
import { displaySize, type Size, type SourceFacts } from '../source-facts.js';
import { parseFilters } from './parse-filters.js';

const RESIZING = new Set(['scale', 'zscale', 'crop', 'pad', 'transpose', 'rotate']);

/** How large ffmpeg's picture becomes: into the box of `width` and `height`, never larger, sides even. Null: not known. */
export function targetSize(command: Parameters, source: SourceFacts): Size | null {
  const filters = parseFilters(String(command.vf ?? ''), 'video') ?? [];
  const size = displaySize(source);
  if (size === null || filters.some(({ name }) => RESIZING.has(name))) return null;
  const factor = Math.min(1, Number(command.width ?? size.width) / size.width, Number(command.height ?? size.height) / size.height);
  const side = (pixels: number) => Math.max(2, Math.floor((pixels * factor) / 2 + 1e-6) * 2);
  return { width: side(size.width), height: side(size.height) };
}
