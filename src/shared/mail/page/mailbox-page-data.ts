import type { MailboxMail } from '../mailbox-mail.entity.js';

interface Page {
  readonly title: string;
  readonly stylesheet: string;
}

/** The list of mails, the newest first. */
export interface MailboxPage extends Page {
  readonly mails: readonly (Pick<MailboxMail, 'recipient' | 'subject' | 'createdAt'> & { readonly url: string })[];
}

/** One mail; its HTML stands in a frame. */
export interface MailPage extends Page {
  readonly listUrl: string;
  readonly mail: Pick<MailboxMail, 'messageId' | 'sender' | 'recipient' | 'text' | 'createdAt'>;
  /** Null: the mail is plain text only. */
  readonly htmlUrl: string | null;
}
