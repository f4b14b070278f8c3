import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  bearerToken,
  type Caller,
  type CallerAuthenticator,
  CallerAuthenticators,
  INSTRUCTION_TOKEN_PREFIX,
} from '../../../../shared/auth/index.js';
import { generalErrors } from '../../../../shared/errors/index.js';
import { atEventDepth } from '../../../../shared/events/index.js';
import type { Step } from '../../../../shared/http/index.js';
import { PrincipalsService } from '../../../accounts/index.js';
import { InstructionTokens } from './instruction-tokens.js';

/** The way in for calls of api instructions: with the present rights of the user who last wrote the subscription (contract section 9). */
@Injectable()
export class InstructionAuthenticator implements CallerAuthenticator, OnModuleInit {
  readonly method = 'bearer';

  constructor(
    private readonly tokens: InstructionTokens,
    private readonly principals: PrincipalsService,
    private readonly authenticators: CallerAuthenticators,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  /**
   * Runs all of such a call at the depth that its token carries, so that events which it publishes and jobs which it adds know what led to
   * them. Whether the token is good decides the guard.
   */
  readonly step: Step = (request, _response, next) => {
    const token = instructionToken(request);
    const claims = token === null ? null : this.tokens.open(token);
    if (claims) atEventDepth(claims.depth, next, claims.rootEventId);
    else next();
  };

  /** @throws DomainError 401 `token_invalid` when the token has expired or was not made here, and when its user is gone or disabled. */
  async authenticate(request: IncomingMessage): Promise<Caller | null> {
    const token = instructionToken(request);
    if (token === null) return null;
    const claims = this.tokens.open(token);
    const user = claims && (await this.principals.find(claims.userId));
    if (!user) throw generalErrors.token_invalid('The token of this instruction has expired, or its user may not sign in any more.');
    const { id: userId, customerId, adminLevel, email } = user;
    return {
      userId,
      customerId,
      adminLevel,
      email,
      method: 'bearer',
      accessKey: null,
      clientId: null,
      authorizationId: null,
      token: null,
      supportUserId: null,
      subscriptionId: claims.subscriptionId,
      scopes: new Set(['api']),
    };
  }
}

/** At the platform API only, to which api instructions are bound: nothing that lasts longer than the subscription can be got by it. */
function instructionToken(request: IncomingMessage): string | null {
  const token = /^\/v5\//i.test(request.url ?? '') ? bearerToken(request) : null;
  return token?.startsWith(INSTRUCTION_TOKEN_PREFIX) ? token : null;
}
