import { Injectable } from '@nestjs/common';
import { type Caller, requireAdminLevel } from '../../../shared/auth/index.js';
import type { Reach } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { invalidInput, isId } from '../../../shared/validation/index.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountsRepository } from '../accounts.repository.js';
import { ADMINISTRATOR_LEVEL, OPERATOR_LEVEL, type User } from '../user.entity.js';

const PURPOSE = 'administer users, applications, keys and identity providers';

/**
 * Decides which customers a caller administers. Administrators (adminLevel 9 or more) administer their own customer; operators, who have adminLevel 100
 * or more and belong to the customer that runs the service, every customer.
 */
@Injectable()
export class AdministrationService {
  constructor(private readonly accounts: AccountsRepository) {}

  /**
   * What a find shows: the customer named by `customerId`, which only operators may choose, or the caller's own.
   * @throws DomainError 403 `admin_level_not_sufficient`, `operator_only`
   */
  async reachOfFind(caller: Caller, customerId: number | null = null): Promise<Reach> {
    requireAdminLevel(caller, ADMINISTRATOR_LEVEL, PURPOSE);
    const isOperator = await this.isOperator(caller);
    if (customerId !== null && customerId !== caller.customerId && !isOperator) throw otherCustomer();
    return { customerId: customerId ?? caller.customerId, withCommon: isOperator && customerId === null };
  }

  /**
   * Where a record may be that a request names by its id.
   * @throws DomainError 403 `admin_level_not_sufficient`
   */
  async reachOfId(caller: Caller): Promise<Reach> {
    requireAdminLevel(caller, ADMINISTRATOR_LEVEL, PURPOSE);
    return (await this.isOperator(caller)) ? { withCommon: true } : { customerId: caller.customerId, withCommon: false };
  }

  /**
   * The customer of a new record: the one named by `customerId`, which only operators may choose, or the caller's own.
   * @throws DomainError 403 `admin_level_not_sufficient`, `operator_only`, 400 `validation_failed` for an unknown customer
   */
  async customerOfNew(caller: Caller, customerId: number = caller.customerId): Promise<number> {
    requireAdminLevel(caller, ADMINISTRATOR_LEVEL, PURPOSE);
    if (customerId === caller.customerId) return customerId;
    if (!(await this.isOperator(caller))) throw otherCustomer();
    if (await this.accounts.findCustomer(customerId)) return customerId;
    throw invalidInput({ path: 'customerId', code: 'not_found', message: `there is no customer ${customerId}` });
  }

  /**
   * The existing customer that a caller reads: the one named by `customerId`, which only operators may choose, or the caller's own.
   * @throws DomainError 403 `operator_only`, 404 `not_found`
   */
  async customerToRead(caller: Caller, customerId: number = caller.customerId): Promise<number> {
    if (customerId === caller.customerId) return customerId;
    if (!(await this.isOperator(caller))) throw otherCustomer();
    if (isId(customerId) && (await this.accounts.findCustomer(customerId))) return customerId;
    throw generalErrors.not_found(`The customer ${customerId} does not exist.`);
  }

  /** @throws DomainError 403 `operator_only`; `what` is the subject of the sentence "… may be set by operators only" */
  async requireOperator(caller: Caller, what: string): Promise<void> {
    if (!(await this.isOperator(caller))) throw accountsErrors.operator_only(`${what} by operators only.`);
  }

  /** Support staff act with the rights of a user of a customer, never with those of an operator. */
  private async isOperator({ adminLevel, customerId, supportUserId }: Caller): Promise<boolean> {
    if (adminLevel < OPERATOR_LEVEL || supportUserId !== null) return false;
    return (await this.accounts.findCustomer(customerId))?.operator === true;
  }
}

/**
 * Refuses changes of a user with more rights than the caller, and of what acts as that user. `what` is the end of the sentence "adminLevel N or
 * above is needed to …".
 * @throws DomainError 403 `admin_level_not_sufficient`
 */
export const requireRank = (caller: Caller, { adminLevel }: Pick<User, 'adminLevel'>, what: string): void =>
  requireAdminLevel(caller, adminLevel, what);

const otherCustomer = () => accountsErrors.operator_only('Other customers are administered by operators only; leave out customerId.');
