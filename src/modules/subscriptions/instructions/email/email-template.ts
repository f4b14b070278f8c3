import type { EmailContent } from './email-content.js';
import { EmailFormats } from './email-formats.js';
import type { EmailLanguage } from './email-language.js';
import type { EmailParameters } from './email-parameters.js';
import { type EmailTerms, emailTerms } from './email-terms.js';

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
