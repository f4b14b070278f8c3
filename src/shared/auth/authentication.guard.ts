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

/** Global: attaches `Caller | null` to every request and refuses null unless the route is @Public(). Refusals count against the address. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticators: CallerAuthenticators,
    private readonly origins: TrustedOriginsService,
    private readonly limiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (this.rule(context, IGNORES_CREDENTIALS)) {
      request.caller = null;
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    try {
      request.caller = await this.authenticate(request, response, context);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') await this.limiter.countFailure(request, response);
      throw error;
    }
    if (request.caller) await this.checkReach(request, request.caller, context);
    return true;
  }

  private async authenticate(request: Request, response: Response, context: ExecutionContext): Promise<Caller | null> {
    const caller = await this.authenticators.authenticate(request, response, this.methods(context));
    if (!caller && !this.rule(context, PUBLIC)) {
      throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
    }
    return caller;
  }

  private async checkReach(request: Request, caller: Caller, context: ExecutionContext): Promise<void> {
    if (caller.supportUserId !== null && this.rule(context, REFUSES_SUPPORT_ACCESS)) {
      throw generalErrors.support_access_denied('Support access may look at this, but only a user of the customer may make or change it.');
    }
    const reading = READING.has(request.method);
    if (isSession(caller) && !reading) await this.origins.check(request, { registered: this.rule(context, SESSION_FROM_CLIENTS) });
    if (caller.scopes.has('api') || caller.scopes.has(this.acceptedScope(context) ?? 'api')) return;
    if (caller.scopes.has('api:read') && reading) return;
    const missing = caller.scopes.has('api:read')
      ? 'The scope api:read allows GET only; ask for api.'
      : 'Ask for the scope api or api:read.';
    throw generalErrors.insufficient_scope(`The access token does not allow this. ${missing}`);
  }

  private methods(context: ExecutionContext): ReadonlySet<Caller['method']> {
    const methods = new Set<Caller['method']>(['bearer', 'signature']);
    if (this.rule(context, ACCEPTS_SESSION)) methods.add('session');
    if (this.rule(context, ACCEPTS_FRAMED_SESSION)) methods.add('framed_session');
    return methods;
  }

  private acceptedScope(context: ExecutionContext): string | undefined {
    return this.reflector.getAllAndOverride<string | undefined>(ACCEPTED_SCOPE, [context.getHandler(), context.getClass()]);
  }

  private rule(context: ExecutionContext, key: string): boolean {
    return this.reflector.getAllAndOverride<boolean | undefined>(key, [context.getHandler(), context.getClass()]) === true;
  }
}
