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

  /** Whether this is the first use; of several at the same moment one is. */
  async claim(signature: string, expiresAt: Date): Promise<boolean> {
    const sql = 'INSERT INTO used_signatures (signature, expires_at) VALUES ($1, $2) ON CONFLICT (signature) DO NOTHING';
    return (await this.database.query(sql, [signature, expiresAt])).rowCount === 1;
  }
}
