import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';
import { AuthorizationsRepository, LOCK_TOKEN } from './authorizations.repository.js';

const REVOKE = 'INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING';

/** Access tokens that ended by themselves, remembered until they would have expired. */
@Injectable()
export class RevokedTokens {
  constructor(
    private readonly database: Database,
    private readonly authorizations: AuthorizationsRepository,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('revoked_tokens', 'expires_at < $1');
  }

  /** Ends a single token (RFC 7009 section 2.1) and what was derived from it, at once and everywhere; in the ambient transaction if there is one. */
  async revoke(jti: string, expiresAt: Date): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.query(LOCK_TOKEN, [jti]);
      await this.database.query(REVOKE, [jti, expiresAt]);
      await this.authorizations.deleteByParentToken(jti);
    });
  }
}
