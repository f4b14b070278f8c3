import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, Not } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { ServerKey } from './server-key.entity.js';

/** Reads and locks the keys in `server_keys`. */
@Injectable()
export class ServerKeysRepository {
  constructor(private readonly database: Database) {}

  /** Finds the keys of a purpose: the current one first, then the retired ones, most recently retired first. */
  async findNewestFirst(purpose: ServerKey['purpose']): Promise<ServerKey[]> {
    const order = { retiredAt: { direction: 'DESC', nulls: 'FIRST' }, createdAt: 'DESC', id: 'ASC' } as const;
    return await this.database.repository(ServerKey).find({ where: { purpose }, order });
  }

  /** Lets one process at a time create or rotate keys, until the transaction ends. */
  async lock(): Promise<void> {
    await this.database.lock('server_keys');
  }

  async insert(key: Pick<ServerKey, 'id' | 'purpose' | 'sealed'>): Promise<void> {
    await this.database.repository(ServerKey).insert(key);
  }

  async retireOthers(purpose: ServerKey['purpose'], id: string, at: Date): Promise<void> {
    await this.database.repository(ServerKey).update({ purpose, id: Not(id), retiredAt: IsNull() }, { retiredAt: at });
  }

  async deleteRetiredBefore(purpose: ServerKey['purpose'], moment: Date): Promise<number> {
    return (await this.database.repository(ServerKey).delete({ purpose, retiredAt: LessThan(moment) })).affected ?? 0;
  }
}
