import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import { parseUrl } from '../../../../shared/validation/index.js';
import type { EmailContent } from './email-template.js';

/** What surrounds the content of a mail. */
export interface EmailFrame {
  /** BCP 47. */
  readonly language: string;
  readonly service: string;
  readonly footer: string;
  readonly hint: string;
}

/** A piece of a line; with `url` it is a link. */
export interface Segment {
  readonly text: string;
  readonly url?: string;
}

/** Each line is a list of segments. */
export type Paragraph = readonly (readonly Segment[])[];

/** Matches a web address; punctuation at its end is not part of it. */
const ADDRESS = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}']/gi;

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@email', readFileSync(new URL('./email.eta', import.meta.url), 'utf8'));

/** A mail as HTML. `body`: paragraphs with links that replace those of the content. */
export function emailHtml(
  content: EmailContent,
  frame: EmailFrame,
  body: readonly Paragraph[] = content.paragraphs.map(plainParagraph),
): string {
  const quote = content.quote === null ? null : plainParagraph(content.quote);
  return withoutEmptyLines(eta.render('@email', { ...content, ...frame, body, quote }));
}

const withoutEmptyLines = (text: string): string =>
  text
    .split('\n')
    .filter((line, index, { length }) => line.trim() !== '' || index === length - 1)
    .join('\n');

/** A mail as plain text; `footer` names the sender, below the line that mail clients recognise as the start of a signature. */
export function emailText({ heading, paragraphs, quote, facts, action, note }: EmailContent, footer: string): string {
  const blocks = [
    heading,
    ...paragraphs,
    quote?.replaceAll(/^/gm, '> '),
    facts.map(({ term, value }) => `${term}: ${value}`).join('\n'),
    action && `${action.label}:\n${action.url}`,
    note,
    `-- \n${footer}`,
  ];
  return blocks.filter(Boolean).join('\n\n');
}

/** Splits a plain text into paragraphs at empty lines, with web addresses as links. */
export const linkedParagraphs = (text: string): Paragraph[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .trim()
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.split('\n').map(linkedLine));

/** Splits a plain text into the lines of one paragraph, without links. */
const plainParagraph = (text: string): Paragraph => text.split(/\r\n?|\n/).map((line) => [{ text: line }]);

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
