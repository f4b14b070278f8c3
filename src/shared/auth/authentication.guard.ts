import { applyDecorators, type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DomainError, generalErrors } from '../errors.js';
import { RateLimitsService } from '../http/rate-limits.service.js';
import { type Caller, isSession } from './caller.js';
import { CallerAuthenticationService } from './caller-authentication.service.js';
import { TrustedOriginsService } from './trusted-origins.service.js';

export const PUBLIC = 'auth:public';
const ACCEPTS_SESSION = 'auth:session';
const ACCEPTS_FRAMED_SESSION = 'auth:framed-session';
const SESSION_FROM_CLIENTS = 'auth:session-from-clients';
const REFUSES_SUPPORT_ACCESS = 'auth:refuses-support-access';
const IGNORES_CREDENTIALS = 'auth:ignores-credentials';
const ACCEPTED_SCOPE = 'auth:accepted-scope';

/** Allows anonymous requests: the caller may be null, and the operation decides itself. A test lists the public routes. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

/** Skips authentication: credentials are not checked, and bad ones are not an error. */
export const IgnoresCredentials = () => SetMetadata(IGNORES_CREDENTIALS, true);

/**
 * Also accepts the session cookie of a login; a request that changes something must come from a page of this service. `framed`: also accepts
 * the cookie of a login inside a frame, which any page of the site around the frame can send; the operation checks the page. `fromClients`: pages
 * of registered clients may also send the cookie.
 */
export const AcceptsSession = ({ framed = false, fromClients = false } = {}) =>
  applyDecorators(
    SetMetadata(ACCEPTS_SESSION, true),
    SetMetadata(ACCEPTS_FRAMED_SESSION, framed),
    SetMetadata(SESSION_FROM_CLIENTS, fromClients),
    ApiBearerAuth('oauth2'),
    ApiCookieAuth('session'),
  );

/** Refuses support staff who act on behalf of a user, because the effect would outlast their visit or let others in. */
export const RefusesSupportAccess = () => SetMetadata(REFUSES_SUPPORT_ACCESS, true);

/** The scope of a dropsite sender's session; it gives access only to operations that accept it explicitly. */
export const DROPSITE_SCOPE = 'dropsite';

/** Also accepts tokens that have this scope and lack the scope `api`. */
export const AcceptsScope = (scope: string) => SetMetadata(ACCEPTED_SCOPE, scope);

/** Injects the caller that the guard attached; null only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | null => context.switchToHttp().getRequest<Request>().caller,
);

declare module 'express-serve-static-core' {
  interface Request {
    caller: Caller | null;
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The rules for callers that the decorators of a route or its controller declare. */
interface RouteRules {
  readonly ignoresCredentials: boolean;
  readonly isPublic: boolean;
  readonly methods: ReadonlySet<Caller['method']>;
  readonly refusesSupportAccess: boolean;
  readonly sessionFromClients: boolean;
  readonly acceptedScope: string | null;
}

/**
 * Global guard: refuses forms of pages of other origins, attaches `Caller | null` to every request and refuses null unless the route is @Public().
 * Refusals of credentials count against the address.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  /** Cached by handler, which works because no controller inherits handlers; reading the decorators takes longer than all the checks. */
  private readonly rules = new WeakMap<object, RouteRules>();

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticators: CallerAuthenticationService,
    private readonly origins: TrustedOriginsService,
    private readonly limiter: RateLimitsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    this.origins.checkForm(request);
    const rules = this.rulesOf(context);
    if (rules.ignoresCredentials) {
      request.caller = null;
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    try {
      request.caller = await this.authenticators.authenticate(request, response, rules.methods);
      if (!request.caller && !rules.isPublic)
        throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limiter.countFailure(request, response);
      throw error;
    }
    if (request.caller) await this.checkReach(request, request.caller, rules);
    return true;
  }

  private async checkReach(request: Request, caller: Caller, rules: RouteRules): Promise<void> {
    if (caller.supportUserId !== null && rules.refusesSupportAccess) {
      throw generalErrors.support_access_denied('Support access can read this, but only a user of the customer can create or change it.');
    }
    const reading = READING.has(request.method);
    const isGuarded = !reading || (!rules.sessionFromClients && this.origins.isForeign(request)); // Request Code checks the page of a read itself
    if (isSession(caller) && isGuarded) await this.origins.check(request, { registered: rules.sessionFromClients });
    if (caller.scopes.has('api') || caller.scopes.has(rules.acceptedScope ?? 'api')) return;
    if (caller.scopes.has('api:read') && reading) return;
    const missing = caller.scopes.has('api:read')
      ? 'The scope api:read allows GET only; ask for api.'
      : 'Ask for the scope api or api:read.';
    throw generalErrors.insufficient_scope(`The access token does not allow this. ${missing}`);
  }

  private rulesOf(context: ExecutionContext): RouteRules {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const known = this.rules.get(handler);
    if (known) return known;
    const read = <Value>(key: string) => this.reflector.getAllAndOverride<Value | undefined>(key, [handler, controller]);
    const has = (key: string) => read<boolean>(key) === true;
    const rules: RouteRules = {
      ignoresCredentials: has(IGNORES_CREDENTIALS),
      isPublic: has(PUBLIC),
      methods: new Set<Caller['method']>([
        ...(['bearer', 'signature'] as const),
        ...(has(ACCEPTS_SESSION) ? (['session'] as const) : []),
        ...(has(ACCEPTS_FRAMED_SESSION) ? (['framed_session'] as const) : []),
      ]),
      refusesSupportAccess: has(REFUSES_SUPPORT_ACCESS),
      sessionFromClients: has(SESSION_FROM_CLIENTS),
      acceptedScope: read<string>(ACCEPTED_SCOPE) ?? null,
    };
    this.rules.set(handler, rules);
    return rules;
  }
}
