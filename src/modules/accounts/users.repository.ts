import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, Raw } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { NOT_SENDER, User } from './user.entity.js';

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  async findById(id: number): Promise<User | null> {
    return await this.repository.findOneBy({ id });
  }

  /** The person or service of this address, never a sender; compared without case. */
  async findByEmail(email: string): Promise<User | null> {
    return await this.repository.findOneBy(ofEmail(email));
  }

  /** The same, held until the transaction ends, so that what is decided from it is still true when it is written. */
  async lockByEmail(email: string): Promise<User | null> {
    return await this.repository.findOne({ where: ofEmail(email), lock: { mode: 'pessimistic_write' } });
  }

  async save(user: Partial<User>): Promise<User> {
    return await this.repository.save(this.repository.create(user));
  }

  private get repository() {
    return this.database.repository(User);
  }
}

const ofEmail = (email: string): FindOptionsWhere<User> => ({
  email: email.toLowerCase(),
  kind: Raw((column) => NOT_SENDER.replace('kind', column)), // not a parameter, so that the partial index serves it
});
