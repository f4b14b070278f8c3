import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { DomainError, generalErrors } from '../errors/index.js';
import { RateLimiter } from '../http/rate-limiter.js';
import {
  ACCEPTED_SCOPE,
  ACCEPTS_FRAMED_SESSION,
  ACCEPTS_SESSION,
  IGNORES_CREDENTIALS,
  PUBLIC,
  REFUSES_SUPPORT_ACCESS,
  SESSION_FROM_CLIENTS,
} from './access-rules.js';
import { type Caller, isSession } from './caller.js';
import { CallerAuthenticators } from './caller-authenticator.port.js';
import { TrustedOriginsService } from './trusted-origins.service.js';

declare module 'express-serve-static-core' {
  interface Request {
    caller: Caller | null;
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What the decorators of a route, or of its controller, say about callers. */
interface RouteRules {
  readonly ignoresCredentials: boolean;
  readonly isPublic: boolean;
  readonly methods: ReadonlySet<Caller['method']>;
  readonly refusesSupportAccess: boolean;
  readonly sessionFromClients: boolean;
  readonly acceptedScope: string | null;
}

/** Global: attaches `Caller | null` to every request and refuses null unless the route is @Public(). Refusals count against the address. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  /** By handler; reading the decorators takes longer than all the checks. */
  private readonly rules = new WeakMap<object, RouteRules>();

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticators: CallerAuthenticators,
    private readonly origins: TrustedOriginsService,
    private readonly limiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const rules = this.rulesOf(context);
    if (rules.ignoresCredentials) {
      request.caller = null;
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    try {
      request.caller = await this.authenticate(request, response, rules);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limiter.countFailure(request, response);
      throw error;
    }
    if (request.caller) await this.checkReach(request, request.caller, rules);
    return true;
  }

  private async authenticate(request: Request, response: Response, { methods, isPublic }: RouteRules): Promise<Caller | null> {
    const caller = await this.authenticators.authenticate(request, response, methods);
    if (!caller && !isPublic) throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
    return caller;
  }

  private async checkReach(request: Request, caller: Caller, rules: RouteRules): Promise<void> {
    if (caller.supportUserId !== null && rules.refusesSupportAccess) {
      throw generalErrors.support_access_denied('Support access can read this, but only a user of the customer can create or change it.');
    }
    const reading = READING.has(request.method);
    if (isSession(caller) && !reading) await this.origins.check(request, { registered: rules.sessionFromClients });
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
