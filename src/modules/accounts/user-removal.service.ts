import { Injectable } from '@nestjs/common';
import { AuditService, type RecordChange } from '../../shared/audit/audit.service.js';
import { Clock } from '../../shared/clock.js';
import { Database, Notifications } from '../../shared/database/index.js';
import {
  type ErasedPerson,
  erasedAddress,
  isErasedAddress,
  PersonPattern,
  ReferencesRepository,
  type RowCounts,
  TextErasureRepository,
  type Traces,
  WorkInProgressService,
} from '../../shared/removal/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { AdministratorsService } from './administrators.service.js';
import { AccountLinksService } from './links/account-links.service.js';
import { LoginFailuresRepository } from './login-failures.repository.js';
import { AccountMailsService } from './mails/account-mails.service.js';
import { keyOfAccount } from './password-login.service.js';
import { SignIns } from './sign-ins.port.js';
import type { User } from './user.entity.js';

/** A person to erase: an account and the senders with its address, or only senders; `users` may be empty. */
export interface Departing {
  readonly email: string;
  readonly users: readonly User[];
  /** Texts of other customers stay; absent: the person is erased everywhere. */
  readonly onlyCustomerId?: number;
}

/** How a person is erased. */
interface ErasureTerms {
  /** Takes over the records that name the users; null: they go on naming them by id. */
  readonly to: User | null;
  readonly record: RecordChange;
  /** Throws if the user, now locked, may not be erased; senders are not checked. */
  readonly check?: (user: User) => void;
}

/** The numbers of rows that belong to a user, by table. */
export interface Belongings {
  /** Deleted with the user. */
  readonly deleted: RowCounts;
  /** Stays with the customer. */
  readonly kept: RowCounts;
}

/** API instructions of a subscription run with the rights of its last editor, client credentials with those of the service user. */
const ACTING_FOR_USER = ['subscriptions.last_editor_id', 'clients.service_user_id'];

/** Texts are searched until nothing is found, because the service writes new ones meanwhile; more passes are rarely necessary. */
const MAX_PASSES = 6;

