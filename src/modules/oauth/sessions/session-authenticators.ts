import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller, type CallerAuthenticator, CallerAuthenticators } from '../../../shared/auth/index.js';
import { type Principal, PrincipalsService } from '../../accounts/index.js';
import { type LoginSession, Sessions } from './sessions.js';

type FindSession = (request: IncomingMessage, response: ServerResponse) => Promise<LoginSession | null>;

/** The cookies of login sessions: an ordinary one, for @AcceptsSession(), and the partitioned one of a sign-in inside a frame, for `framed`. */
@Injectable()
export class SessionAuthenticators implements OnModuleInit {
  constructor(
    private readonly sessions: Sessions,
    private readonly principals: PrincipalsService,
    private readonly authenticators: CallerAuthenticators,
  ) {}

  onModuleInit(): void {
    const { sessions } = this;
    this.authenticators.register(this.by('session', async (request, response) => await sessions.find(request, response)));
    this.authenticators.register(this.by('framed_session', async (request, response) => await sessions.findFramed(request, response)));
  }

  private by(method: Caller['method'], findSession: FindSession): CallerAuthenticator {
    return {
      method,
      authenticate: async (request, response) => {
        const session = await findSession(request, response);
        const user = session ? await this.principals.find(session.accountId) : null;
        return user ? callerOfSession(user, method) : null;
      },
    };
  }
}

/** A person at a browser: no client stands between, so nothing narrows what the user may do. */
const callerOfSession = ({ id: userId, customerId, adminLevel, email }: Principal, method: Caller['method']): Caller => ({
  userId,
  customerId,
  adminLevel,
  email,
  method,
  accessKey: null,
  clientId: null,
  authorizationId: null,
  token: null,
  supportUserId: null,
  scopes: new Set(['api']),
});
