import { parseUrl } from '../../../../shared/validation/index.js';

/** A piece of a line; with `url` it is a link. */
export interface Segment {
  readonly text: string;
  readonly url?: string;
}

/** Each line is a list of segments. */
export type Paragraph = readonly (readonly Segment[])[];

/** Punctuation after an address is not part of it. */
const ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}']/gi;

/** Splits a plain text into paragraphs at empty lines, with web addresses as links. */
export const linkedParagraphs = (text: string): Paragraph[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .trim()
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.split('\n').map(linkedLine));

/** The same without links. */
export const plainParagraph = (text: string): Paragraph => text.split(/\r\n?|\n/).map((line) => [{ text: line }]);

function linkedLine(line: string): Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const { 0: text, index } of line.matchAll(ADDRESS)) {
    if (!parseUrl(text)) continue;
    if (index > end) segments.push({ text: line.slice(end, index) });
    segments.push({ text, url: text });
    end = index + text.length;
  }
  if (end < line.length || segments.length === 0) segments.push({ text: line.slice(end) });
  return segments;
}
