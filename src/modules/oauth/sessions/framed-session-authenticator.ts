import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller, type CallerAuthenticator, CallerAuthenticators } from '../../../shared/auth/index.js';
import { Principals } from '../../accounts/index.js';
import { callerOfSession } from './session-authenticator.js';
import { Sessions } from './sessions.js';

/** The partitioned cookie of a sign-in inside a frame; only operations with @AcceptsSession({ framed: true }) take it. */
@Injectable()
export class FramedSessionAuthenticator implements CallerAuthenticator, OnModuleInit {
  readonly method = 'framed_session';

  constructor(
    private readonly sessions: Sessions,
    private readonly principals: Principals,
    private readonly authenticators: CallerAuthenticators,
  ) {}

  onModuleInit(): void {
    this.authenticators.register(this);
  }

  async authenticate(request: IncomingMessage, response: ServerResponse): Promise<Caller | null> {
    const session = await this.sessions.findFramed(request, response);
    const user = session ? await this.principals.find(session.accountId) : null;
    return user ? callerOfSession(user, this.method) : null;
  }
}
