import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { generalErrors } from '../errors/index.js';
import { ACCEPTS_SESSION, ANY_SCOPE, IGNORES_CREDENTIALS, PUBLIC } from './access-rules.js';
import type { Caller } from './caller.js';
import { CallerAuthenticators } from './caller-authenticator.js';
import { TrustedOrigins } from './trusted-origins.js';

declare module 'express-serve-static-core' {
  interface Request {
    caller: Caller | null;
  }
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const API_METHODS: ReadonlySet<Caller['method']> = new Set(['bearer', 'signature']);
const WITH_SESSION: ReadonlySet<Caller['method']> = new Set(['bearer', 'signature', 'session']);

/** Global: attaches `Caller | null` to every request and refuses null unless the route is @Public(). */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticators: CallerAuthenticators,
    private readonly origins: TrustedOrigins,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (this.rule(context, IGNORES_CREDENTIALS)) {
      request.caller = null;
      return true;
    }
    const methods = this.rule(context, ACCEPTS_SESSION) ? WITH_SESSION : API_METHODS;
    request.caller = await this.authenticators.authenticate(request, context.switchToHttp().getResponse<Response>(), methods);
    if (request.caller) await this.checkReach(request, request.caller, context);
    else if (!this.rule(context, PUBLIC)) throw generalErrors.unauthenticated('Sign in: send an access token as Authorization: Bearer.');
    return true;
  }

  private async checkReach(request: Request, caller: Caller, context: ExecutionContext): Promise<void> {
    const reading = READING.has(request.method);
    if (caller.method === 'session' && !reading) await this.origins.check(request);
    if (this.rule(context, ANY_SCOPE) || caller.scopes.has('api')) return;
    if (caller.scopes.has('api:read') && reading) return;
    const missing = caller.scopes.has('api:read')
      ? 'The scope api:read allows GET only; ask for api.'
      : 'Ask for the scope api or api:read.';
    throw generalErrors.insufficient_scope(`The access token does not allow this. ${missing}`);
  }

  private rule(context: ExecutionContext, key: string): boolean {
    return this.reflector.getAllAndOverride<boolean | undefined>(key, [context.getHandler(), context.getClass()]) === true;
  }
}
