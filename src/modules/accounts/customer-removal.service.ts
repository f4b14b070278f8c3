import { Injectable } from '@nestjs/common';
import type { RecordChange } from '../../shared/audit/audit.service.js';
import { Clock } from '../../shared/clock.js';
import { Database, isForeignKeyViolation, Notifications } from '../../shared/database/index.js';
import { ReferencesRepository, type RowCounts } from '../../shared/removal/index.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import type { Customer } from './customer.entity.js';
import { SignIns } from './sign-ins.port.js';

/**
 * Removes customers and everything that belongs to them. Between `close` and `delete` the caller removes their media, whose files are in the
 * storage.
 */
@Injectable()
export class CustomerRemovalService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly users: AccountsService,
    private readonly references: ReferencesRepository,
    private readonly signIns: SignIns,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  /** Counts the rows of a customer by table. */
  async inspect({ id }: Customer): Promise<RowCounts> {
    return await this.references.countOfCustomer(id);
  }

  /** @throws DomainError 409 `customer_still_needed` */
  checkMayGo({ id, operator }: Customer): void {
    if (operator) throw accountsErrors.customer_still_needed(`Customer ${id} is the operator of the service and cannot be removed.`);
  }

  /** Disables all users of the customer and ends their sign-ins. */
  async close(customer: Customer, record: RecordChange): Promise<void> {
    this.checkMayGo(customer);
    await this.database.transaction(async () => {
      await this.accounts.lockAdministration(customer.id);
      await this.accounts.disableUsersOf(customer.id, this.clock.now());
      await record('customer.close', `customer:${customer.id}`, customer.id);
    });
    const kinds = ['person', 'service', 'sender'] as const;
    for await (const user of this.users.list({ kinds, customerId: customer.id })) await this.signIns.end(user.id);
  }

  /**
   * Deletes the customer and everything that belongs to it.
   * @throws DomainError 409 `customer_still_needed` if a client application or a record of another customer refers to it or its users
   */
  async delete(customer: Customer, record: RecordChange): Promise<void> {
    try {
      await this.database.transaction(async () => {
        await this.accounts.lockCustomer(customer.id);
        await this.references.deleteOfCustomer(customer.id);
        await this.accounts.deleteCustomer(customer.id);
        await record('customer.remove', `customer:${customer.id}`, customer.id);
        await this.notifications.notifyOfEverything();
      });
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw accountsErrors.customer_still_needed(
        `Something still refers to customer ${customer.id} or its users: a client application that acts as one of them, or records of another customer. Remove these references, then repeat the command.`,
      );
    }
  }
}
