import { checkMail, type Mail, Mailer, type MailOutcome, subjectLine } from '../../../src/shared/mail/mailer.port.js';

/** Keeps mails in memory, for tests, in the order in which they were sent; one that was sent twice stands there twice. */
export class FakeMailer extends Mailer {
  readonly available = true;
  readonly sent: Mail[] = [];
  private readonly refusals = new Map<string, MailOutcome>();

  /** From now on mails to this recipient are answered so. */
  refuse(to: string, outcome: Omit<MailOutcome, 'accepted'>): void {
    this.refusals.set(to, { ...outcome, accepted: false });
  }

  /** From now on no recipient is refused. */
  refuseNobody(): void {
    this.refusals.clear();
  }

  async send(mail: Mail): Promise<MailOutcome> {
    const problem = checkMail(mail) ?? this.refusals.get(mail.to);
    if (problem) return problem;
    this.sent.push({ ...mail, subject: subjectLine(mail.subject) });
    return { accepted: true, statusCode: 250, reason: null };
  }
}
