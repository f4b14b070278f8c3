import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { User } from './user.entity.js';

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  async findById(id: number): Promise<User | null> {
    return await this.repository.findOneBy({ id });
  }

  /** E-mail addresses are compared without case. */
  async findByEmail(email: string): Promise<User | null> {
    return await this.repository.findOneBy({ email: email.toLowerCase() });
  }

  /** The same, held until the transaction ends, so that what is decided from it is still true when it is written. */
  async lockByEmail(email: string): Promise<User | null> {
    return await this.repository.findOne({ where: { email: email.toLowerCase() }, lock: { mode: 'pessimistic_write' } });
  }

  async save(user: Partial<User>): Promise<User> {
    return await this.repository.save(this.repository.create(user));
  }

  private get repository() {
    return this.database.repository(User);
  }
}
