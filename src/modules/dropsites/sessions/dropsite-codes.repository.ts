import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { DropsiteCode } from './dropsite-code.entity.js';

const CODE_BYTES = 32;

/** Issues and consumes codes of dropsites. */
@Injectable()
export class DropsiteCodesRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('dropsite_codes', 'expires_at < $1');
  }

  /** Issues a code for the dropsite, and returns it in plain text. */
  async issue(dropsiteId: number, expiresAt: Date): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    await this.database.repository(DropsiteCode).insert({ codeHash: sha256(code), dropsiteId, expiresAt });
    return code;
  }

  /**
   * Consumes a code of this dropsite; false if it is unknown, expired, used or of another dropsite. Only one of several concurrent calls returns
   * true.
   */
  async consume(code: string, dropsiteId: number, now: Date): Promise<boolean> {
    const valid = { codeHash: sha256(code), dropsiteId, usedAt: IsNull(), expiresAt: MoreThan(now) };
    return ((await this.database.repository(DropsiteCode).update(valid, { usedAt: now })).affected ?? 0) > 0;
  }
}
