import { Injectable } from '@nestjs/common';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { ADMINISTRATOR_LEVEL, type User } from './user.entity.js';

/** What decides whether a person is an administrator. */
type Rights = Pick<User, 'kind' | 'adminLevel' | 'disabledAt'>;

/** Finds people who sign in without a password of this service. */
export abstract class ExternalSignIns {
  /** Whether one of these users can sign in at an identity provider, and has done so before. */
  abstract includesOneOf(users: readonly Pick<User, 'id' | 'adminLevel'>[]): Promise<boolean>;
}

/** Whether a user is an enabled person with adminLevel 9 or more. */
export const isAdministrator = ({ kind, adminLevel, disabledAt }: Rights): boolean =>
  kind === 'person' && adminLevel >= ADMINISTRATOR_LEVEL && !disabledAt;

/**
 * Keeps each customer an administrator who can sign in now: an enabled person with adminLevel 9 or more who has a password, or who has signed in at an
 * identity provider that still accepts this level. A person who has not accepted an invitation yet does not count.
 */
@Injectable()
export class AdministratorsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly external: ExternalSignIns,
  ) {}

  /** Lets only one transaction at a time decide who administers the customer; locked before its users. */
  async lock(customerId: number): Promise<void> {
    await this.accounts.lockAdministration(customerId);
  }

  /**
   * Checks that the customer keeps an administrator when this one is demoted, disabled or removed. The caller has called
   * `lock`, so that of two such changes at the same time the second one sees the first.
   * @throws DomainError 409 `last_administrator`
   */
  async checkMayGo(user: User): Promise<void> {
    if (!isAdministrator(user) || !(await this.canOneSignIn([user]))) return;
    const others = (await this.accounts.findAdministrators(user.customerId)).filter(({ id }) => id !== user.id);
    if (await this.canOneSignIn(others)) return;
    throw accountsErrors.last_administrator(
      `User ${user.id} is the last administrator of the customer who can sign in; give another user who can adminLevel ${ADMINISTRATOR_LEVEL} first, or remove the customer.`,
    );
  }

  /**
   * Makes a change that may end how people of a customer sign in, such as the removal of its identity provider, and checks that the customer keeps an
   * administrator who can, if it had one. The caller has begun a transaction, and has locked nothing of the customer before.
   * @throws DomainError 409 `last_administrator`
   */
  async keepOne<Result>(customerId: number, change: () => Promise<Result>): Promise<Result> {
    await this.lock(customerId);
    const hadOne = await this.canOneSignIn(await this.accounts.findAdministrators(customerId));
    const result = await change();
    if (!hadOne || (await this.canOneSignIn(await this.accounts.findAdministrators(customerId)))) return result;
    throw accountsErrors.last_administrator(
      `No administrator of the customer could sign in any more; give a user with adminLevel ${ADMINISTRATOR_LEVEL} or more a password first.`,
    );
  }

  /** Whether one of these people can sign in now: with a password, or at an identity provider where they have done so before. */
  async canOneSignIn(people: readonly User[]): Promise<boolean> {
    if (people.some(({ passwordHash }) => passwordHash !== null)) return true;
    return people.length > 0 && (await this.external.includesOneOf(people));
  }
}
