import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Client } from './client.entity.js';

/** Reads and writes the registered clients. */
@Injectable()
export class ClientsRepository {
  constructor(private readonly database: Database) {}

  async findAll(): Promise<Client[]> {
    return await this.database.repository(Client).find();
  }

  async findByClientId(clientId: string): Promise<Client | null> {
    return await this.database.repository(Client).findOneBy({ clientId });
  }

  /** Finds a client and locks it until the transaction ends. */
  async lockByClientId(clientId: string): Promise<Client | null> {
    return await this.database.repository(Client).findOne({ where: { clientId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Deletes a client and its authorizations. */
  async delete(clientId: string): Promise<void> {
    await this.database.repository(Client).delete({ clientId });
  }

  async save(client: Partial<Client>): Promise<Client> {
    const repository = this.database.repository(Client);
    return await repository.save(repository.create(client));
  }
}
