import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountLinksService } from './links/account-links.service.js';
import { AccountMailsService } from './mails/account-mails.service.js';
import { PasswordHasher } from './password-hasher.port.js';
import { PasswordsService } from './passwords/passwords.service.js';
import type { SecondFactor } from './second-factors/second-factor.entity.js';
import { SecondFactorsService } from './second-factors/second-factors.service.js';
import { SignInsService } from './sign-ins.service.js';
import type { User } from './user.entity.js';

/** What the denial of a change undoes, beside the end of all sessions and tokens. */
export interface Denial {
  readonly user: User;
  /** The address that becomes the person's again; null: it has not changed, or another user has it now. */
  readonly restoredEmail: string | null;
  /** The second factors that were bound by the change or after it, without those that were removed already. */
  readonly removedFactors: readonly SecondFactor[];
}

/** Undoes changes of an account that its person did not make, with the link *this was not me* of the notice. */
@Injectable()
export class ChangeDenialsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly passwords: PasswordsService,
    private readonly hasher: PasswordHasher,
    private readonly secondFactors: SecondFactorsService,
    private readonly signIns: SignInsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Describes what the link would undo; the link stays good.
   * @throws DomainError 410 `account_link_expired`
   */
  async describe(token: string): Promise<Denial> {
    const user = await this.passwords.getByLink(token, 'not-me');
    const link = await this.links.find(token, 'not-me');
    const email = link?.email ?? null;
    const other = email === null || email === user.email ? null : await this.accounts.findUserByEmail(email);
    return {
      user,
      restoredEmail: email === user.email || other ? null : email,
      removedFactors: link ? await this.secondFactors.findBoundSince(user.id, link) : [],
    };
  }

  /**
   * Undoes a change, in one transaction: restores the address that the notice was mailed to, removes the second factors that were bound by the change or
   * after it, ends every session, sign-in in progress, token and authorization, makes the password useless, and mails a link for a new one. Notices of
   * earlier changes stay good; those of later ones may be in the mailbox of the other person, and end, also those that are still to be mailed. Returns the address of a link for a new password; null for a person without a password, who
   * signs in at an identity provider, and if another user has the address that the notice was mailed to.
   * @throws DomainError 410 `account_link_expired`
   */
  async deny(token: string): Promise<string | null> {
    const uselessHash = await this.hasher.hash(crypto.randomUUID());
    try {
      return await this.database.transaction(async () => await this.undo(token, uselessHash));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error; // another user got the address at this moment; the link is still good
      throw accountsErrors.email_taken('Another user has this e-mail address.');
    }
  }

  private async undo(token: string, uselessHash: string): Promise<string | null> {
    const link = await this.links.use(token, 'not-me');
    const [user] = await this.accounts.lockUsers([link.userId]);
    if (user?.kind !== 'person' || user.disabledAt) throw accountsErrors.account_link_expired('The account is disabled.');
    const email = link.email ?? user.email;
    const isRestorable = email === user.email || (await this.accounts.findUserByEmail(email)) === null;
    await this.accounts.saveUser({
      id: user.id,
      ...(isRestorable && { email }),
      ...(user.passwordHash && { passwordHash: uselessHash }),
    });
    await this.secondFactors.removeDenied(user.id, await this.secondFactors.findBoundSince(user.id, link));
    await this.links.withdraw(user.id, ['reset', 'invitation', 'email', 'factor-reset']);
    await this.links.withdrawNotices(user.id, link.createdAt);
    await this.signIns.end(user.id);
    const self = `user:${user.id}`;
    await this.audit.record({ action: 'user.deny_change', actor: self, subject: self, customerId: user.customerId });
    if (!user.passwordHash || !isRestorable) return null;
    await this.mails.send({ kind: 'password-reset', userId: user.id, to: email });
    return (await this.links.create(user.id, 'reset', { email })).url;
  }
}
