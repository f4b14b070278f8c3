import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../shared/auth/index.js';
import { Database, insertIfAbsent } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { type Principal, PrincipalsService, SupportAccessService } from '../accounts/index.js';
import type { AccessTokenClaims } from './access-token-claims.js';
import { Authorization } from './authorization.entity.js';
import { FIND_TOKEN_STATES } from './authorizations.queries.js';
import { AuthorizationsService, tokenLock } from './authorizations.service.js';
import { RevokedToken } from './revoked-token.entity.js';

/** The state of a valid token. */
export interface TokenState {
  readonly principal: Principal;
  /** The device that requests with the token must name; null: none. */
  readonly device: string | null;
}

interface StateRow extends Pick<Authorization, 'device' | 'endsAt' | 'accessKey'> {
  readonly jti: string;
}

/** Decides whether access tokens are valid. Their state is read for every request, so that a revocation takes effect immediately everywhere. */
@Injectable()
export class TokenStatesService {
  private readonly findRow: (claims: AccessTokenClaims) => Promise<StateRow | null>;

  constructor(
    private readonly database: Database,
    private readonly principals: PrincipalsService,
    private readonly supportAccess: SupportAccessService,
    private readonly authorizations: AuthorizationsService,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('revoked_tokens', 'expires_at < $1');
    this.findRow = database.batched(
      ({ jti }: AccessTokenClaims) => jti,
      async (tokens) => {
        const { rows } = await database.query<StateRow>(FIND_TOKEN_STATES, [
          tokens.map(({ jti }) => jti),
          tokens.map(({ authorizationId }) => authorizationId),
          tokens.map(({ generation }) => generation),
        ]);
        return new Map(rows.map((row) => [row.jti, row]));
      },
    );
  }

  /** Returns the state of a verified token, or null if the token, its authorization, its user or its support access has ended. */
  async find(claims: AccessTokenClaims): Promise<TokenState | null> {
    const [row, principal] = await Promise.all([this.findRow(claims), this.principals.find(claims.userId)]);
    if (!row || !principal || !(await this.authorizations.isValid(row))) return null;
    if (principal.kind === 'sender' && claims.scope !== DROPSITE_SCOPE) return null; // the address of a sender is not verified
    const { supportUserId, userId } = claims;
    if (supportUserId !== null && !(await this.supportAccess.isOpen(supportUserId, userId))) return null;
    return { principal, device: row.device };
  }

  /**
   * Ends a single token (RFC 7009 section 2.1) and the authorizations derived from it, in the ambient transaction if there is one. The row is
   * kept until the token would have expired.
   */
  async revoke(jti: string, expiresAt: Date): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.lock(tokenLock(jti));
      await insertIfAbsent(this.database.repository(RevokedToken), { jti, expiresAt });
      await this.database.repository(Authorization).delete({ parentToken: jti });
    });
  }
}
