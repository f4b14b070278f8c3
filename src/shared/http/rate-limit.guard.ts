import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { countedAs } from '../auth/caller.js';
import type { RateLimitName } from '../config/index.js';
import { RateLimitsService } from './rate-limits.service.js';

const LIMIT = 'http:rate-limit';

/** Selects the limit of a route; default: `api`. `none` for probes. */
export const RateLimited = (name: RateLimitName | 'none') => SetMetadata(LIMIT, name);

/**
 * Global guard, after authentication: counts per client address, proven identity and route. Calls that the service sends to itself for
 * subscriptions do not count: they all come from one address, and the lanes of subscriptions already limit them.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  /** Cached by handler, as in AuthenticationGuard. */
  private readonly names = new WeakMap<object, RateLimitName | 'none'>();

  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimitsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.nameOf(context);
    if (name === 'none') return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (request.caller?.subscriptionId !== undefined) return true;
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const response = context.switchToHttp().getResponse<Response>();
    await this.limiter.consumeRoute(name, route, {
      request,
      response,
      identity: request.caller ? countedAs(request.caller) : null,
    });
    return true;
  }

  private nameOf(context: ExecutionContext): RateLimitName | 'none' {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const name = this.names.get(handler) ?? this.reflector.getAllAndOverride<RateLimitName | 'none'>(LIMIT, [handler, controller]) ?? 'api';
    this.names.set(handler, name);
    return name;
  }
}
