import type { Parameters } from '../format-settings.js';
import type { Size, Step, Unusable } from './converter.js';

const DEFAULT_DPI = 110;
const POINTS_PER_INCH = 72;
/** The longest side of an image of a page in pixels, as `width` may ask for: a page may be 200 inches high, or a hundred times as high as wide. */
const MAX_SIDE = 8_192;

/**
 * Reads the size of a page in points, as it is shown, from the output of `pdfinfo -box` for this page; null: it is not stated. Viewers show
 * the crop box (ISO 32000-1, 14.11.2). The last such lines count, because texts of the document precede them.
 */
export function readPageSize(facts: string): Size | null {
  const [left = 0, bottom = 0, right = 0, top = 0] = lastMatch(facts, /^Page +\d+ CropBox: +(\S+) +(\S+) +(\S+) +(\S+)$/gm).map(Number);
  const [rotation = 0] = lastMatch(facts, /^Page +\d+ rot: +(\d+)$/gm).map(Number);
  const [width, height] = [Math.abs(right - left), Math.abs(top - bottom)];
  if (!(width > 0 && height > 0)) return null;
  return rotation % 180 === 90 ? { width: height, height: width } : { width, height };
}

/** Reads the number of pages of a PDF from the output of pdfinfo; null: it is not stated. */
export const readPageCount = (facts: string): number | null => Number(lastMatch(facts, /^Pages: +(\d{1,9})$/gm)[0]) || null;

const lastMatch = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].at(-1)?.slice(1) ?? [];

/**
 * Returns the options of pdftoppm for the size that a format asks for, reduced to MAX_SIDE. Null: the size of the page is unknown. `unit`: the points of
 * the page's unit, which Poppler takes for one.
 */
export function pageResolution(page: Size | null, { dpi = DEFAULT_DPI, width }: Parameters, unit = 1): readonly string[] {
  const pixelsPerPoint = page && width !== undefined ? Number(width) / page.width : (Number(dpi) * unit) / POINTS_PER_INCH;
  if (page === null || Math.ceil(Math.max(page.width, page.height) * pixelsPerPoint) > MAX_SIDE) return ['-scale-to', String(MAX_SIDE)];
  return width === undefined ? ['-r', String(Number(dpi) * unit)] : ['-scale-to-x', String(width), '-scale-to-y', '-1'];
}

const unreadable = (reason: string): Unusable => ({ code: 'source_unreadable', reason });

/** What Poppler writes if parts are missing that every PDF has. */
const DAMAGED = /trailer dictionary|xref table|page catalog|document catalog|Catalog object is wrong type/i;

/** Explains why LibreOffice or Poppler did not open a document, or found no such page; null: the document is not the cause. */
export function explainFailure(program: Step['program'], log: string): Unusable | null {
  if (program === 'soffice') {
    if (!/source file could not be loaded/.test(log)) return null;
    return unreadable(
      'LibreOffice cannot open the document. If it has a password, upload it without one; else save it as a PDF and upload that.',
    );
  }
  if (/Incorrect password/.test(log)) return unreadable('The document is protected by a password. Upload it without one.');
  const [, page, last] = /first page \((\d+)\) can not be after the last page \((\d+)\)/.exec(log) ?? [];
  if (last === '0') return unreadable('The document has no pages.');
  if (page !== undefined)
    return { code: 'transcoding_refused', reason: `The format shows page ${page}, but the last page of the document is ${last}.` };
  if (program !== 'pdfinfo') return null;
  return unreadable(
    DAMAGED.test(log)
      ? 'The document is damaged, so it cannot be opened. Upload it again.'
      : 'The document cannot be opened. Save it as a PDF again with a program that shows it, and upload that.',
  );
}
