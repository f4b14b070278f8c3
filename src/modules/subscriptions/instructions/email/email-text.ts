import type { EmailContent } from './email-content.js';

/** A mail as plain text; `footer` says who sent it, below the line that mail clients know as the beginning of a signature. */
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
