import { isMailAddress } from '../email-address.js';
import { codeOfReason, SeriesCounter } from '../series-counter.js';

/** One e-mail to one person. */
export interface Mail {
  /** Unique; the same for every attempt, so that a mail server or client recognizes a repetition. Without angle brackets. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The language of the text (BCP 47). */
  readonly language?: string;
}

/** The result of passing an e-mail to the server. */
export interface MailOutcome {
  readonly accepted: boolean;
  /** The SMTP status: 250 if the e-mail was accepted, 0 without a connection. */
  readonly statusCode: number;
  /** Null if the e-mail was accepted; otherwise a code, a colon and a sentence: `mail server refused: 550 no such user`. No secrets. */
  readonly reason: string | null;
}

/** The codes with which reasons begin. */
export const MAIL_REASONS: ReadonlySet<string> = new Set([
  ...[
    'authentication',
    'connection',
    'dns',
    'mail server refused',
    'message',
    'no mail server',
    'protocol',
    'recipient',
    'stopped',
    'timeout',
  ],
  'tls',
]);

const mails = new SeriesCounter({
  name: 'mails_total',
  help: 'E-mails that were handed to the mail server, by outcome and reason.',
  labels: ['outcome', 'reason'],
});
const accepted = mails.series({ outcome: 'accepted', reason: '' });
for (const reason of MAIL_REASONS) mails.series({ outcome: 'failed', reason });

/** Counts an e-mail by its outcome. */
export function countMail({ reason }: MailOutcome): void {
  const series = reason === null ? accepted : mails.series({ outcome: 'failed', reason: codeOfReason(reason, MAIL_REASONS) });
  series.count += 1;
}

/** Passes e-mails to a mail server. Its result describes failures of the server; it throws only on internal errors. */
export abstract class Mailer {
  /** Whether this installation can send e-mails; false in production without SMTP_URL. */
  abstract readonly available: boolean;
  abstract send(mail: Mail): Promise<MailOutcome>;

  /** Why the mail server does not accept e-mails now, as a sentence for the operator; null if it does, or if none is configured. */
  async findProblem(): Promise<string | null> {
    return null;
  }
}

/** The first check of every mailer: null, or the reason for refusing the mail. Otherwise `to` could contain several recipients, or a header. */
export function checkMail({ to }: Mail): MailOutcome | null {
  if (isMailAddress(to)) return null;
  return { accepted: false, statusCode: 0, reason: `recipient: ${JSON.stringify(to.slice(0, 254))} is not one e-mail address` };
}

/** The subject on one line: line breaks and control characters become spaces, so that it cannot start another header. */
export const subjectLine = (subject: string): string => subject.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();

/** The mailer in production without a mail server: sends nothing, and returns the reason. */
export class UnavailableMailer extends Mailer {
  readonly available = false;

  async send(): Promise<MailOutcome> {
    return { accepted: false, statusCode: 0, reason: 'no mail server: this installation sends no e-mails, SMTP_URL is not set' };
  }
}
