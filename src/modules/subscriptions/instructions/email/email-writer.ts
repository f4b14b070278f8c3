import { Injectable } from '@nestjs/common';
import { Config } from '../../../../shared/config/index.js';
import type { EmailInstruction } from '../instruction.js';
import type { Attempt } from '../instruction-runner.js';
import { fillPlaceholders, fillText } from '../placeholders.js';
import type { EmailContent } from './email-content.js';
import { emailFrameWords } from './email-frame-words.js';
import { type EmailFrame, emailHtml } from './email-html.js';
import { type EmailLanguage, emailLanguage } from './email-language.js';
import { EmailParameters } from './email-parameters.js';
import { EMAIL_TEMPLATES } from './email-template-names.js';
import { emailTemplates } from './email-templates.js';
import { emailText } from './email-text.js';
import { linkedParagraphs } from './linked-paragraphs.js';
import { UnusableEmail } from './unusable-email.js';

/** A mail without its recipient. */
export interface WrittenEmail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47; absent: unknown. */
  readonly language?: string;
}

/** Writes the mail of an instruction for a reader of a language: from a template, or from the subject and text that the instruction has. */
@Injectable()
export class EmailWriter {
  constructor(private readonly config: Config) {}

  /** Throws UnusableEmail when the template does not exist or misses something. `wanted`: BCP 47. */
  write(attempt: Attempt<EmailInstruction>, wanted: string | undefined): WrittenEmail {
    return attempt.instruction.template ? this.fromTemplate(attempt, emailLanguage(wanted)) : this.own(attempt, wanted);
  }

  private fromTemplate({ instruction, event, values }: Attempt<EmailInstruction>, language: EmailLanguage): WrittenEmail {
    const name = EMAIL_TEMPLATES.find((one) => one === instruction.template);
    if (!name) throw new UnusableEmail(`template: there is none of the name ${instruction.template}`);
    const parameters = fillPlaceholders(instruction.parameters ?? {}, values) as Readonly<Record<string, unknown>>;
    const given = new EmailParameters({ ...event.payload, ...parameters }, this.config.publicUrl);
    const content = emailTemplates[name].write(language, given);
    const frame = this.frame(language, language);
    return { subject: content.subject, text: emailText(content, frame.footer), html: emailHtml(content, frame), language };
  }

  private own({ instruction, values }: Attempt<EmailInstruction>, wanted: string | undefined): WrittenEmail {
    const [subject, text] = [fillText(instruction.subject ?? '', values), fillText(instruction.text ?? '', values)];
    const language = languageTag(wanted);
    const frame = this.frame(language ?? '', emailLanguage(wanted));
    return { subject, text, html: emailHtml({ ...EMPTY, subject }, frame, linkedParagraphs(text)), ...(language && { language }) };
  }

  private frame(language: string, words: EmailLanguage): EmailFrame {
    const { hint, sentBy } = emailFrameWords[words];
    const { serviceName: service, publicUrl } = this.config;
    return { language, service, hint, footer: sentBy(service, new URL(publicUrl).host) };
  }
}

const EMPTY: Omit<EmailContent, 'subject'> = {
  preheader: '',
  heading: null,
  paragraphs: [],
  quote: null,
  facts: [],
  action: null,
  note: null,
};

/** As BCP 47 writes it; undefined for what is no language. */
function languageTag(wanted: string | undefined): string | undefined {
  try {
    return wanted === undefined ? undefined : Intl.getCanonicalLocales(wanted.trim())[0];
  } catch {
    return undefined;
  }
}
