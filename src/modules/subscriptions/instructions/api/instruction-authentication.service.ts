import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  bearerToken,
  type Caller,
  CallerAuthenticationService,
  type CallerAuthenticator,
  callerOf,
  INSTRUCTION_TOKEN_PREFIX,
} from '../../../../shared/auth/index.js';
import { generalErrors } from '../../../../shared/errors.js';
import { atEventDepth } from '../../../../shared/events/index.js';
import type { Step } from '../../../../shared/http/index.js';
import { PrincipalsService } from '../../../accounts/index.js';
import { InstructionTokensService } from './instruction-tokens.service.js';

/** Authenticates calls of api instructions, with the current rights of the user who last edited the subscription (contract section 9). */
@Injectable()
export class InstructionAuthenticationService implements CallerAuthenticator, OnModuleInit {
  readonly method = 'bearer';

  constructor(
    private readonly tokens: InstructionTokensService,
    private readonly principals: PrincipalsService,
    private readonly authenticators: CallerAuthenticationService,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  /**
   * Handles such a call at the depth that its token states, so that events that it publishes and jobs that it adds belong to the chain. The guard
   * decides whether the token is valid.
   */
  readonly step: Step = (request, _response, next) => {
    const token = instructionToken(request);
    const claims = token === null ? null : this.tokens.open(token);
    if (claims) atEventDepth(claims.depth, next, claims.rootEventId);
    else next();
  };

  /** Returns the caller of such a call. Rejects with `token_invalid` if the token has expired or is forged, or if its user is deleted or disabled. */
  authenticate(request: IncomingMessage): Promise<Caller> | null {
    const token = instructionToken(request);
    return token === null ? null : this.authenticateToken(token);
  }

  private async authenticateToken(token: string): Promise<Caller> {
    const claims = this.tokens.open(token);
    const user = claims && (await this.principals.find(claims.userId));
    if (!user) throw generalErrors.token_invalid('The token of this instruction has expired, or its user can no longer sign in.');
    return callerOf(user, 'bearer', { subscriptionId: claims.subscriptionId });
  }
}

/** Accepted only at the platform API, to which api instructions are bound: they cannot obtain anything that outlasts the subscription. */
function instructionToken(request: IncomingMessage): string | null {
  const token = /^\/v5\//i.test(request.url ?? '') ? bearerToken(request) : null;
  return token?.startsWith(INSTRUCTION_TOKEN_PREFIX) ? token : null;
}
