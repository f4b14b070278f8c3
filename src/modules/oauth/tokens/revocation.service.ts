import { Injectable } from '@nestjs/common';
import { AuthorizationsService, TokenStatesService, TokenVerifierService } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';
import { ClientsService } from '../clients/clients.service.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';

/**
 * Revokes access and refresh tokens (RFC 7009). Revoking a refresh token ends all tokens of its authorization but keeps the consent; an access
 * token is revoked alone.
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientsService,
    private readonly verifier: TokenVerifierService,
    private readonly authorizations: AuthorizationsService,
    private readonly revokedTokens: TokenStatesService,
    private readonly records: OidcRecordsRepository,
  ) {}

  /** The client with this id if the secret is its own, or if it is public and sends no secret; otherwise null. */
  async authenticate(clientId: string, secret: string | undefined): Promise<Client | null> {
    if (secret !== undefined) return await this.clients.authenticate(clientId, secret);
    const client = await this.clients.find(clientId);
    return client && !client.secretHash ? client : null;
  }

  /** Revokes a token; false for a token of another client, which stays valid, and the client receives an error (RFC 7009 section 2.1). */
  async revoke(token: string, { clientId }: Client): Promise<boolean> {
    const verification = await this.verifier.verify(token);
    if ('claims' in verification) {
      const { jti, expiresAt, clientId: holder } = verification.claims;
      if (holder !== clientId) return false;
      await this.revokedTokens.revoke(jti, new Date(expiresAt * 1_000));
      return true;
    }
    const refreshToken = await this.records.find('RefreshToken', token);
    if (!refreshToken?.grantId) return true;
    if (refreshToken.payload.clientId !== clientId) return false;
    await this.authorizations.revokeTokens(refreshToken.grantId);
    await this.records.deleteByGrantId(refreshToken.grantId);
    return true;
  }
}
