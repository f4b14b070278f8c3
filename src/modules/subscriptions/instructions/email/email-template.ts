import { EmailFormats } from './email-formats.js';
import { type EmailLanguage, type EmailTerms, emailTerms } from './email-language.js';
import type { EmailParameters } from './email-parameters.js';

/** The content of a mail, before it becomes plain text and HTML. All of it is plain text; the layouts escape it. */
export interface EmailContent {
  readonly subject: string;
  /** What mail clients show beside the subject before the mail is opened; empty: the beginning of the text. */
  readonly preheader: string;
  readonly heading: string | null;
  readonly paragraphs: readonly string[];
  /** A person's words, set apart from ours. */
  readonly quote: string | null;
  readonly facts: readonly EmailFact[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Small print. */
  readonly note: string | null;
}

export interface EmailFact {
  readonly term: string;
  readonly value: string;
}

/** The facts that are known. */
export const knownFacts = (facts: readonly (readonly [term: string, value: string | null])[]): EmailFact[] =>
  facts.flatMap(([term, value]) => (value === null ? [] : [{ term, value }]));

/** How a mail names the dropsite of its event: among the facts, and in the subject. */
export function nameDropsite(given: EmailParameters, terms: EmailTerms): { readonly dropsite: string; readonly inSubject: string } {
  const name = given.line('dropsiteName', 'name');
  const dropsite = name ?? terms.numbered(given.line('dropsiteId') ?? '?');
  return { dropsite, inSubject: name ?? `${terms.dropsite} ${dropsite}` };
}

/** A template: its words in every language, and how they become a mail. */
export interface EmailTemplateWriter {
  readonly texts: Readonly<Record<EmailLanguage, object>>;
  /** Throws UnusableEmail when something is missing without which the mail makes no sense. */
  write(language: EmailLanguage, given: EmailParameters): EmailContent;
}

/** What a template writes with. */
export interface EmailTools {
  readonly formats: EmailFormats;
  /** Words that several templates need. */
  readonly terms: EmailTerms;
}

export function defineEmailTemplate<Texts extends object>(
  texts: Readonly<Record<EmailLanguage, Texts>>,
  write: (words: Texts, given: EmailParameters, tools: EmailTools) => EmailContent,
): EmailTemplateWriter {
  return {
    texts,
    write: (language, given) => write(texts[language], given, { formats: new EmailFormats(language), terms: emailTerms[language] }),
  };
}
