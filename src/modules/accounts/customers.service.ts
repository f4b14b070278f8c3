import { Injectable } from '@nestjs/common';
import { Audit } from '../../shared/audit/index.js';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import { Database, isUniqueViolation } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors/index.js';
import { defined } from '../../shared/validation/index.js';
import { accountsErrors } from './accounts.errors.js';
import type { Customer } from './customer.entity.js';
import { CustomersRepository } from './customers.repository.js';
import { Principals } from './principals.js';

/** Who may change the organisation itself. */
const ADMIN_LEVEL = 9;

export interface CustomerChanges {
  readonly name?: string;
  readonly burnTimecode?: Record<string, unknown> | null;
  readonly supportAccessUntil?: Date | null;
}

/** The caller's own organisation. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly database: Database,
    private readonly customers: CustomersRepository,
    private readonly audit: Audit,
    private readonly principals: Principals,
  ) {}

  async get({ customerId }: Caller): Promise<Customer> {
    return (await this.customers.findById(customerId)) ?? unknown();
  }

  /** For work that is done in its name without a caller; null: there is none. */
  async find(customerId: number): Promise<Customer | null> {
    return await this.customers.findById(customerId);
  }

  /** Its name, for those who look at its media; empty if there is no such customer. */
  async nameOf(customerId: number): Promise<string> {
    return (await this.customers.findById(customerId))?.name ?? '';
  }

  /** Throws `admin_level_not_sufficient`, `customer_name_taken`, and `not_for_support_staff` for a longer support window. */
  async update(caller: Caller, changes: CustomerChanges): Promise<Customer> {
    requireAdminLevel(caller, ADMIN_LEVEL, 'change the customer');
    if (changes.supportAccessUntil !== undefined && caller.supportUserId !== null) {
      throw accountsErrors.not_for_support_staff('Only a user of the customer may change supportAccessUntil.');
    }
    try {
      return await this.database.transaction(async () => {
        const customer = (await this.customers.lockById(caller.customerId)) ?? unknown();
        const changed = await this.customers.save({ ...customer, ...defined(changes) });
        await this.audit.record({ action: 'customer.update', ...(await this.actorOf(caller)), subject: `customer:${customer.name}` });
        return changed;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw accountsErrors.customer_name_taken(`There is another customer called "${changes.name}".`);
    }
  }

  /** For support staff both: who acts, and in whose name. */
  private async actorOf({ email, supportUserId }: Caller): Promise<{ actor: string; onBehalfOf?: string }> {
    const user = `user:${email}`;
    if (supportUserId === null) return { actor: user };
    return { actor: `user:${(await this.principals.find(supportUserId))?.email ?? supportUserId}`, onBehalfOf: user };
  }
}

function unknown(): never {
  throw generalErrors.not_found('The customer does not exist any more.');
}
