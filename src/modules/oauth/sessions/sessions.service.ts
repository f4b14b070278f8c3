import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Authentication, type Caller, CallerAuthenticationService, callerOf } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { sha256 } from '../../../shared/secrets/index.js';
import { readAuthentication } from '../../access/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import { OidcProviderService } from '../provider/oidc-provider.service.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';
import { hasFramedCookie, readFramedCookies } from './framed-cookies.js';

/** The login session of a browser. */
export interface LoginSession {
  readonly accountId: number;
  /** Public name of the session (the hash of its secret identifier). */
  readonly id: string;
  readonly uid: string;
  /** When the person entered a password, or a second factor, or came from an identity provider. */
  readonly signedInAt: Date;
  /** How the person signed in. */
  readonly authentication: Authentication;
}

export interface SessionSummary {
  readonly id: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}

/**
 * Provides the login sessions of oidc-provider to our own pages and operations. Their cookies authenticate: the ordinary one for operations with
 * @AcceptsSession(), and the partitioned one of a sign-in inside a frame for operations that accept `framed`.
 */
@Injectable()
export class SessionsService implements OnModuleInit {
  constructor(
    private readonly oidc: OidcProviderService,
    private readonly records: OidcRecordsRepository,
    private readonly clock: Clock,
    private readonly principals: PrincipalsService,
    private readonly authenticators: CallerAuthenticationService,
  ) {}

  onModuleInit(): void {
    this.authenticators.register({
      method: 'session',
      authenticate: async (request, response) => await this.toCaller(await this.find(request, response), 'session'),
    });
    this.authenticators.register({
      method: 'framed_session',
      authenticate: async (request, response) => await this.toCaller(await this.findFramed(request, response), 'framed_session'),
    });
  }

  /** Finds the session of the request's cookie; null without a signed-in user. */
  async find(request: IncomingMessage, response: ServerResponse): Promise<LoginSession | null> {
    if (!request.headers.cookie) return null;
    const { provider } = this.oidc;
    const session = await provider.Session.get(provider.createContext(request, response));
    if (!session.accountId || !session.uid) return null;
    const { acr, amr, uid, loginTs = 0 } = session;
    const authentication = readAuthentication({ acr, amr, auth_time: loginTs });
    return { accountId: Number(session.accountId), id: sha256(session.jti), uid, authentication, signedInAt: new Date(loginTs * 1000) };
  }

  /** Finds the session of a sign-in inside a frame on the same site as the requesting page, or null. */
  async findFramed(request: IncomingMessage, response: ServerResponse): Promise<LoginSession | null> {
    const { headers } = request;
    if (!hasFramedCookie(headers.cookie, 'session')) return null;
    const framed = { value: { ...headers, cookie: readFramedCookies(headers.cookie) } };
    return await this.find(Object.create(request, { headers: framed }), response);
  }

  async list(accountId: number): Promise<SessionSummary[]> {
    const found = await this.records.findSessionsOfAccount(accountId, this.clock.now());
    return found.map(({ id, payload, expiresAt }) => ({
      id,
      ip: (payload.ip as string | null) ?? null,
      userAgent: (payload.userAgent as string | null) ?? null,
      signedInAt: new Date(Number(payload.loginTs ?? payload.iat) * 1000),
      expiresAt,
    }));
  }

  /** Signs one browser of the user out; false if the session does not exist. */
  async end(accountId: number, id: string): Promise<boolean> {
    return await this.records.deleteSessionOfAccount(accountId, id);
  }

  private async toCaller(session: LoginSession | null, method: Caller['method']): Promise<Caller | null> {
    const user = session && (await this.principals.find(session.accountId));
    return user && callerOf(user, method, { authentication: session.authentication });
  }
}
