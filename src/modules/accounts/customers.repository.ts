import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { Customer } from './customer.entity.js';

@Injectable()
export class CustomersRepository {
  constructor(private readonly database: Database) {}

  async findByName(name: string): Promise<Customer | null> {
    return await this.repository.findOneBy({ name });
  }

  async findById(id: number): Promise<Customer | null> {
    return await this.repository.findOneBy({ id });
  }

  /** The same, held until the transaction ends. */
  async lockById(id: number): Promise<Customer | null> {
    return await this.repository.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** The customer of this name, held until the transaction ends. */
  async lockByName(name: string): Promise<Customer | null> {
    return await this.repository.findOne({ where: { name }, lock: { mode: 'pessimistic_write' } });
  }

  async save(customer: Partial<Customer>): Promise<Customer> {
    return await this.repository.save(this.repository.create(customer));
  }

  private get repository() {
    return this.database.repository(Customer);
  }
}
