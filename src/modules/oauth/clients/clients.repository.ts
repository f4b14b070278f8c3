import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { Database, type Portion, type Reach, withinReach } from '../../../shared/database/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { Client } from './client.entity.js';

/** The clients that administrators look for. */
export interface WantedClients {
  readonly reach: Reach;
  readonly id?: number | null;
  readonly clientId?: string;
}

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

  async findWithin(reach: Reach, id: number): Promise<Client | null> {
    return await this.database.repository(Client).findOneBy({ ...withinReach(reach), id });
  }

  /** Lists a page of clients in the order of their ids. */
  async findPage({ reach, id, clientId }: WantedClients, { after, limit }: Portion): Promise<Client[]> {
    if (Math.max(after, id ?? 0) > MAX_ID || (id ?? MAX_ID) <= after) return [];
    const where = { ...withinReach(reach), id: id ?? MoreThan(after), ...(clientId !== undefined && { clientId }) };
    return await this.database.repository(Client).find({ where, order: { id: 'ASC' }, take: limit });
  }

  async countOfCustomer(customerId: number): Promise<number> {
    return await this.database.repository(Client).countBy({ customerId });
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
