/** Pixels per unit (CSS Values and Units Level 4, section 6.2); `em` and `ex` by the default size of text. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ...([
    ['', 1],
    ['px', 1],
    ['in', 96],
    ['cm', 96 / 2.54],
    ['mm', 96 / 25.4],
    ['pt', 96 / 72],
    ['pc', 16],
    ['em', 16],
    ['ex', 8],
  ] as const),
]);
const LENGTH = /^\s*\+?(\d{1,9}(?:\.\d{0,9})?)([a-z]{0,2})\s*$/i;
/** An attribute with the blanks before it. Sticky: the attributes of a tag follow each other. */
const ATTRIBUTE = /\s+([\w:.-]{1,100})\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
/** How an XML document begins; other files may contain a drawing. */
const MARKUP = /^\ufeff?\s*</;
const ROOT = /<svg(?=[\s>/])/i;

/**
 * Reads the size of an SVG drawing in CSS pixels from its first characters: `width` and `height` of the root, else the shape of its `viewBox` (SVG 2,
 * sections 8.2 and 8.6). Null: the text is no SVG, or does not say.
 */
export function readSvgSize(text: string): { readonly width: number; readonly height: number } | null {
  const root = MARKUP.test(text) ? ROOT.exec(text) : null;
  if (!root) return null;
  const attributes = attributesFrom(text, root.index + root[0].length);
  const [width, height] = [lengthOf(attributes.get('width')), lengthOf(attributes.get('height'))];
  const [, , boxWidth = 0, boxHeight = 0] = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const hasBox = boxWidth > 0 && boxHeight > 0;
  if (width !== null && height !== null) return rounded(width, height);
  if (!hasBox) return null;
  if (width !== null) return rounded(width, (width * boxHeight) / boxWidth);
  return height === null ? rounded(boxWidth, boxHeight) : rounded((height * boxWidth) / boxHeight, height);
}

function attributesFrom(text: string, start: number): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const pattern = new RegExp(ATTRIBUTE);
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) attributes.set(found[1] ?? '', found[2] ?? found[3] ?? '');
  return attributes;
}

/** A length in pixels; null: absent, a percentage, or not positive. */
function lengthOf(value: string | undefined): number | null {
  const [, number, unit = ''] = LENGTH.exec(value ?? '') ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  const length = number === undefined || factor === undefined ? 0 : Number(number) * factor;
  return length > 0 ? length : null;
}

function rounded(width: number, height: number): { readonly width: number; readonly height: number } | null {
  const size = { width: Math.round(width), height: Math.round(height) };
  return Number.isSafeInteger(size.width) && Number.isSafeInteger(size.height) && size.width > 0 && size.height > 0 ? size : null;
}
