import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, Raw } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { Customer } from './customer.entity.js';
import { NOT_SENDER, User } from './user.entity.js';

/** Customers and their users. A row that is locked stays as it is read until the transaction ends. */
@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  async findCustomer(id: number): Promise<Customer | null> {
    return await this.customers.findOneBy({ id });
  }

  async findCustomerByName(name: string): Promise<Customer | null> {
    return await this.customers.findOneBy({ name });
  }

  async lockCustomer(id: number): Promise<Customer | null> {
    return await this.customers.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async lockCustomerByName(name: string): Promise<Customer | null> {
    return await this.customers.findOne({ where: { name }, lock: { mode: 'pessimistic_write' } });
  }

  async saveCustomer(customer: Partial<Customer>): Promise<Customer> {
    return await this.customers.save(this.customers.create(customer));
  }

  async findUser(id: number): Promise<User | null> {
    return await this.users.findOneBy({ id });
  }

  /** The person or service of this address, never a sender; compared without case. */
  async findUserByEmail(email: string): Promise<User | null> {
    return await this.users.findOneBy(ofEmail(email));
  }

  async lockUserByEmail(email: string): Promise<User | null> {
    return await this.users.findOne({ where: ofEmail(email), lock: { mode: 'pessimistic_write' } });
  }

  async saveUser(user: Partial<User>): Promise<User> {
    return await this.users.save(this.users.create(user));
  }

  private get customers() {
    return this.database.repository(Customer);
  }

  private get users() {
    return this.database.repository(User);
  }
}

const ofEmail = (email: string): FindOptionsWhere<User> => ({
  email: email.toLowerCase(),
  kind: Raw((column) => NOT_SENDER.replace('kind', column)), // not a parameter, so that PostgreSQL uses the partial index
});
