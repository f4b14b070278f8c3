import { Injectable } from '@nestjs/common';
import type { RowCounts } from '../../../shared/removal/index.js';
import { AuthorizationsService } from '../../access/index.js';
import type { KeptSignIns, SignIns } from '../../accounts/index.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';

/** The names of oidc-provider's kinds of records that operators see. */
const NAMES = { Session: 'sessions', AuthorizationCode: 'codes', RefreshToken: 'refresh tokens' };

/** The sign-ins of a user: records of oidc-provider, and authorizations. */
@Injectable()
export class SignInsAdapter implements SignIns {
  constructor(
    private readonly records: OidcRecordsRepository,
    private readonly authorizations: AuthorizationsService,
  ) {}

  async count(userId: number): Promise<RowCounts> {
    const records = await this.records.countOfAccount(userId);
    return Object.fromEntries(
      Object.entries(NAMES).flatMap(([model, name]) => (records.has(model) ? [[name, records.get(model) ?? 0]] : [])),
    );
  }

  /** Also deletes authorizations, which invalidates access tokens immediately in every process. */
  async end(userId: number, { sessions, authorizations }: KeptSignIns = { sessions: [], authorizations: [] }): Promise<void> {
    const grantIds = await this.authorizations.deleteOfUser(userId, authorizations);
    await this.records.deleteOfAccount(userId, { sessions, grantIds });
  }

  async endSessions(userId: number, except: string | null): Promise<void> {
    await this.records.deleteSessionsOfAccount(userId, except);
  }
}
