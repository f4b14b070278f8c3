import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { Clock } from '../../shared/clock.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import type { AccountLink } from './links/account-link.entity.js';
import { AccountLinksService } from './links/account-links.service.js';
import { AccountMailsService } from './mails/account-mails.service.js';
import { PasswordHasher } from './password-hasher.port.js';
import { type LoginAttempt, PasswordLoginService } from './password-login.service.js';
import { PasswordsService } from './passwords/passwords.service.js';
import type { SecondFactor } from './second-factors/second-factor.entity.js';
import { isSecondFactor, SecondFactorsService } from './second-factors/second-factors.service.js';
import { type KeptSignIns, SignIns } from './sign-ins.port.js';
import type { User } from './user.entity.js';

/** A stranger may have prepared the change that the person noticed for as long as a notice is valid. */
const LOOKED_BACK_MS = 7 * 86_400_000;

/** What must be entered to remove the second factors that the page lists: nothing, the password, or what a mailed link cannot give. */
export type DenialProof = 'none' | 'password' | 'impossible';

/** What the denial of a change undoes, beside the end of sessions and tokens. */
export interface Denial {
  readonly user: User;
  /** An administrator has decided on the address since: the denial asks the administrators, and undoes nothing. */
  readonly asksAdministrators: boolean;
  /** The address that becomes the person's again; null: it has not changed, or another user has it now. */
  readonly restoredEmail: string | null;
  /** What was added from here on is listed, and removed unless the person keeps it. */
  readonly since: Date;
  /** The second factors that were added since, without those that were removed already. */
  readonly factors: readonly SecondFactor[];
  /** The factor that the notice is about; null: it is about another change. */
  readonly noticedFactorId: number | null;
  /** What removing all these factors needs. */
  readonly proof: DenialProof;
}

/** What the person keeps of what the page lists, and the password if one was entered. */
export interface DenialTerms extends Omit<LoginAttempt, 'email'> {
  readonly kept: KeptSignIns & { readonly factors: readonly number[] };
}

/** What a denial has done: it asked the administrators, or undid the change; `resetUrl` is the address of a link for a new password. */
export type DenialOutcome = { readonly kind: 'asked' } | { readonly kind: 'undone'; readonly resetUrl: string | null };

