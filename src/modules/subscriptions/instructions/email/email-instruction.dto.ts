import type { EmailTemplate } from './email-templates.js';

/** A recipient of an e-mail. */
export class RecipientDto {
  /** An e-mail address; it may contain placeholders. @example ":user.email" */
  recipient: string;
  /** BCP 47. @example "en" */
  language?: string;
}

/** An e-mail to each recipient: a template, or a subject and a text. */
export class EmailInstructionDto {
  /** @example "email" */
  type: 'email';
  /** Up to 50; each recipient gets a separate mail. */
  to: RecipientDto[];
  /** One of the templates of the service. @example "uploadComplete" */
  template?: EmailTemplate;
  /** For the template; they take precedence over the payload of the event. @example { "title": "Pictures" } */
  parameters?: Record<string, unknown>;
  /** @example "Container :mediaContainerId has arrived" */
  subject?: string;
  /** @example "Have a look." */
  text?: string;
}
