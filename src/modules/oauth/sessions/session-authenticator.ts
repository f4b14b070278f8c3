import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller, type CallerAuthenticator, CallerAuthenticators } from '../../../shared/auth/index.js';
import { type Principal, Principals } from '../../accounts/index.js';
import { Sessions } from './sessions.js';

/** The cookie of a login session; only operations with @AcceptsSession() take it. */
@Injectable()
export class SessionAuthenticator implements CallerAuthenticator, OnModuleInit {
  readonly method = 'session';

  constructor(
    private readonly sessions: Sessions,
    private readonly principals: Principals,
    private readonly authenticators: CallerAuthenticators,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  async authenticate(request: IncomingMessage, response: ServerResponse): Promise<Caller | null> {
    const session = await this.sessions.find(request, response);
    const user = session ? await this.principals.find(session.accountId) : null;
    return user ? callerOfSession(user, this.method) : null;
  }
}

/** A person at a browser: no client stands between, so nothing narrows what the user may do. */
export const callerOfSession = ({ id: userId, customerId, adminLevel, email }: Principal, method: Caller['method']): Caller => ({
  userId,
  customerId,
  adminLevel,
  email,
  method,
  clientId: null,
  authorizationId: null,
  token: null,
  supportUserId: null,
  scopes: new Set(['api']),
});
