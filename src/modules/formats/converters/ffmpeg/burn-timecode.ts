import { parseColor } from '../../../../shared/color.js';
import type { BurnTimecode } from '../../format-settings.dto.js';
import type { Gravity } from '../../format-settings.js';
import type { Size, SourceFacts } from '../converter.js';
import { along, placeOf } from '../place.js';
import { type FilterNode, filter } from './filter-graph.js';

/** A customer's individual configuration; null and absent members override nothing. */
export type TimecodeOverrides = { readonly [Key in keyof BurnTimecode]?: BurnTimecode[Key] | null };

/** Pairs of names of the same setting: an override of the second also replaces the first. */
const SYNONYMS = [
  ['font', 'fontsize'],
  ['position', 'gravity'],
] as const;

/** Merges the format's configuration with the customer's overrides, key by key; null: the format burns in no timecode. */
export function mergeTimecode(format: BurnTimecode | undefined, customer: TimecodeOverrides | null): BurnTimecode | null {
  if (!format) return null;
  const overrides = Object.fromEntries(Object.entries(customer ?? {}).filter(([, value]) => value !== null && value !== undefined));
  const kept: Record<string, unknown> = { ...format };
  for (const [first, second] of SYNONYMS) if (second in overrides && !(first in overrides)) delete kept[first];
  return { ...kept, ...overrides };
}

/** The font is 16 px high on 360p (the shorter side), proportionally larger on larger pictures, and never smaller (specification, burnTimecode). */
const BASE = { font: 16, side: 360 };
/** ffmpeg's default frame rate if a file states none. */
const DEFAULT_RATE = 25;

/** Returns filters that draw the running timecode, after a conversion to a constant frame rate, because the timecode counts frames. */
export function burnTimecode(
  timecode: BurnTimecode,
  target: Size | null,
  { frameRate }: Pick<SourceFacts, 'frameRate'>,
): readonly FilterNode[] {
  const rate = toRational(frameRate ?? DEFAULT_RATE);
  const size = Number(timecode.font ?? timecode.fontsize ?? defaultFontSize(target));
  const { x, y } = placeOf(timecode.position ?? timecode.gravity ?? DEFAULT_GRAVITY);
  const box = {
    box: 1,
    boxcolor: toFfmpegColor(timecode.boxcolor ?? 'black@0.5'),
    boxborderw: timecode.boxborderw ?? Math.round(size / 4),
  };
  return [
    filter('fps', { fps: rate }),
    filter('drawtext', {
      font: 'DejaVu Sans Mono',
      timecode: timecode.offset === 1 ? '00:00:00:00' : '10:00:00:00',
      timecode_rate: rate,
      fontsize: size,
      fontcolor: toFfmpegColor(timecode.fontcolor ?? 'white'),
      ...(Number(timecode.box ?? 1) === 1 ? box : {}),
      x: along('w-text_w', x, size),
      y: along('h-text_h', y, size),
    }),
  ];
}

const DEFAULT_GRAVITY: Gravity = 'South';

export const defaultFontSize = (target: Size | null): number =>
  target === null ? BASE.font : Math.max(BASE.font, Math.round((Math.min(target.width, target.height) * BASE.font) / BASE.side));

/** Converts a frame rate to a fraction: 29.97 → 30000/1001. */
export function toRational(rate: number): string {
  const usable = Number.isFinite(rate) && rate > 0 ? Math.min(rate, 240) : DEFAULT_RATE;
  const nearest = Math.max(1, Math.round(usable));
  if (Math.abs(usable - nearest) < 0.001) return `${nearest}/1`;
  if (Math.abs(usable - (nearest * 1000) / 1001) < 0.005) return `${nearest * 1000}/1001`;
  return `${Math.max(1, Math.round(usable * 1000))}/1000`;
}

/** Converts a validated colour to ffmpeg's notation. */
function toFfmpegColor(text: string): string {
  const color = parseColor(text);
  if (color === null) throw new Error(`Not a colour: ${text}`);
  return `${color.name ?? `0x${color.hex}`}@${Number(color.opacity.toFixed(3))}`;
}
