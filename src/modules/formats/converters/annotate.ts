import { parseColor } from '../../../shared/color.js';
import { cleanText } from '../clean-text.js';
import type { Annotation } from '../format-settings.dto.js';
import type { Size } from './converter.js';
import { placeOf } from './place.js';

/** Common names of fonts; the fonts are from Debian's package fonts-dejavu-core. */
const FAMILIES: Readonly<Record<string, string>> = {
  'dejavu-sans': 'DejaVu-Sans',
  arial: 'DejaVu-Sans',
  calibri: 'DejaVu-Sans',
  helvetica: 'DejaVu-Sans',
  'open-sans': 'DejaVu-Sans',
  roboto: 'DejaVu-Sans',
  sans: 'DejaVu-Sans',
  tahoma: 'DejaVu-Sans',
  verdana: 'DejaVu-Sans',
  'sans-serif': 'DejaVu-Sans',
  'dejavu-serif': 'DejaVu-Serif',
  times: 'DejaVu-Serif',
  'times-new-roman': 'DejaVu-Serif',
  georgia: 'DejaVu-Serif',
  serif: 'DejaVu-Serif',
  'dejavu-sans-mono': 'DejaVu-Sans-Mono',
  courier: 'DejaVu-Sans-Mono',
  'courier-new': 'DejaVu-Sans-Mono',
  monospace: 'DejaVu-Sans-Mono',
};
const FONTS: ReadonlyMap<string, string> = new Map(
  Object.entries(FAMILIES).flatMap(([word, font]) => [
    [word, font],
    [`${word}-bold`, `${font}-Bold`],
  ]),
);

const DEFAULT_FONT = 'DejaVu-Sans';

/** Returns ImageMagick's name of a font; null: unknown. Never returns a file name, which ImageMagick would also accept. */
export const findFont = (name: string): string | null => FONTS.get(name.trim().toLowerCase().replaceAll(/[ _]/g, '-')) ?? null;

/** A longer text would not be legible. */
const MAX_CHARACTERS = 2_000;
const MIN_POINTS = 12;
/** Used if the size of the target is unknown. */
const DEFAULT_SIZE: Size = { width: 800, height: 600 };

/** Returns the options that draw a text; by default its height is 1/25 of the image's, its distance from the edge 1/50 of the width. */
export function annotate({ text, fill, font, gravity, pointSize, relative }: Annotation, target: Size | null): readonly string[] {
  const { width, height } = target ?? DEFAULT_SIZE;
  const points = pointSize ?? Math.max(MIN_POINTS, Math.round(height / 25));
  const { x, y } = placeOf(gravity ?? 'South');
  const distance = relative ?? Math.round(width / 50);
  const offset = `+${x === 'middle' ? 0 : distance}+${y === 'middle' ? 0 : distance}`;
  return [
    ...['-gravity', gravity ?? 'South', '-font', findFont(font ?? '') ?? DEFAULT_FONT, '-pointsize', String(points)],
    ...['-fill', toImageMagickColor(fill ?? 'white'), '-annotate', offset, escapeText(text)],
  ];
}

/**
 * Escapes a text so that ImageMagick draws it literally: `%` and `\` start escapes, `&` starts an entity, and `@` at the start of the text
 * the name of a file whose content is drawn.
 */
export function escapeText(text: string): string {
  const escaped = [...cleanText(text)]
    .slice(0, MAX_CHARACTERS)
    .join('')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('&', '&amp;');
  return escaped.startsWith('@') ? `\\${escaped}` : escaped;
}

/** Converts a validated colour to ImageMagick's notation. */
export function toImageMagickColor(text: string): string {
  const color = parseColor(text);
  if (color === null) throw new Error(`Not a colour: ${text}`);
  if (color.name !== null) return color.name;
  const opacity = Math.round(color.opacity * 255);
  return `#${color.hex}${opacity === 255 ? '' : opacity.toString(16).padStart(2, '0')}`;
}
