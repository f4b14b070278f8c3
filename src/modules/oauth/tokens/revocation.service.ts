import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { methodNotAllowed, RateLimitsService, type Step, sendJson } from '../../../shared/http/index.js';
import { AuthorizationsService, TokenStatesService, TokenVerifierService } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';
import { ClientsService } from '../clients/clients.service.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';
import { asTokenRequestError, basicCredentials, clientIdOf, type FormBody, readForm, single } from './form-request.js';

/**
 * Answers POST /v4/revoke (RFC 7009) for access and refresh tokens. Revoking a refresh token ends all tokens of its authorization but keeps the
 * consent; an access token is revoked alone. An unknown token is not an error, because it is already invalid.
 */
@Injectable()
export class RevocationService {
  constructor(
    private readonly clients: ClientsService,
    private readonly verifier: TokenVerifierService,
    private readonly authorizations: AuthorizationsService,
    private readonly revokedTokens: TokenStatesService,
    private readonly records: OidcRecordsRepository,
    private readonly limiter: RateLimitsService,
  ) {}

  readonly step: Step = (request, response, next) => {
    if (!/^\/v4\/revoke\/?(\?|$)/.test(request.url ?? '')) return next();
    if (request.method !== 'POST') return next(methodNotAllowed(['POST']));
    response.setHeader('cache-control', 'no-store');
    this.answer(request, response).catch((error: unknown) => {
      const problem = asTokenRequestError(error, response);
      if (!problem) return next(error);
      sendJson(response, problem.status, { error: problem.error, error_description: problem.message });
    });
  };

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readForm(request);
    const asking = await this.clients.find(clientIdOf(request, body) ?? '');
    await this.limiter.consume('token', `${request.context.clientNetwork}|${asking?.clientId ?? ''}|revoke`, response); // unknown ids share a limit
    const client = await this.authenticate(request, body);
    if (!client) {
      if (request.headers.authorization) response.setHeader('www-authenticate', 'Basic realm="revocation"');
      return sendJson(response, 401, { error: 'invalid_client', error_description: 'client authentication failed' });
    }
    const token = single(body, 'token');
    if (!token) return sendJson(response, 400, { error: 'invalid_request', error_description: "missing required parameter 'token'" });
    if (!(await this.revoke(token, client))) {
      return sendJson(response, 400, { error: 'invalid_grant', error_description: 'the token was issued to another client' });
    }
    response.writeHead(200, { 'content-length': 0 }).end();
  }

  private async authenticate(request: IncomingMessage, body: FormBody): Promise<Client | null> {
    const basic = basicCredentials(request);
    const clientId = clientIdOf(request, body);
    const secret = basic?.secret ?? single(body, 'client_secret');
    if (!clientId) return null;
    if (secret !== undefined) return await this.clients.authenticate(clientId, secret);
    const client = await this.clients.find(clientId);
    return client && !client.secretHash ? client : null;
  }

  /** Revokes a token; false for a token of another client, which stays valid, and the client receives an error (RFC 7009 section 2.1). */
  private async revoke(token: string, { clientId }: Client): Promise<boolean> {
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
    await this.endTokensOf(refreshToken.grantId);
    return true;
  }

  private async endTokensOf(grantId: string): Promise<void> {
    await this.authorizations.revokeTokens(grantId);
    await this.records.deleteByGrantId(grantId);
  }
}
