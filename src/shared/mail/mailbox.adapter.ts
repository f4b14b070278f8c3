import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { Database } from '../database/index.js';
import { HousekeepingService } from '../jobs/index.js';
import { MailboxMail } from './mailbox-mail.entity.js';
import { checkMail, type Mail, Mailer, type MailOutcome, subjectLine } from './mailer.port.js';

/** More than a person who tries the service reads; older mails are deleted. */
const MAX_KEPT_MAILS = 500;

/** The mailer of an installation without a mail server: stores the newest mails in the database, for the page /dev/mail. */
@Injectable()
export class MailboxAdapter extends Mailer {
  readonly available = true;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    super();
    housekeeping.register('mailbox', async (_now, limit) => await this.deleteOldest(limit));
  }

  /** Stores a mail. A mail with a known message id is dropped, because mail clients show it once too. */
  async send(mail: Mail): Promise<MailOutcome> {
    const problem = checkMail(mail);
    if (problem) return problem;
    const { messageId, to: recipient, subject, text, html = null } = mail;
    const row = { messageId, sender: this.config.mailFrom, recipient, subject: subjectLine(subject), text, html };
    await this.database.repository(MailboxMail).createQueryBuilder().insert().values(row).orIgnore().execute();
    return { accepted: true, statusCode: 250, reason: null };
  }

  /** All stored mails, newest first, without their texts. */
  async list(): Promise<Pick<MailboxMail, 'id' | 'sender' | 'recipient' | 'subject' | 'createdAt'>[]> {
    const select = { id: true, sender: true, recipient: true, subject: true, createdAt: true } as const;
    return await this.database.repository(MailboxMail).find({ select, order: { id: 'DESC' }, take: MAX_KEPT_MAILS });
  }

  async find(id: string): Promise<MailboxMail | null> {
    return await this.database.repository(MailboxMail).findOneBy({ id });
  }

  private async deleteOldest(limit: number): Promise<number> {
    const mails = this.database.repository(MailboxMail);
    const old = await mails.find({ select: { id: true }, order: { id: 'DESC' }, skip: MAX_KEPT_MAILS, take: limit });
    return old.length === 0 ? 0 : ((await mails.delete(old.map(({ id }) => id))).affected ?? 0);
  }
}