/** Undoes changes of an account that its person did not make, with the link *this was not me* of the notice. */
@Injectable()
export class ChangeDenialsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly passwords: PasswordsService,
    private readonly login: PasswordLoginService,
    private readonly hasher: PasswordHasher,
    private readonly secondFactors: SecondFactorsService,
    private readonly signIns: SignIns,
    private readonly audit: AuditService,
  ) {}

  /**
   * Describes what the link would undo; the link stays good.
   * @throws DomainError 410 `account_link_expired`
   */
  async describe(token: string): Promise<Denial> {
    const user = await this.passwords.getByLink(token, 'not-me');
    const link = await this.links.find(token, 'not-me');
    if (!link) throw accountsErrors.account_link_expired('This link was used already, or it has expired.');
    const { email } = link;
    const other = email === null || email === user.email ? null : await this.accounts.findUserByEmail(email);
    const active = await this.secondFactors.findActive(user.id);
    const factors = active.filter(isAddedSince(link));
    return {
      user,
      asksAdministrators: isOverruled(link, user),
      restoredEmail: email === user.email || other ? null : email,
      since: sinceOf(link),
      factors,
      noticedFactorId: link.secondFactorId,
      proof: proofFor(user, active, factors),
    };
  }

  /**
   * Undoes a change, in one transaction: restores the address that the notice was mailed to, removes the second factors that were added in the week before
   * the change or since, ends every session, sign-in in progress, token and authorization, except what the person keeps, makes the password useless, and
   * mails a link for a new one. Notices of earlier changes stay good; those of later ones may be in the mailbox of the other person, and end, also those that
   * are still to be mailed. There is no address of a link for a new password for a person without a password, who signs in at an identity provider, and if
   * another user has the address that the notice was mailed to.
   *
   * After an administrator has assigned another address, the denial only asks the administrators: the mailbox may belong to a stranger by now.
   * @throws DomainError 410 `account_link_expired`, 401 `denial_needs_password`, `login_failed`, 403 `denial_unproven`, 429 `login_delayed`
   */
  async deny(token: string, { kept, ...attempt }: DenialTerms): Promise<DenialOutcome> {
    const { email, id } = await this.passwords.getByLink(token, 'not-me');
    const proven = attempt.password === '' ? null : await this.login.signIn({ ...attempt, email });
    const passwordHash = proven?.id === id ? proven.passwordHash : null;
    const uselessHash = await this.hasher.hash(crypto.randomUUID());
    try {
      return await this.database.transaction(async () => {
        const link = await this.links.use(token, 'not-me');
        const [user] = await this.accounts.lockUsers([link.userId]);
        if (user?.kind !== 'person' || user.disabledAt) throw accountsErrors.account_link_expired('The account is disabled.');
        if (isOverruled(link, user)) return await this.askAdministrators(user);
        await this.removeFactors(user, link, { kept: kept.factors, isProven: passwordHash !== null && passwordHash === user.passwordHash });
        return { kind: 'undone', resetUrl: await this.undo(user, link, { kept, uselessHash }) };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error; // another user got the address at this moment; the link is still good
      throw accountsErrors.email_taken('Another user has this e-mail address.');
    }
  }

  private async undo(user: User, link: AccountLink, { kept, uselessHash }: { kept: KeptSignIns; uselessHash: string }) {
    const email = link.email ?? user.email;
    const isRestorable = email === user.email || (await this.accounts.findUserByEmail(email)) === null;
    await this.accounts.saveUser({
      id: user.id,
      ...(isRestorable && { email }),
      ...(user.passwordHash && { passwordHash: uselessHash }),
    });
    await this.links.withdraw(user.id, ['reset', 'invitation', 'email', 'factor-reset']);
    await this.links.withdrawNotices(user.id, link.createdAt);
    await this.signIns.end(user.id, kept);
    await this.record('user.deny_change', user);
    if (!user.passwordHash || !isRestorable) return null;
    await this.mails.send({ kind: 'password-reset', userId: user.id, to: email });
    return (await this.links.create(user.id, 'reset', { email })).url;
  }

  /** Factors that were added while the person read the page are removed, too. */
  private async removeFactors(user: User, link: AccountLink, { kept, isProven }: { kept: readonly number[]; isProven: boolean }) {
    const active = await this.secondFactors.findActive(user.id);
    const removed = active.filter(isAddedSince(link)).filter(({ id }) => !kept.includes(id));
    const proof = proofFor(user, active, removed);
    if (proof === 'impossible') {
      throw accountsErrors.denial_unproven('The password was chosen with a mailed link after the second factor was added.');
    }
    if (proof === 'password' && !isProven)
      throw accountsErrors.denial_needs_password('Enter the password to remove the last second factor.');
    await this.secondFactors.removeDenied(user.id, removed);
  }

  /** Mails every administrator of the customer, once for each address that was assigned. */
  private async askAdministrators(user: User): Promise<DenialOutcome> {
    await this.record('user.dispute_email', user);
    if (user.emailDisputedAt) return { kind: 'asked' };
    await this.accounts.saveUser({ id: user.id, emailDisputedAt: this.clock.now() });
    const thing = [[user.firstname, user.lastname].filter(Boolean).join(' '), user.email].filter(Boolean).join(', ');
    for (const { id } of await this.accounts.findAdministrators(user.customerId)) {
      await this.mails.send({ kind: 'email-disputed', userId: id, thing });
    }
    return { kind: 'asked' };
  }

  private async record(action: string, { id, customerId }: User): Promise<void> {
    await this.audit.record({ action, actor: `user:${id}`, subject: `user:${id}`, customerId });
  }
}

/** Whether an administrator has assigned another address by or after the change of a notice. */
const isOverruled = ({ createdAt }: AccountLink, { emailAssignedAt }: User): boolean =>
  emailAssignedAt !== null && createdAt <= emailAssignedAt;

const sinceOf = ({ createdAt }: AccountLink): Date => new Date(createdAt.getTime() - LOOKED_BACK_MS);

const isAddedSince = (link: AccountLink) => {
  const since = sinceOf(link).getTime();
  return ({ boundAt }: SecondFactor): boolean => Number(boundAt) >= since;
};

/**
 * What removing these of the active factors needs. The mailbox alone must not remove the only second factor, because it also gives a new password; a
 * password that was chosen by mail since the factor was added proves no more than the mailbox. A person without a password gets none by mail.
 */
function proofFor(user: User, active: readonly SecondFactor[], removed: readonly SecondFactor[]): DenialProof {
  const [before, gone] = [active.filter(isSecondFactor), removed.filter(isSecondFactor)];
  if (user.passwordHash === null || before.length === 0 || gone.length < before.length) return 'none';
  const firstAdded = Math.min(...gone.map(({ boundAt }) => Number(boundAt)));
  return Number(user.passwordResetAt) >= firstAdded ? 'impossible' : 'password';
}