/** Removes users, and erases the personal data of people everywhere. */
@Injectable()
export class UserRemovalService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly administrators: AdministratorsService,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly failures: LoginFailuresRepository,
    private readonly references: ReferencesRepository,
    private readonly texts: TextErasureRepository,
    private readonly work: WorkInProgressService,
    private readonly signIns: SignIns,
    private readonly audit: AuditService,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  async inspect({ id }: User): Promise<Belongings> {
    const { deleted, kept } = await this.references.countTo('users', id);
    return { deleted: { ...deleted, ...(await this.signIns.count(id)) }, kept };
  }

  /** Finds the texts that mention a person. */
  async findTraces(person: Departing): Promise<Traces> {
    return await this.texts.search(toErasedPerson(person), { erase: false });
  }

  /** @throws DomainError 409 `user_cannot_take_over` */
  async checkMayTakeOver(user: User, to: User): Promise<void> {
    const isColleague = to.customerId === user.customerId && to.id !== user.id && to.kind !== 'sender' && !to.disabledAt;
    if (!isColleague) throw accountsErrors.user_cannot_take_over(`User ${to.id} is not another enabled user of the same customer.`);
    const { kept } = await this.references.countTo('users', user.id);
    if (to.adminLevel <= user.adminLevel || !ACTING_FOR_USER.some((name) => kept[name])) return;
    throw accountsErrors.user_cannot_take_over(
      `User ${to.id} has more rights (adminLevel ${to.adminLevel}) than user ${user.id}, in whose name subscriptions or client applications act.`,
    );
  }

  /**
   * Ends every session, code, token and authorization of a user, and withdraws every link that was mailed to the user or is still to be mailed: its reader
   * may be the reason.
   */
  async endSessions(user: User, record: RecordChange): Promise<void> {
    await this.database.transaction(async () => {
      await this.accounts.lockUsers([user.id]); // a mail that is being sent creates its link before or not at all
      await this.accounts.saveUser({ id: user.id, linksWithdrawnAt: this.clock.now(), emailDisputedAt: null });
      await this.links.withdrawAll(user.id);
      await this.signIns.end(user.id);
      await record('user.end_sessions', `user:${user.id}`, user.customerId);
    });
  }

  /**
   * Deletes a user. Records that refer to the user are transferred to `to`; without `to` there must be none.
   * @throws DomainError 409 `last_administrator`, `user_still_needed`, `user_cannot_take_over`
   */
  async remove(user: User, { to, record }: { readonly to: User | null; readonly record: RecordChange }): Promise<void> {
    await this.database.transaction(async () => {
      await this.administrators.lock(user.customerId);
      await this.accounts.lockUsers([user.id]);
      await this.administrators.checkMayGo(user);
      if (to) await this.transfer(user, to, record);
      const { kept } = await this.references.countTo('users', user.id);
      if (Object.keys(kept).length > 0) throw stillNeeded(user, kept);
      await this.signIns.end(user.id);
      await this.mails.discardWaiting(user.id);
      await this.failures.deleteOfAccount(keyOfAccount(user.email));
      await this.accounts.deleteUser(user.id);
      await record('user.remove', `user:${user.id}`, user.customerId);
      await this.notifications.notifyOfEverything();
    });
  }

  /**
   * Erases a person. The users are disabled first, so that their names are no longer looked up; then their address is erased
   * from all texts, and their names from all fields, until none is found and work in progress has ended; the names of the users are erased last, so that an interrupted
   * erasure can be repeated. The users themselves stay, without personal data, because media and audit records name them by id.
   * @throws DomainError 409 `last_administrator`, `user_cannot_take_over`, 503 `erasure_unfinished`
   */
  async erase(person: Departing, terms: ErasureTerms): Promise<void> {
    const { record } = terms;
    const disabled = await this.disable(person, terms);
    await this.eraseTexts(toErasedPerson(person), async () => {
      for (const { id, customerId } of disabled) await record('user.disable', `user:${id}`, customerId);
    });
    await this.database.transaction(async () => {
      for (const { id, kind, customerId } of await this.accounts.lockUsers(person.users.map((user) => user.id))) {
        await this.signIns.end(id);
        await this.references.deleteDependent(id); // a sign-in that was in progress may have added some
        await this.mails.discardWaiting(id);
        await this.accounts.saveUser({ id, email: erasedAddress(id), firstname: '', lastname: '', passwordHash: null, adminLevel: 0 });
        await record(kind === 'sender' ? 'sender.erase' : 'user.erase', `user:${id}`, customerId);
      }
      if (person.users.length === 0) await record('sender.erase', 'user:none', null);
      await this.notifications.notifyOfEverything();
    });
  }

  /** Returns the users that were active before. */
  private async disable({ email, users }: Departing, terms: ErasureTerms): Promise<User[]> {
    return await this.database.transaction(async () => {
      const disabled: User[] = [];
      for (const user of users) if (await this.disableUser(user, terms)) disabled.push(user);
      await this.failures.deleteOfAccount(keyOfAccount(email));
      return disabled;
    });
  }

  /** Returns whether the user was active before. */
  private async disableUser(user: User, { to, record, check }: ErasureTerms): Promise<boolean> {
    const { id, customerId } = user;
    await this.administrators.lock(customerId);
    const [locked] = await this.accounts.lockUsers([id]);
    if (!locked) return false; // removed meanwhile
    if (user.kind !== 'sender') check?.(locked);
    await this.administrators.checkMayGo(locked);
    if (to && user.kind !== 'sender') await this.transfer(user, to, record);
    await this.signIns.end(id);
    await this.references.deleteDependent(id);
    if (locked.disabledAt) return false;
    await this.accounts.saveUser({ ...locked, disabledAt: this.clock.now() });
    return true;
  }

  /** `onUnfinished` records what has been done so far, if work in progress does not end in time. */
  private async eraseTexts(person: ErasedPerson & Departing, onUnfinished: () => Promise<void>): Promise<void> {
    for (const id of person.userIds) await this.audit.eraseUser({ id, email: person.email });
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      const { isClean } = await this.texts.search(person, { erase: true });
      if (isClean && pass > 1) return;
      if (!(await this.work.hasEnded(person.customerIds))) break;
    }
    await onUnfinished();
    throw accountsErrors.erasure_unfinished(
      'Work that began before the erasure is still in progress (runs of subscriptions, or long transactions); repeat the command in a minute.',
    );
  }

  private async transfer(user: User, to: User, record: RecordChange): Promise<void> {
    await this.checkMayTakeOver(user, to);
    await this.references.transfer(user.id, to.id);
    await record('user.hand_over', `user:${user.id}`, user.customerId);
    await record('user.take_over', `user:${to.id}`, to.customerId);
  }
}

/** Adds what identifies the person: ids, customers, and the pattern of the address and of fields with names. */
export function toErasedPerson({ email, users, onlyCustomerId }: Departing): ErasedPerson & Departing {
  const names = users.filter((user) => !isErasedAddress(user.email));
  const userIds = users.map(({ id }) => id);
  return {
    email,
    users,
    onlyCustomerId,
    userIds,
    customerIds: [...new Set(users.map(({ customerId }) => customerId))],
    pattern: new PersonPattern({ email, names, userIds }, erasedAddress(users[0]?.id ?? null)),
  };
}

function stillNeeded({ id }: User, kept: RowCounts): Error {
  const places = Object.entries(kept).map(([name, count]) => `${name}: ${count}`);
  return accountsErrors.user_still_needed(
    `Records of the customer name user ${id} (${places.join(', ')}); transfer them with --transfer-to EMAIL, or erase the user instead.`,
  );
}
