import { Mailer, type MailOutcome } from './mailer.js';

/** Production without a mail server: nothing is sent, and everybody who tries is told why. */
export class UnavailableMailer extends Mailer {
  readonly available = false;

  async send(): Promise<MailOutcome> {
    return { accepted: false, statusCode: 0, reason: 'no mail server: this installation sends no e-mails, SMTP_URL is not set' };
  }
}
