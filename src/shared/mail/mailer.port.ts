import { isEmail } from 'class-validator';
import { codeOfReason, SeriesCounter } from '../counters.js';

/** One e-mail to one person. */
export interface Mail {
  /** Unique; the same for every attempt, so that a mail server or client recognises a repetition. Without angle brackets. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** BCP 47, of the text. */
  readonly language?: string;
}

/** How handing over an e-mail ended. */
export interface MailOutcome {
  readonly accepted: boolean;
  /** SMTP status, 250 when it was accepted; 0: never connected. */
  readonly statusCode: number;
  /** Null when it was accepted; else a code, a colon and a sentence: `mail server refused: 550 no such user`. No secrets. */
  readonly reason: string | null;
}

/** The codes of reasons. */
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

/** Counts an e-mail. */
export function countMail({ reason }: MailOutcome): void {
  const series = reason === null ? accepted : mails.series({ outcome: 'failed', reason: codeOfReason(reason, MAIL_REASONS) });
  series.count += 1;
}

/** Passes e-mails to a mail server. Its result describes failures of the server; it throws only for its own faults. */
export abstract class Mailer {
  /** Whether this installation can send at all; false: production without SMTP_URL. */
  abstract readonly available: boolean;
  abstract send(mail: Mail): Promise<MailOutcome>;

  /** Why the mail server does not accept e-mails now, as a sentence for the operator; null: it does, or no mail server is configured. */
  async findProblem(): Promise<string | null> {
    return null;
  }
}

/**
 * Whether this is one e-mail address and nothing else. Quotes and control characters, which RFC 5321 would allow, could carry further
 * headers.
 */
export function isMailAddress(text: string): boolean {
  return !/["\s\p{Cc}]/u.test(text) && isEmail(text, { require_tld: false });
}

/** What every mailer does before anything else: null, or why the mail goes nowhere. Without it a recipient could be many, or a header. */
export function checkMail({ to }: Mail): MailOutcome | null {
  if (isMailAddress(to)) return null;
  return { accepted: false, statusCode: 0, reason: `recipient: ${JSON.stringify(to.slice(0, 254))} is not one e-mail address` };
}

/** A subject as one line: line breaks and control characters become spaces, so that it cannot begin a header of its own. */
export const subjectLine = (subject: string): string => subject.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim();

/** Production without a mail server: sends nothing, and returns the reason. */
export class UnavailableMailer extends Mailer {
  readonly available = false;

  async send(): Promise<MailOutcome> {
    return { accepted: false, statusCode: 0, reason: 'no mail server: this installation sends no e-mails, SMTP_URL is not set' };
  }
}
