import { Injectable } from '@nestjs/common';
import { Config } from '../../../../shared/config/index.js';
import { type Language, toLanguage } from '../../../../shared/languages.js';
import type { Attempt } from '../instruction.js';
import { fillPlaceholders, fillText } from '../placeholders.js';
import { emailFrameWords } from './email.messages.js';
import type { EmailInstructionDto } from './email-instruction.dto.js';
import { type EmailFrame, emailHtml, emailText, linkedParagraphs } from './email-layout.js';
import { EmailParameters, UnusableEmail } from './email-parameters.js';
import type { EmailContent } from './email-template.js';
import { EMAIL_TEMPLATES, emailTemplates } from './email-templates.js';

/** A mail without its recipient. */
export interface WrittenEmail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47; absent: unknown. */
  readonly language?: string;
}

/** Writes the mail of an instruction in the reader's language: from a template, or from the subject and text of the instruction. */
@Injectable()
export class EmailWriterService {
  constructor(private readonly config: Config) {}

  /** Writes the mail. Throws UnusableEmail if the template does not exist or lacks a value. `wanted`: BCP 47. */
  write(attempt: Attempt<EmailInstructionDto>, wanted: string | undefined): WrittenEmail {
    return attempt.instruction.template ? this.writeFromTemplate(attempt, toLanguage(wanted)) : this.writeFromText(attempt, wanted);
  }

  private writeFromTemplate({ instruction, event, values }: Attempt<EmailInstructionDto>, language: Language): WrittenEmail {
    const name = EMAIL_TEMPLATES.find((one) => one === instruction.template);
    if (!name) throw new UnusableEmail(`template: there is no template ${instruction.template}`);
    const parameters = fillPlaceholders(instruction.parameters ?? {}, values) as Readonly<Record<string, unknown>>;
    const given = new EmailParameters({ ...event.payload, ...parameters }, this.config.publicUrl);
    const content = emailTemplates[name].write(language, given);
    const frame = this.frame(language, language);
    return { subject: content.subject, text: emailText(content, frame.footer), html: emailHtml(content, frame), language };
  }

  private writeFromText({ instruction, values }: Attempt<EmailInstructionDto>, wanted: string | undefined): WrittenEmail {
    const [subject, text] = [fillText(instruction.subject ?? '', values), fillText(instruction.text ?? '', values)];
    const language = languageTag(wanted);
    const frame = this.frame(language ?? '', toLanguage(wanted));
    return { subject, text, html: emailHtml({ ...EMPTY, subject }, frame, linkedParagraphs(text)), ...(language && { language }) };
  }

  private frame(language: string, words: Language): EmailFrame {
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

/** The canonical form of BCP 47; undefined for an invalid tag. */
function languageTag(wanted: string | undefined): string | undefined {
  try {
    return wanted === undefined ? undefined : Intl.getCanonicalLocales(wanted.trim())[0];
  } catch {
    return undefined;
  }
}
