import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { EmailContent } from './email-content.js';
import { type Paragraph, plainParagraph } from './linked-paragraphs.js';

/** What stands around the content. */
export interface EmailFrame {
  /** BCP 47. */
  readonly language: string;
  readonly service: string;
  readonly footer: string;
  readonly hint: string;
}

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@email', readFileSync(new URL('./email.eta', import.meta.url), 'utf8'));

/** A mail as HTML. `body`: its paragraphs, where they have links; else those of the content. */
export function emailHtml(
  content: EmailContent,
  frame: EmailFrame,
  body: readonly Paragraph[] = content.paragraphs.map(plainParagraph),
): string {
  const quote = content.quote === null ? null : plainParagraph(content.quote);
  return eta.render('@email', { ...content, ...frame, body, quote }).replaceAll(/^\s*\n/gm, '');
}
