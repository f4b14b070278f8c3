import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  bearerToken,
  type Caller,
  CallerAuthenticationService,
  type CallerAuthenticator,
  callerOf,
  INSTRUCTION_TOKEN_PREFIX,
} from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { generalErrors } from '../../shared/errors.js';
import { prefixedHeader } from '../../shared/http/index.js';
import { TokenStatesService } from './token-states.service.js';
import { TokenVerifierService } from './token-verifier.service.js';

/** Authenticates requests with `Authorization: Bearer <access token>` (RFC 6750 section 2.1). */
@Injectable()
export class BearerAuthenticationService implements CallerAuthenticator, OnModuleInit {
  readonly method = 'bearer';

  constructor(
    private readonly config: Config,
    private readonly verifier: TokenVerifierService,
    private readonly states: TokenStatesService,
    private readonly authenticators: CallerAuthenticationService,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  /** @throws DomainError 401 `token_invalid`, `token_expired` or `device_mismatch` */
  authenticate(request: IncomingMessage): Promise<Caller> | null {
    const token = bearerToken(request);
    if (token === null || token.startsWith(INSTRUCTION_TOKEN_PREFIX)) return null; // the subscriptions module checks these
    return this.authenticateToken(token, request);
  }

  /** Returns the caller of an access token that was not sent in the header. Throws like `authenticate`. */
  async authenticateToken(token: string, request: IncomingMessage): Promise<Caller> {
    const verification = await this.verifier.verify(token);
    if ('refused' in verification) {
      if (verification.refused === 'expired') throw generalErrors.token_expired('The access token has expired; get a new one.');
      throw refused();
    }
    const { claims } = verification;
    if (!claims.audience.includes(this.config.publicUrl)) throw refused();
    const state = await this.states.find(claims);
    if (!state) throw refused();
    if (state.device !== null && prefixedHeader(request, this.config.headerPrefixes, 'device') !== state.device) {
      throw generalErrors.device_mismatch('This token is bound to a device; send its identifier in the header x-service-device.');
    }
    const { clientId, authorizationId, supportUserId, authentication } = claims;
    const issued = { id: claims.jti, expiresAt: new Date(claims.expiresAt * 1_000), generation: claims.generation };
    return callerOf(state.principal, 'bearer', {
      clientId,
      authorizationId,
      supportUserId,
      authentication,
      token: issued,
      scopes: new Set(claims.scope.split(' ')),
    });
  }
}

const refused = () =>
  generalErrors.token_invalid('The access token is not valid here: it is unknown, tampered with, revoked or for another audience.');
