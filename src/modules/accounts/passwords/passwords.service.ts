import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import type { Language } from '../../../shared/languages.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { LinkPurpose } from '../links/account-link.entity.js';
import { AccountLinksService } from '../links/account-links.service.js';
import { AccountMailsService, type Occasion } from '../mails/account-mails.service.js';
import { PasswordHasher } from '../password-hasher.port.js';
import { type LoginAttempt, PasswordLoginService } from '../password-login.service.js';
import { SignIns } from '../sign-ins.port.js';
import type { User } from '../user.entity.js';
import { PasswordPolicyService } from './password-policy.service.js';

/** A new password and where it was entered. */
export interface NewPassword {
  readonly password: string;
  readonly language: Language;
  readonly occasion: Occasion;
}

/** The names that an invited person enters. */
export type PersonNames = Pick<User, 'firstname' | 'lastname'>;

/** The session in which a person changes the password, and the proof that it is this person. */
export interface PasswordChange extends NewPassword, Omit<LoginAttempt, 'email' | 'password'> {
  readonly userId: number;
  readonly oldPassword: string;
  /** The public name of the session that goes on. */
  readonly sessionId: string;
}

/** Changes passwords for the people whom they belong to. Administrators never see or choose them, except with the command line. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly policy: PasswordPolicyService,
    private readonly hasher: PasswordHasher,
    private readonly login: PasswordLoginService,
    private readonly signIns: SignIns,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Mails a link for a new password. Known and unknown addresses cost the same statements and one job. People who sign in only at an identity provider, and
   * invited ones, who have no password, get no mail.
   */
  async requestReset(email: string, language: Language): Promise<void> {
    const user = await this.accounts.findUserByEmail(email);
    await this.mails.send({ kind: 'password-reset', userId: user?.passwordHash ? user.id : null, language });
  }

  /**
   * Changes the password and ends all other sessions of the user. Returns what the known browsers of the user are bound to from now on.
   * @throws DomainError 400 `password_refused`, 401 `login_failed`, 429 `login_delayed`
   */
  async change({
    userId,
    oldPassword,
    sessionId,
    clientNetwork,
    knownBrowser,
    ...entered
  }: PasswordChange): Promise<Pick<User, 'id' | 'passwordHash'>> {
    const user = await this.getActive(userId);
    await this.login.signIn({ email: user.email, password: oldPassword, clientNetwork, knownBrowser });
    const passwordHash = await this.hashNew(user, entered);
    await this.database.transaction(async () => {
      await this.store({ user, action: 'user.change_password' }, { passwordHash });
      await this.mails.send({ kind: 'password-changed', userId, occasion: entered.occasion });
      await this.signIns.endSessions(userId, sessionId);
    });
    return { id: userId, passwordHash };
  }

  /** Changes the names of a person. */
  async changeName({ id, customerId }: User, { firstname, lastname }: PersonNames, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      await this.accounts.saveUser({ id, firstname, lastname });
      await this.audit.record({ action: 'user.change_name', actor: `user:${id}`, subject: `user:${id}`, customerId });
      await this.mails.send({ kind: 'name-changed', userId: id, occasion });
    });
  }

  /**
   * Sets a new password with a mailed link, ends all sessions of the user, and lets the password work in every browser again. Applications keep their
   * access.
   * @throws DomainError 400 `password_refused`, 410 `account_link_expired`
   */
  async reset(token: string, entered: NewPassword): Promise<void> {
    const user = await this.getByLink(token, 'reset');
    const passwordHash = await this.hashNew(user, entered);
    await this.database.transaction(async () => {
      await this.links.use(token, 'reset');
      await this.store({ user, action: 'user.reset_password' }, { passwordHash, passwordResetAt: this.clock.now() });
      await this.mails.send({ kind: 'password-changed', userId: user.id, occasion: entered.occasion });
      await this.login.forgetFailures(user.email);
      await this.signIns.endSessions(user.id, null);
    });
  }

  /**
   * Sets the names and the first password of an invited person.
   * @throws DomainError 400 `password_refused`, 410 `account_link_expired`
   */
  async acceptInvitation(token: string, { firstname, lastname }: PersonNames, entered: NewPassword): Promise<void> {
    const user = await this.getByLink(token, 'invitation');
    const passwordHash = await this.hashNew({ ...user, firstname, lastname }, entered);
    await this.database.transaction(async () => {
      await this.links.use(token, 'invitation');
      await this.store(
        { user, action: 'user.accept_invitation' },
        { firstname, lastname, passwordHash, passwordResetAt: this.clock.now() },
      );
      await this.login.forgetFailures(user.email);
      await this.signIns.endSessions(user.id, null);
    });
  }

  /**
   * The active user of a link that is still good; the link stays good.
   * @throws DomainError 410 `account_link_expired`
   */
  async getByLink(token: string, purpose: LinkPurpose): Promise<User> {
    const link = await this.links.find(token, purpose);
    const user = link && (await this.accounts.findUser(link.userId));
    if (user?.kind === 'person' && !user.disabledAt) return user;
    throw accountsErrors.account_link_expired('This link was used already, or it has expired. Ask for a new one.');
  }

  private async getActive(userId: number): Promise<User> {
    const user = await this.accounts.findUser(userId);
    if (user && !user.disabledAt) return user;
    throw accountsErrors.user_unknown('The account does not exist any more, or it is disabled.');
  }

  private async hashNew(user: User, { password, language }: NewPassword): Promise<string> {
    const problem = await this.policy.findProblem(password, user, language);
    if (problem) throw accountsErrors.password_refused(problem);
    return await this.hasher.hash(password.normalize('NFC'), String(user.customerId));
  }

  /** Stores the password; earlier links that would set another one, or a new address, are no longer good. */
  private async store({ user, action }: { readonly user: User; readonly action: string }, changes: Partial<User>): Promise<void> {
    const { id, customerId } = user;
    await this.accounts.saveUser({ id, ...changes });
    await this.links.withdraw(id, ['reset', 'invitation', 'email']);
    await this.audit.record({ action, actor: `user:${id}`, subject: `user:${id}`, customerId });
  }
}
