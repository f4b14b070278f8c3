import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { ServerKey } from './server-key.entity.js';

@Injectable()
export class ServerKeysRepository {
  constructor(private readonly database: Database) {}

  /** The keys of a purpose, the one in force first, whatever the clocks said when they were made; then the newest. */
  async findNewestFirst(purpose: ServerKey['purpose']): Promise<ServerKey[]> {
    const order = { retiredAt: { direction: 'DESC', nulls: 'FIRST' }, createdAt: 'DESC', id: 'ASC' } as const;
    return await this.database.repository(ServerKey).find({ where: { purpose }, order });
  }

  /** One process at a time makes or rotates keys; held until the transaction ends. */
  async lock(): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended('server_keys', 0))`);
  }

  async insert(key: Pick<ServerKey, 'id' | 'purpose' | 'sealed'>): Promise<void> {
    await this.database.repository(ServerKey).insert(key);
  }

  async retireOthers(purpose: ServerKey['purpose'], id: string, at: Date): Promise<void> {
    const sql = 'UPDATE server_keys SET retired_at = $3 WHERE purpose = $1 AND id <> $2 AND retired_at IS NULL';
    await this.database.query(sql, [purpose, id, at]);
  }

  async deleteRetiredBefore(purpose: ServerKey['purpose'], moment: Date): Promise<number> {
    return (await this.database.query('DELETE FROM server_keys WHERE purpose = $1 AND retired_at < $2', [purpose, moment])).rowCount ?? 0;
  }
}
