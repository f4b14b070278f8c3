import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import { canonicalEmail } from '../../../shared/email-address.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { QuotasService } from '../../../shared/quotas/index.js';
import { isErasedAddress } from '../../../shared/removal/index.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountsRepository } from '../accounts.repository.js';
import { AccountsService } from '../accounts.service.js';
import { AdministratorsService } from '../administrators.service.js';
import { EmailChangesService } from '../email-changes.service.js';
import { AccountLinksService } from '../links/account-links.service.js';
import { AccountMailsService } from '../mails/account-mails.service.js';
import { ProofsService } from '../proofs.service.js';
import { FactorResetsService } from '../second-factors/factor-resets.service.js';
import { SecondFactorsService } from '../second-factors/second-factors.service.js';
import type { User } from '../user.entity.js';
import { type ChangeTerms, type UserChanges, UserChangesService } from '../user-changes.service.js';
import { UserRemovalService } from '../user-removal.service.js';
import { AdministrationService, requireRank } from './administration.service.js';
import type { AdministeredKind } from './user.dto.js';

/** What a find of users asks for. */
interface WantedUsers {
  readonly id?: number | null;
  readonly email?: string;
  readonly kind?: AdministeredKind;
  readonly customerId?: number;
}

/** A person or service to create. */
interface NewUser extends UserChanges {
  readonly email: string;
  readonly kind?: AdministeredKind;
  readonly customerId?: number;
}

/** A user to change; with `ifMatch` only if it has a version that the header names. */
interface ChangedUser {
  readonly id: number;
  readonly ifMatch?: string;
}

