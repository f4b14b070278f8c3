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

export const DEFAULT_FONT = 'DejaVu-Sans';

/** The font that a name means, as ImageMagick knows it; null: none. Never a file, which ImageMagick would take too. */
export const findFont = (name: string): string | null => FONTS.get(name.trim().toLowerCase().replaceAll(/[ _]/g, '-')) ?? null;
