import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../shared/auth/index.js';
import { type Principal, PrincipalsService, SupportAccessService } from '../accounts/index.js';
import type { AccessTokenClaims } from './access-token-claims.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { AuthorizationsService } from './authorizations.service.js';

/** The state of a valid token. */
export interface TokenState {
  readonly principal: Principal;
  /** The device that requests with the token must name; null: none. */
  readonly device: string | null;
}

/** Decides whether access tokens are valid. Their state is read for every request, so that a revocation takes effect immediately everywhere. */
@Injectable()
export class TokenStatesService {
  constructor(
    private readonly repository: AuthorizationsRepository,
    private readonly principals: PrincipalsService,
    private readonly supportAccess: SupportAccessService,
    private readonly authorizations: AuthorizationsService,
  ) {}

  /** Returns the state of a verified token, or null if the token, its authorization, its user or its support access has ended. */
  async find(claims: AccessTokenClaims): Promise<TokenState | null> {
    const [authorization, principal] = await Promise.all([this.repository.findOfToken(claims), this.principals.find(claims.userId)]);
    if (!authorization || !principal || !(await this.authorizations.isValid(authorization))) return null;
    if (principal.kind === 'sender' && claims.scope !== DROPSITE_SCOPE) return null; // the address of a sender is not verified
    const { supportUserId, userId } = claims;
    if (supportUserId !== null && !(await this.supportAccess.isOpen(supportUserId, userId))) return null;
    return { principal, device: authorization.device };
  }

  /**
   * Ends a single token (RFC 7009 section 2.1) and the authorizations derived from it, in the ambient transaction if there is one. The row is
   * kept until the token would have expired.
   */
  async revoke(jti: string, expiresAt: Date): Promise<void> {
    await this.repository.revokeToken(jti, expiresAt);
  }
}
