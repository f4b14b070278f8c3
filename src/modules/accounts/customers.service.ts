import { Injectable } from '@nestjs/common';
import { AuditService } from '../../shared/audit/audit.service.js';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors.js';
import { requireMatch } from '../../shared/http/index.js';
import { defined } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import type { Customer } from './customer.entity.js';
import { ADMINISTRATOR_LEVEL } from './user.entity.js';

export interface CustomerChanges {
  readonly name?: string;
  readonly burnTimecode?: Record<string, unknown> | null;
  readonly supportAccessUntil?: Date | null;
  readonly requireSecondFactor?: boolean;
}

/** A change; with `ifMatch` only if the customer has a version that the header names. */
export type CustomerUpdate = CustomerChanges & { readonly ifMatch?: string };

/** What support staff cannot change: the administration of the customer (contract section 12.6). */
const OF_ITS_USERS = ['name', 'supportAccessUntil', 'requireSecondFactor'] as const;

/** Reads and changes customers: callers their own organisation. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditService,
  ) {}

  async get({ customerId }: Caller): Promise<Customer> {
    return (await this.accounts.findCustomer(customerId)) ?? unknown();
  }

  /** Finds a customer for work without a caller; null if the customer does not exist. */
  async find(customerId: number): Promise<Customer | null> {
    return await this.accounts.findCustomer(customerId);
  }

  /** Returns the name to show with the customer's media; empty if the customer does not exist. */
  async nameOf(customerId: number): Promise<string> {
    return (await this.accounts.findCustomer(customerId))?.name ?? '';
  }

  /** Names a customer in a message for the operator: `customer 7 ("Newsroom")`. */
  async describe(customerId: number): Promise<string> {
    return `customer ${customerId} (${JSON.stringify(await this.nameOf(customerId))})`;
  }

  /**
   * @throws DomainError 403 `admin_level_not_sufficient`, 409 `customer_name_taken`, 412 `precondition_failed`, 403 `support_access_denied` for support
   * staff who change more than conversions
   */
  async update(caller: Caller, { ifMatch, ...changes }: CustomerUpdate): Promise<Customer> {
    requireAdminLevel(caller, ADMINISTRATOR_LEVEL, 'change the customer');
    if (caller.supportUserId !== null && OF_ITS_USERS.some((member) => changes[member] !== undefined)) {
      throw generalErrors.support_access_denied(`Only a user of the customer may change ${OF_ITS_USERS.join(', ')}.`);
    }
    return await this.change(caller, caller.customerId, { ifMatch, ...changes }, { ownName: true });
  }

  /**
   * Changes a customer whom the caller may change; what changes nothing is not recorded. `ownName`: a new name is chosen by the customer, not by the operator.
   * @throws DomainError 404 `not_found`, 409 `customer_name_taken`, 412 `precondition_failed`
   */
  async change(caller: Caller, id: number, { ifMatch, ...changes }: CustomerUpdate, { ownName = false } = {}): Promise<Customer> {
    try {
      return await this.database.transaction(async () => {
        const customer = (await this.accounts.lockCustomer(id)) ?? unknown();
        requireMatch(ifMatch, customer, 'customer');
        const naming = await this.naming(customer, changes.name ?? customer.name, ownName);
        const changed = await this.accounts.saveCustomer({ ...customer, ...defined(changes), ...naming });
        if (changed.version !== customer.version) await this.audit.recorderOf(caller)('customer.update', `customer:${id}`, id);
        return changed;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw accountsErrors.customer_name_taken(`Another customer has the name "${changes.name}".`);
    }
  }

  /**
   * A customer that renames itself stays known to the operator under its declared name, and cannot take that of another one.
   * @throws DomainError 409 `customer_name_taken`
   */
  private async naming(customer: Customer, name: string, ownName: boolean): Promise<Pick<Customer, 'name' | 'declaredName'>> {
    if (name === customer.name) return { name, declaredName: customer.declaredName };
    const declared = await this.accounts.findDeclaredCustomer(name);
    if (declared && declared.id !== customer.id) throw accountsErrors.customer_name_taken(`Another customer has the name "${name}".`);
    const before = customer.declaredName ?? customer.name;
    return { name, declaredName: ownName && name !== before ? before : null };
  }
}

function unknown(): never {
  throw generalErrors.not_found('The customer does not exist.');
}
