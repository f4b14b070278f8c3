import { Injectable } from '@nestjs/common';
import type { RecordChange } from '../../shared/audit/audit.service.js';
import { Clock } from '../../shared/clock.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { canonicalEmail } from '../../shared/email-address.js';
import { generalErrors } from '../../shared/errors.js';
import { defined } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AdministratorsService, isAdministrator } from './administrators.service.js';
import { AccountLinksService } from './links/account-links.service.js';
import { SignIns } from './sign-ins.port.js';
import type { User } from './user.entity.js';

/** A new person or service. */
export type NewUser = Pick<User, 'customerId' | 'email' | 'kind'> &
  Partial<Pick<User, 'firstname' | 'lastname' | 'adminLevel' | 'requireSecondFactor'>>;

/** Changes of a user; absent members stay unchanged. */
export type UserChanges = Partial<Pick<User, 'email' | 'firstname' | 'lastname' | 'adminLevel' | 'requireSecondFactor'>>;

/** How a change is made. */
export interface ChangeTerms {
  /** Writes the audit record. */
  readonly record: RecordChange;
  /** Throws if the user, now locked, may not be changed. */
  readonly check?: (user: User) => void;
}

/** Creates and changes users, and writes one audit record for each change; the API and the command line use it. */
@Injectable()
export class UserChangesService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly users: AccountsService,
    private readonly links: AccountLinksService,
    private readonly administrators: AdministratorsService,
    private readonly signIns: SignIns,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a user without password.
   * @throws DomainError 409 `email_taken`
   */
  async create(user: NewUser, record: RecordChange): Promise<User> {
    return await this.unlessTaken(async () => {
      const { id } = await this.accounts.saveUser({ ...user, email: canonicalEmail(user.email) });
      await record('user.create', `user:${id}`, user.customerId);
      return await this.get(id);
    });
  }

  /** @throws DomainError 404 `not_found`, 409 `email_taken`, `last_administrator`, and what `terms.check` throws */
  async update(id: number, { email, ...changes }: UserChanges, terms: ChangeTerms): Promise<User> {
    const wanted = { ...defined(changes), ...(email !== undefined && { email: canonicalEmail(email) }) };
    return await this.unlessTaken(async () => {
      return await this.change(id, terms, async (user) => {
        const isMoved = wanted.email !== undefined && wanted.email !== user.email;
        const after = { ...user, ...wanted, ...(isMoved && { emailAssignedAt: this.clock.now(), emailDisputedAt: null }) };
        if (!isAdministrator(after)) await this.administrators.checkMayGo(user);
        await this.accounts.saveUser(after);
        return 'user.update';
      });
    });
  }

  /** Disables a user, and ends sessions, tokens, authorizations and mailed links for good; the time of an earlier call stays. Throws like `update`. */
  async disable(id: number, terms: ChangeTerms): Promise<User> {
    return await this.change(id, terms, async (user) => {
      await this.administrators.checkMayGo(user);
      await this.users.disable(String(id), this.clock.now());
      await this.links.withdrawAll(id);
      await this.signIns.end(id);
      return 'user.disable';
    });
  }

  /** Enables a user, who signs in anew: also what a request at the moment of `disable` may have left is ended. Throws like `update`. */
  async enable(id: number, terms: ChangeTerms): Promise<User> {
    return await this.change(id, terms, async (user) => {
      if (user.disabledAt) await this.signIns.end(id);
      await this.users.enable(String(id));
      return 'user.enable';
    });
  }

  /**
   * Runs `work`, which returns the action to record. Locks the customer's administration before the user, as the removal of users does. What changes
   * nothing is not recorded.
   */
  private async change(id: number, { record, check }: ChangeTerms, work: (user: User) => Promise<string>): Promise<User> {
    return await this.database.transaction(async () => {
      await this.administrators.lock((await this.get(id)).customerId);
      const user = await this.users.lockById(id);
      if (!user) throw unknown(id);
      check?.(user);
      const action = await work(user);
      const changed = await this.get(id);
      if (changed.version !== user.version) await record(action, `user:${id}`, user.customerId);
      return changed;
    });
  }

  private async get(id: number): Promise<User> {
    const user = await this.accounts.findUser(id);
    if (!user) throw unknown(id);
    return user;
  }

  private async unlessTaken(work: () => Promise<User>): Promise<User> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw accountsErrors.email_taken('Another user has this e-mail address.');
    }
  }
}

const unknown = (id: number) => generalErrors.not_found(`The user ${id} does not exist.`);
