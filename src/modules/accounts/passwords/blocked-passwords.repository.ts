import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { BlockedPassword } from './blocked-password.entity.js';

/** Stores the operator's block list. */
@Injectable()
export class BlockedPasswordsRepository {
  constructor(private readonly database: Database) {}

  /** Adds entries; returns how many are new. */
  async insert(fingerprints: readonly string[]): Promise<number> {
    // Raw SQL: TypeORM would pass each entry as a parameter of its own, of which a statement has at most 65,535.
    const sql = 'INSERT INTO blocked_passwords SELECT DISTINCT unnest($1::bigint[]) ON CONFLICT DO NOTHING';
    return (await this.database.query(sql, [fingerprints])).rowCount ?? 0;
  }

  async exists(fingerprint: string): Promise<boolean> {
    return await this.database.repository(BlockedPassword).existsBy({ fingerprint });
  }

  /** Empties the list. */
  async clear(): Promise<void> {
    await this.database.repository(BlockedPassword).clear();
  }
}
