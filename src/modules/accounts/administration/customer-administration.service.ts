import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Database, isUniqueViolation, type Portion } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { defined } from '../../../shared/validation/index.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { Customer } from '../customer.entity.js';
import { CustomersService, type CustomerUpdate } from '../customers.service.js';
import { AdministrationService } from './administration.service.js';

/** What a find of customers asks for. */
interface WantedCustomers {
  readonly id?: number | null;
  /** Part of the name, in any case. */
  readonly search?: string;
}

/** Lets operators create, find and change customers; the command line removes them, because their files are removed too. */
@Injectable()
export class CustomerAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly administration: AdministrationService,
    private readonly accounts: AccountsRepository,
    private readonly customers: CustomersService,
    private readonly audit: AuditService,
  ) {}

  /** Lists a page of customers, in the order of their ids. Throws 403 `admin_level_not_sufficient`, `operator_only`. */
  async list(caller: Caller, wanted: WantedCustomers, portion: Portion): Promise<Customer[]> {
    await this.requireOperator(caller);
    return await this.accounts.findCustomers(wanted, portion);
  }

  /** @throws DomainError 404 `not_found`, and like `list` */
  async get(caller: Caller, id: number): Promise<Customer> {
    await this.requireOperator(caller);
    const customer = await this.accounts.findCustomer(id);
    if (!customer) throw generalErrors.not_found(`The customer ${id} does not exist.`);
    return customer;
  }

  /** @throws DomainError 409 `customer_name_taken`, and like `list` */
  async create(
    caller: Caller,
    { name, ...settings }: Pick<Customer, 'name'> & Partial<Pick<Customer, 'requireSecondFactor'>>,
  ): Promise<Customer> {
    await this.requireOperator(caller);
    try {
      return await this.database.transaction(async () => {
        if (await this.accounts.findDeclaredCustomer(name)) throw taken(name);
        const { id } = await this.accounts.saveCustomer({ name, ...defined(settings) });
        await this.audit.recorderOf(caller)('customer.create', `customer:${id}`, id);
        return await this.get(caller, id); // with the defaults of the database
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw taken(name);
    }
  }

  /** @throws DomainError 404 `not_found`, 409 `customer_name_taken`, 412 `precondition_failed`, and like `list` */
  async update(caller: Caller, { id, ...update }: CustomerUpdate & { readonly id: number }): Promise<Customer> {
    await this.requireOperator(caller);
    return await this.customers.change(caller, id, update);
  }

  private async requireOperator(caller: Caller): Promise<void> {
    await this.administration.requireOperator(caller, 'Customers are administered');
  }
}

const taken = (name: string) => accountsErrors.customer_name_taken(`Another customer has the name "${name}".`);
