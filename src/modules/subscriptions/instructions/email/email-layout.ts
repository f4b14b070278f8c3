import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { EmailContent } from './email-template.js';
import { type Paragraph, plainParagraph } from './linked-paragraphs.js';

/** What surrounds the content. */
export interface EmailFrame {
  /** BCP 47. */
  readonly language: string;
  readonly service: string;
  readonly footer: string;
  readonly hint: string;
}

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@email', readFileSync(new URL('./email.eta', import.meta.url), 'utf8'));

/** A mail as HTML. `body`: its paragraphs with links, in place of those of the content. */
export function emailHtml(
  content: EmailContent,
  frame: EmailFrame,
  body: readonly Paragraph[] = content.paragraphs.map(plainParagraph),
): string {
  const quote = content.quote === null ? null : plainParagraph(content.quote);
  return eta.render('@email', { ...content, ...frame, body, quote }).replaceAll(/^\s*\n/gm, '');
}

/** A mail as plain text; `footer` names the sender, below the line that mail clients take for the beginning of a signature. */
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
