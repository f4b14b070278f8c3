import { EmailFormats } from './email-formats.js';
import { type EmailLanguage, type EmailTerms, emailTerms } from './email-language.js';
import type { EmailParameters } from './email-parameters.js';

/** The content of a mail, before it becomes plain text and HTML. All of it is plain text; the layouts escape it. */
export interface EmailContent {
  readonly subject: string;
  /** The preview that mail clients show beside the subject; empty: the beginning of the text. */
  readonly preheader: string;
  readonly heading: string | null;
  readonly paragraphs: readonly string[];
  /** A message written by a person, visually separate from the other text. */
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

/** The name of the event's dropsite in a mail: among the facts, and in the subject. */
export function nameDropsite(given: EmailParameters, terms: EmailTerms): { readonly dropsite: string; readonly inSubject: string } {
  const name = given.line('dropsiteName', 'name');
  const dropsite = name ?? terms.numbered(given.line('dropsiteId') ?? '?');
  return { dropsite, inSubject: name ?? `${terms.dropsite} ${dropsite}` };
}

/** A template: its words in every language, and the function that writes the mail. */
export interface EmailTemplateWriter {
  readonly texts: Readonly<Record<EmailLanguage, object>>;
  /** Writes the mail. Throws UnusableEmail if an essential value is missing. */
  write(language: EmailLanguage, given: EmailParameters): EmailContent;
}

/** The tools with which a template writes a mail. */
export interface EmailTools {
  readonly formats: EmailFormats;
  /** Words that several templates use. */
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
