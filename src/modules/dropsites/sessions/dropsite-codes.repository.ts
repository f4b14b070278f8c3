import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';
import { sha256 } from '../../../shared/secrets/index.js';

const CODE_BYTES = 32;

const INSERT = 'INSERT INTO dropsite_codes (code_hash, dropsite_id, expires_at) VALUES ($1, $2, $3)';

const USE = 'UPDATE dropsite_codes SET used_at = $3 WHERE code_hash = $1 AND dropsite_id = $2 AND used_at IS NULL AND expires_at > $3';

/** The codes of all dropsites. */
@Injectable()
export class DropsiteCodesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('dropsite_codes', 'expires_at < $1');
  }

  /** A new code of the dropsite, in clear. */
  async issue(dropsiteId: number, expiresAt: Date): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    await this.database.query(INSERT, [sha256(code), dropsiteId, expiresAt]);
    return code;
  }

  /** Uses up a code of this dropsite. False when it is unknown, another's, expired or used; of calls in parallel one gets true. */
  async use(code: string, dropsiteId: number, now: Date): Promise<boolean> {
    return ((await this.database.query(USE, [sha256(code), dropsiteId, now])).rowCount ?? 0) > 0;
  }
}
