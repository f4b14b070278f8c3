import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';

const CLAIM = `INSERT INTO saml_assertions (identity_provider_id, assertion_id, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (identity_provider_id, assertion_id) DO NOTHING`;

/** Assertions that signed somebody in, until they expire; shared by all processes. */
@Injectable()
export class UsedAssertions {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('saml_assertions', 'expires_at < $1');
  }

  /** Whether this is the first use; of several at the same moment one is. */
  async claim(identityProviderId: number, { id, expiresAt }: { id: string; expiresAt: Date }): Promise<boolean> {
    return (await this.database.query(CLAIM, [identityProviderId, id, expiresAt])).rowCount === 1;
  }
}
