import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';

/** Signatures that were accepted within their window, shared by all processes. */
@Injectable()
export class UsedSignatures {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('used_signatures', 'expires_at < $1');
  }

  /** Whether this is the first use, which binds the signature to its method; of several at the same moment one is. */
  async claim(signature: string, method: string, expiresAt: Date): Promise<boolean> {
    const sql = 'INSERT INTO used_signatures (signature, method, expires_at) VALUES ($1, $2, $3) ON CONFLICT (signature) DO NOTHING';
    return (await this.database.query(sql, [signature, method, expiresAt])).rowCount === 1;
  }

  /** The method of the first use; null for one that a process of the version before accepted, which was none of GET. */
  async findMethod(signature: string): Promise<string | null> {
    const sql = 'SELECT method FROM used_signatures WHERE signature = $1';
    return (await this.database.queryOne<{ method: string | null }>(sql, [signature]))?.method ?? null;
  }
}
