import { parseColor } from '../../../../shared/color/index.js';
import { cleanText } from '../../clean-text.js';
import type { Annotation } from '../../format-settings.dto.js';
import type { Size } from '../converter.js';
import { placeOf } from '../place.js';

/** What people call a kind of font; Debian's fonts-dejavu-core holds the fonts. */
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

/** The font that a name means, as ImageMagick knows it; null: none. Never a file, which ImageMagick would take too. */
export const findFont = (name: string): string | null => FONTS.get(name.trim().toLowerCase().replaceAll(/[ _]/g, '-')) ?? null;

/** More would not be legible. */
const MAX_CHARACTERS = 2_000;
const SMALLEST_POINTS = 12;
/** Used when the size of the target is not known. */
const USUAL: Size = { width: 800, height: 600 };

/** Options that write a text on the picture: a twenty-fifth of its height, a fiftieth of its width from the edge, unless it is said. */
export function annotate({ text, fill, font, gravity, pointSize, relative }: Annotation, target: Size | null): readonly string[] {
  const { width, height } = target ?? USUAL;
  const points = pointSize ?? Math.max(SMALLEST_POINTS, Math.round(height / 25));
  const { x, y } = placeOf(gravity ?? 'South');
  const distance = relative ?? Math.round(width / 50);
  const offset = `+${x === 'middle' ? 0 : distance}+${y === 'middle' ? 0 : distance}`;
  return [
    ...['-gravity', gravity ?? 'South', '-font', findFont(font ?? '') ?? DEFAULT_FONT, '-pointsize', String(points)],
    ...['-fill', toImageMagickColor(fill ?? 'white'), '-annotate', offset, escapeText(text)],
  ];
}

/**
 * A text as ImageMagick prints it literally: `%` and `\` begin escapes, `&` an entity, and `@` at the beginning is the name of a file whose
 * content is printed.
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

/** Of a colour that was checked before. */
export function toImageMagickColor(text: string): string {
  const color = parseColor(text);
  if (color === null) throw new Error(`Not a colour: ${text}`);
  if (color.name !== null) return color.name;
  const opacity = Math.round(color.opacity * 255);
  return `#${color.hex}${opacity === 255 ? '' : opacity.toString(16).padStart(2, '0')}`;
}
