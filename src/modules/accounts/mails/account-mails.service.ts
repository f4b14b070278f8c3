import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { Database } from '../../../shared/database/index.js';
import { JobsService } from '../../../shared/jobs/index.js';
import { type Language, toLanguage } from '../../../shared/languages.js';
import { Log } from '../../../shared/logging/index.js';
import { type Mail, Mailer } from '../../../shared/mail/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { describeUserAgent, formatDateTime } from '../../../shared/web/index.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { LinkPurpose } from '../links/account-link.entity.js';
import { AccountLinksService, type LinkDetails, type NewLink } from '../links/account-links.service.js';
import type { User } from '../user.entity.js';
import { accountMailTexts, linksOfMails, type MailKindName, type Write } from './account-mails.messages.js';

const TASK = 'account-mail';
/** The id of no user. */
const UNKNOWN = 0;
/** After which a mail is not sent any more: the person has tried again, and no job keeps addresses for good. */
const MAX_AGE_MS = 3_600_000;
const MAX_ATTEMPTS = 10; // with the delays of graphile-worker more than three hours, so that an attempt sees the age
/** Links of these purposes that one person is mailed within an hour; further requests of strangers must not fill a mailbox. */
const MAX_AN_HOUR: Partial<Readonly<Record<LinkPurpose, number>>> = { reset: 3, email: 3 };

