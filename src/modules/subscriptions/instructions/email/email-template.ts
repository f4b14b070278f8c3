import type { ByLanguage, Language } from '../../../../shared/languages.js';
import { type EmailTerms, emailTerms } from './email.messages.js';
import { EmailFormats } from './email-formats.js';
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
  readonly facts: readonly { readonly term: string; readonly value: string }[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Small print. */
  readonly note: string | null;
}

/** The name of the event's dropsite in a mail: among the facts, and in the subject. */
export function nameDropsite(given: EmailParameters, terms: EmailTerms): { readonly dropsite: string; readonly inSubject: string } {
  const name = given.line('dropsiteName', 'name');
  const dropsite = name ?? terms.numbered(given.line('dropsiteId') ?? '?');
  return { dropsite, inSubject: name ?? `${terms.dropsite} ${dropsite}` };
}

/** A template: its words in every language, and the function that writes the mail. */
export interface EmailTemplateWriter {
  readonly texts: Readonly<Record<Language, object>>;
  /** Writes the mail. Throws UnusableEmail if an essential value is missing. */
  write(language: Language, given: EmailParameters): EmailContent;
}

/** The tools with which a template writes a mail. */
export interface EmailTools {
  readonly formats: EmailFormats;
  /** Words that several templates use. */
  readonly terms: EmailTerms;
}

/** What a template writes; the rest is derived. */
interface TemplateContent extends Pick<EmailContent, 'subject'> {
  readonly heading: string;
  /** The first paragraph is also the preview. */
  readonly paragraphs: readonly [string, ...string[]];
  readonly quote?: string | null;
  /** Facts of which the value is null are left out. */
  readonly facts: readonly (readonly [term: string, value: string | null])[];
  /** Default: opens the parameter `url`, if there is one. */
  readonly action?: EmailContent['action'];
  readonly note?: string;
}

export function defineEmailTemplate<Texts extends object>(
  texts: ByLanguage<Texts>,
  write: (words: Texts, given: EmailParameters, tools: EmailTools) => TemplateContent,
): EmailTemplateWriter {
  return {
    texts,
    write: (language, given) => {
      const terms = emailTerms[language];
      const content = write(texts[language], given, { formats: new EmailFormats(language), terms });
      const url = given.url('url');
      return {
        preheader: content.paragraphs[0],
        quote: null,
        action: url ? { label: terms.open, url } : null,
        note: null,
        ...content,
        facts: content.facts.flatMap(([term, value]) => (value === null ? [] : [{ term, value }])),
      };
    },
  };
}