/** Lets administrators manage the people and services of their customer; senders of dropsites count as unknown. */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly administration: AdministrationService,
    private readonly accounts: AccountsRepository,
    private readonly users: AccountsService,
    private readonly changes: UserChangesService,
    private readonly removal: UserRemovalService,
    private readonly audit: AuditService,
    private readonly database: Database,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly emailChanges: EmailChangesService,
    private readonly quotas: QuotasService,
    private readonly factorResets: FactorResetsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly administrators: AdministratorsService,
    private readonly proofs: ProofsService,
  ) {}

  /** Lists a page of users, in the order of their ids. */
  async list(caller: Caller, { customerId, email, ...wanted }: WantedUsers, portion: Portion): Promise<User[]> {
    const reach = await this.administration.reachOfFind(caller, customerId);
    return await this.accounts.findPage({ ...wanted, reach, ...(email !== undefined && { email: canonicalEmail(email) }) }, portion);
  }

  /** @throws DomainError 404 `not_found`, 403 `admin_level_not_sufficient` */
  async get(caller: Caller, id: number): Promise<User> {
    const { customerId } = await this.administration.reachOfId(caller);
    const user = await this.accounts.findUser(id);
    const isKnown = user && user.kind !== 'sender' && !isErasedAddress(user.email) && (customerId ?? user.customerId) === user.customerId;
    if (!isKnown) throw generalErrors.not_found(`The user ${id} does not exist.`);
    return user;
  }

  /**
   * Creates a user; a person is invited by mail.
   * @throws DomainError 409 `email_taken`, 403 `admin_level_not_sufficient` for more rights than those of the caller, `operator_only`, 429
   * `quota_exceeded`, 503 `mails_unavailable`
   */
  async create(caller: Caller, { kind = 'person', customerId: named, ...user }: NewUser): Promise<User> {
    const customerId = await this.administration.customerOfNew(caller, named);
    requireRank(caller, { adminLevel: user.adminLevel ?? 0 }, 'give a user this adminLevel');
    return await this.database.transaction(async () => {
      const created = await this.changes.create({ ...user, kind, customerId }, this.audit.recorderOf(caller));
      if (kind === 'person') await this.sendInvitation(created);
      return created;
    });
  }

  /**
   * Mails the invitation again to a person who has not chosen a password; the earlier link is no longer good.
   * @throws DomainError 404 `not_found`, 403 `admin_level_not_sufficient`, `use_account_page`, 409 `invitation_accepted`, `user_disabled`, 429 `quota_exceeded`, 503
   * `mails_unavailable`
   */
  async invite(caller: Caller, { id, ifMatch }: ChangedUser): Promise<User> {
    return await this.database.transaction(async () => {
      const user = await this.getBelow(caller, id);
      if (id === caller.userId) await this.proofs.requireAtApi(caller, 'ownPassword');
      requireMatch(ifMatch, user, `user ${id}`);
      if (user.kind !== 'person' || user.passwordHash !== null) {
        throw accountsErrors.invitation_accepted(`User ${id} has a password already, or is no person.`);
      }
      if (user.disabledAt)
        throw accountsErrors.user_disabled(`User ${id} is disabled, so that an invitation would not help; enable the user first.`);
      await this.sendInvitation(user);
      await this.audit.recorderOf(caller)('user.invite', `user:${id}`, user.customerId);
      return user;
    });
  }

  /**
   * @throws DomainError 404 `not_found`, 409 `email_taken`, `last_administrator`, 412 `precondition_failed`, 403 `admin_level_not_sufficient` for users
   * or levels above the caller's own, `use_account_page` and `confirmation_required` for what callers may not change of themselves in this way
   */
  async update(caller: Caller, { id, ifMatch, ...changes }: UserChanges & ChangedUser): Promise<User> {
    const before = await this.get(caller, id);
    if (id === caller.userId) await this.requireOwnProofs(caller, before, changes);
    requireRank(caller, { adminLevel: changes.adminLevel ?? 0 }, 'give a user this adminLevel');
    return await this.database.transaction(async () => {
      const user = await this.changes.update(id, changes, this.terms(caller, { id, ifMatch }));
      if (user.email !== before.email && user.kind === 'person') await this.greetNewAddress(user, before.email);
      return user;
    });
  }

  /** Ends sessions, tokens and authorizations of the user for good. Throws like `update`. */
  async disable(caller: Caller, changed: ChangedUser): Promise<User> {
    await this.get(caller, changed.id);
    return await this.changes.disable(changed.id, this.terms(caller, changed));
  }

  /** Throws like `update`. */
  async enable(caller: Caller, changed: ChangedUser): Promise<User> {
    await this.get(caller, changed.id);
    return await this.changes.enable(changed.id, this.terms(caller, changed));
  }

  /**
   * Erases a person, and the senders with the same address, in everything of their customer. Audit records stay and name them by id.
   * @throws DomainError like `update`, and 503 `erasure_unfinished`
   */
  async erase(caller: Caller, { id, ifMatch }: ChangedUser): Promise<void> {
    const user = await this.get(caller, id);
    const check = (locked: User) => this.checkMayChange(caller, locked, ifMatch);
    const senders = (await this.users.findSenders(user.email)).filter(({ customerId }) => customerId === user.customerId);
    const person = { email: user.email, users: [user, ...senders], onlyCustomerId: user.customerId };
    await this.removal.erase(person, { to: null, record: this.audit.recorderOf(caller), check });
  }

  /**
   * Mails the person a link with which they remove lost second factors, together with their password; earlier links are no longer good.
   * @throws DomainError like `invite`, and 409 `factor_reset_impossible` for a user who does not sign in with a password
   */
  async resetSecondFactor(caller: Caller, { id, ifMatch }: ChangedUser): Promise<User> {
    return await this.database.transaction(async () => {
      const user = await this.getBelow(caller, id);
      if (id === caller.userId) await this.proofs.requireAtApi(caller, 'ownFactors');
      requireMatch(ifMatch, user, `user ${id}`);
      await this.factorResets.allow(user);
      await this.takeMail(user);
      await this.audit.recorderOf(caller)('user.allow_factor_reset', `user:${id}`, user.customerId);
      return user;
    });
  }

  /** Those of these users who have a second factor. */
  async findWithSecondFactor(users: readonly User[]): Promise<ReadonlySet<number>> {
    return await this.secondFactors.findPeople(users.map(({ id }) => id));
  }

  /** Ends the user's sessions, tokens and authorizations. Throws 404 `not_found`, 403 `admin_level_not_sufficient`. */
  async endSessions(caller: Caller, id: number): Promise<void> {
    const user = await this.getBelow(caller, id);
    await this.removal.endSessions(user, this.audit.recorderOf(caller));
  }

  /** A user whom the caller may change. Throws like `endSessions`. */
  async getBelow(caller: Caller, id: number): Promise<User> {
    const user = await this.get(caller, id);
    this.checkMayChange(caller, user, undefined);
    return user;
  }

  /** Refuses what callers change of themselves on their account page only, and what weakens their own sign-in without a confirmation. */
  private async requireOwnProofs(caller: Caller, before: User, { email, adminLevel, requireSecondFactor }: UserChanges): Promise<void> {
    if (email !== undefined && canonicalEmail(email) !== before.email) await this.proofs.requireAtApi(caller, 'ownEmail');
    if (adminLevel !== undefined && adminLevel > before.adminLevel) await this.proofs.requireAtApi(caller, 'ownLevel');
    if (requireSecondFactor === false && before.requireSecondFactor) await this.proofs.requireAtApi(caller, 'ownFactorRequirement');
  }

  /** Links that were mailed to the old address are no longer good, except those that deny a change. */
  private async greetNewAddress(user: User, earlierEmail: string): Promise<void> {
    await this.emailChanges.withdrawLinks(user.id);
    if (!(await this.administrators.canOneSignIn([user]))) await this.sendInvitation(user);
    else await this.emailChanges.announceAssigned(user, earlierEmail);
  }

  /** Without the mail, the person could never choose a password. */
  private async sendInvitation(user: User): Promise<void> {
    if (!this.mails.available) {
      throw accountsErrors.mails_unavailable(
        'This installation sends no e-mails, so the person cannot be invited. Set SMTP_URL, or create the person with a password on the command line (admin apply, admin users set-password).',
      );
    }
    await this.takeMail(user);
    await this.links.withdraw(user.id, ['invitation']);
    await this.mails.send({ kind: 'invitation', userId: user.id });
  }

  private async takeMail({ customerId }: User): Promise<void> {
    if (!(await this.quotas.take(customerId, 'mailsPerDay', 1))) throw await this.quotas.refusal(customerId, 'mailsPerDay');
  }

  private terms(caller: Caller, { ifMatch }: ChangedUser): ChangeTerms {
    return { record: this.audit.recorderOf(caller), check: (user) => this.checkMayChange(caller, user, ifMatch) };
  }

  private checkMayChange(caller: Caller, user: User, ifMatch: string | undefined): void {
    requireRank(caller, user, `change user ${user.id}`);
    requireMatch(ifMatch, user, `user ${user.id}`);
  }
}