/** Where a change came from, for the mail about it. */
export interface Occasion {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface AccountMail {
  readonly kind: MailKindName;
  /** Null: no user has the address that was entered. The job exists nevertheless, so that known and unknown addresses cause the same work. */
  readonly userId: number | null;
  /** Default: the language of the user, otherwise English. */
  readonly language?: Language;
  readonly occasion?: Occasion;
  /** The name of a passkey, an application or a browser, a new e-mail address, or a time. */
  readonly thing?: string;
  /** The second factor that the change bound, which a denial removes. */
  readonly secondFactorId?: number;
  /** When the change was made. Default: now. */
  readonly at?: Date;
  /** The address to write to. Default for notices: the address at the time of the change, otherwise the current one. */
  readonly to?: string;
}

/** A mail as its job has it. */
type StoredMail = Omit<AccountMail, 'at'> & {
  readonly mailId: string;
  /** When the mail was requested, or the change was made. */
  readonly at: string;
  /** Changes with the address and the password of the user. Jobs of the version before have none. */
  readonly mark?: string;
};

/** Sends mails to users about their accounts, by background jobs. Links are created when the mail is sent, so that no job contains a token. */
@Injectable()
export class AccountMailsService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly mailer: Mailer,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinksService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<StoredMail>(TASK, async (mail) => await this.deliver(mail));
  }

  /** Whether this installation sends mails. */
  get available(): boolean {
    return this.mailer.available;
  }

  /** Adds the job that sends a mail. In a transaction, the mail is sent only if the transaction commits. */
  async send(mail: AccountMail): Promise<void> {
    const user = await this.accounts.findUser(mail.userId ?? UNKNOWN); // unknown addresses cause the same statements
    const to = isNotice(mail) ? (mail.to ?? user?.email) : mail.to;
    const at = (mail.at ?? this.clock.now()).toISOString();
    const [mailId, mark] = [randomUUID(), user ? markOf(user) : undefined];
    const stored: StoredMail = { ...mail, ...(to !== undefined && { to }), mailId, at, ...(mark !== undefined && { mark }) };
    await this.jobs.add(TASK, stored, { maxAttempts: MAX_ATTEMPTS, queue: queueOf(mail.userId) }); // in turn, so that they are counted
  }

  /** Removes the mails to a user that are still waiting, because their jobs may contain addresses. */
  async discardWaiting(userId: number): Promise<void> {
    await this.jobs.removeWaiting(queueOf(userId));
  }

  private async deliver(stored: StoredMail): Promise<void> {
    if (this.clock.now().getTime() - Date.parse(stored.at) > MAX_AGE_MS) {
      return this.log.error({ kind: stored.kind, userId: stored.userId }, 'a mail to a user could not be sent within an hour');
    }
    const user = stored.userId === null ? null : await this.accounts.findUser(stored.userId);
    if (!this.mailer.available || user?.kind !== 'person' || user.disabledAt) return;
    const purpose: LinkPurpose | null = linksOfMails[stored.kind];
    const limit = (purpose && MAX_AN_HOUR[purpose]) ?? Number.POSITIVE_INFINITY;
    if (purpose && (await this.links.countRecent(user.id, purpose, 3_600)) >= limit) return;
    const to = stored.to ?? user.email;
    const about = { email: to, secondFactorId: stored.secondFactorId ?? null, ...(isNotice(stored) && { createdAt: new Date(stored.at) }) };
    const link = purpose && (await this.createLink(user.id, stored, { purpose, about }));
    if (purpose && !link) return;
    const outcome = await this.mailer.send(await this.compose({ ...stored, to }, user, link?.url ?? null));
    if (outcome.accepted) return;
    await link?.discard();
    throw new Error(`The mail ${stored.kind} was not sent: ${outcome.reason}`);
  }

  /**
   * Creates the link of a mail; null if what ends such links has happened since the mail was requested: a denial, the end of all sessions by an
   * administrator, for other mails than notices also a new password or address. The lock makes one wait for the other, so that a link is either not created or withdrawn.
   */
  private async createLink(
    userId: number,
    { at, mark }: StoredMail,
    { purpose, about }: { readonly purpose: LinkPurpose; readonly about: LinkDetails },
  ): Promise<NewLink | null> {
    return await this.database.transaction(async () => {
      const [user] = await this.accounts.lockUsers([userId]);
      const isStale = purpose !== 'not-me' && mark !== undefined && user !== undefined && mark !== markOf(user);
      const isWithdrawn = user?.linksWithdrawnAt && new Date(at) <= user.linksWithdrawnAt;
      if (!user || isStale || isWithdrawn || (await this.links.wasDenied(userId, purpose, new Date(at)))) return null;
      return await this.links.create(userId, purpose, about);
    });
  }

  private async compose(stored: StoredMail & { readonly to: string }, user: User, url: string | null): Promise<Mail> {
    const language = stored.language ?? toLanguage(user.language);
    const { publicUrl, serviceName: service } = this.config;
    const { host, hostname } = new URL(publicUrl);
    const customer = (await this.accounts.findCustomer(user.customerId))?.name ?? '';
    const context = { service, customer, thing: stored.thing ?? '' };
    const texts = accountMailTexts[language];
    const subjects: Partial<Readonly<Record<MailKindName, Write>>> = texts.subjects;
    const paragraphs = [
      texts.greet(user.firstname),
      texts.bodies[stored.kind](context),
      ...(isNotice(stored)
        ? [
            texts.happened(formatDateTime(new Date(stored.at), language), describeOccasion(stored.occasion, language)),
            stored.kind === 'email-reassigned' ? texts.notMyRequest(customer) : texts.notMe,
          ]
        : []),
      url,
      texts.sentBy(service, host),
    ];
    const subject = (subjects[stored.kind] ?? texts.changed)(context);
    const text = `${paragraphs.filter(Boolean).join('\n\n')}\n`;
    return { messageId: `account-${stored.mailId}@${hostname}`, to: stored.to, subject, text, language };
  }
}

const isNotice = ({ kind }: Pick<AccountMail, 'kind'>): boolean => linksOfMails[kind] === 'not-me';

const markOf = ({ email, passwordHash }: User): string => sha256(`${email} ${passwordHash ?? ''}`);

const queueOf = (userId: number | null): string => `${TASK}:${userId ?? 'unknown'}`;

const describeOccasion = ({ ip, userAgent }: Occasion = { ip: null, userAgent: null }, language: Language): string =>
  [describeUserAgent(userAgent, language), ip].filter(Boolean).join(', ');
