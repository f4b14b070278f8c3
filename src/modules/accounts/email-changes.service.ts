import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { readEmailAddress } from '../../shared/email-address.js';
import type { Language } from '../../shared/languages.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import type { LinkPurpose } from './links/account-link.entity.js';
import { AccountLinksService } from './links/account-links.service.js';
import { AccountMailsService, type Occasion } from './mails/account-mails.service.js';
import { PasswordsService } from './passwords/passwords.service.js';
import { SignIns } from './sign-ins.port.js';
import type { User } from './user.entity.js';

/** Links that are no longer valid once the address has changed: the earlier mailbox may belong to a stranger. Notices stay valid, so that a change can be denied. */
const ENDED: readonly LinkPurpose[] = ['reset', 'invitation', 'email', 'factor-reset'];

/** Changes e-mail addresses: of people by themselves, who confirm the new address with a mailed link, and what follows a change by an administrator. */
@Injectable()
export class EmailChangesService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly passwords: PasswordsService,
    private readonly signIns: SignIns,
    private readonly audit: AuditService,
  ) {}

  /** Whether people can change their address: this installation sends the mails with which they confirm it. */
  get available(): boolean {
    return this.mails.available;
  }

  /**
   * Mails a link to the new address, which nothing changes until it is opened. Addresses of other users cost the same and get no mail.
   * @throws DomainError 400 `email_invalid`
   */
  async request({ id, email: current }: User, email: string, language: Language): Promise<void> {
    const to = readEmailAddress(email);
    if (to === null) throw accountsErrors.email_invalid('This is not an e-mail address.');
    if (to === current) throw accountsErrors.email_invalid('This is the e-mail address of your account already.');
    const isTaken = (await this.accounts.findUserByEmail(to)) !== null;
    await this.mails.send({ kind: 'email-confirmation', userId: isTaken ? null : id, to, language });
  }

  /**
   * The person and the new address of a link that is still good; the link stays good.
   * @throws DomainError 410 `account_link_expired`
   */
  async describe(token: string): Promise<{ readonly user: User; readonly email: string }> {
    const user = await this.passwords.getByLink(token, 'email');
    return { user, email: (await this.links.find(token, 'email'))?.email ?? '' };
  }

  /**
   * Gives the person the address to which the link was mailed, and mails a notice to the earlier one. Ends the sessions of the browsers except `keep`,
   * unless `endOthers` is false.
   * @throws DomainError 409 `email_taken`, 410 `account_link_expired`
   */
  async confirm(
    token: string,
    terms: { readonly occasion: Occasion; readonly endOthers: boolean; readonly keep: string | null },
  ): Promise<void> {
    try {
      await this.database.transaction(async () => {
        const { userId, email } = await this.links.use(token, 'email');
        const [user] = await this.accounts.lockUsers([userId]);
        if (!user || user.disabledAt || email === null) throw accountsErrors.account_link_expired('The account is disabled.');
        const { customerId } = await this.accounts.saveUser({ ...user, email });
        await this.links.withdraw(userId, ENDED);
        await this.audit.record({ action: 'user.change_email', actor: `user:${userId}`, subject: `user:${userId}`, customerId });
        await this.mails.send({ kind: 'email-changed', userId, thing: email, to: user.email, occasion: terms.occasion });
        if (terms.endOthers) await this.signIns.endSessions(userId, terms.keep);
      });
    } catch (error) {
      throw isUniqueViolation(error) ? accountsErrors.email_taken('Another user has this e-mail address.') : error;
    }
  }

  /**
   * Mails both addresses of a person whose address an administrator has changed; the earlier one can ask the administrators. Call it in the transaction of
   * the change.
   */
  async announceAssigned({ id, email, emailAssignedAt }: User, earlierEmail: string): Promise<void> {
    const at = emailAssignedAt ?? undefined;
    await this.mails.send({ kind: 'email-reassigned', userId: id, thing: email, to: earlierEmail, ...(at && { at }) });
    await this.mails.send({ kind: 'email-assigned', userId: id, to: email });
  }

  /** Withdraws the links that were mailed to the earlier address. */
  async withdrawLinks(userId: number): Promise<void> {
    await this.links.withdraw(userId, ENDED);
  }
}
