import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { loadConfig } from '../config/index.js';
import { DomainError, generalErrors } from '../errors.js';
import type { RateLimitsService } from '../http/index.js';
import { AcceptsScope, AcceptsSession, AuthenticationGuard, IgnoresCredentials, Public } from './authentication.guard.js';
import type { Caller } from './caller.js';
import { CallerAuthenticationService } from './caller-authentication.service.js';
import { TrustedOriginsService } from './trusted-origins.service.js';

class Routes {
  plain(): void {}
  @Public() open(): void {}
  @AcceptsSession() session(): void {}
  @AcceptsScope('dropsite') dropsite(): void {}
  @IgnoresCredentials() deaf(): void {}
}

const caller = (method: Caller['method'], scope = 'api'): Caller => ({
  userId: 1,
  customerId: 1,
  adminLevel: 0,
  email: 'ada@example.org',
  method,
  accessKey: null,
  clientId: null,
  authorizationId: null,
  token: null,
  supportUserId: null,
  scopes: new Set(scope.split(' ')),
});

interface Call {
  readonly route?: keyof Routes;
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Record<string, string>;
  /** Who each way in finds; an error: its credentials are bad. */
  readonly found?: readonly (Caller | DomainError)[];
}

/** What a handler gets: the caller, or the code of the refusal. */
async function call({ route = 'plain', method = 'GET', url = '/v5/things', headers = {}, found = [] }: Call) {
  const authenticators = new CallerAuthenticationService();
  for (const kind of ['bearer', 'signature', 'session'] as const) {
    const mine = found.find((one) => (one instanceof DomainError ? kind === 'bearer' : one.method === kind)) ?? null;
    const authenticate = async () => {
      if (mine instanceof DomainError) throw mine;
      return mine;
    };
    authenticators.register({ method: kind, authenticate });
  }
  const request = Object.assign(aRequest({ method, url, headers }), { caller: null as Caller | null });
  const response = aResponse(request);
  const http = { getRequest: () => request, getResponse: () => response };
  const context = {
    switchToHttp: () => http,
    getHandler: () => Routes.prototype[route],
    getClass: () => Routes,
  } as unknown as ExecutionContext;
  const clients = { exists: async () => false, isRegisteredOrigin: async () => false };
  const origins = new TrustedOriginsService(loadConfig({ PUBLIC_URL: 'https://media.example.org' }), clients);
  try {
    const limiter = { countFailure: async () => {} } as unknown as RateLimitsService; // its counting is shown in test/e2e/rate-limits.spec.ts
    await new AuthenticationGuard(new Reflector(), authenticators, origins, limiter).canActivate(context);
    return request.caller;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
}

const [bearer, signature, session] = [caller('bearer'), caller('signature'), caller('session')];
const OWN = { origin: 'https://media.example.org' };

describe('an operation', () => {
  it('requires callers with a valid token or signature', async () => {
    expect(await call({ found: [bearer] })).toBe(bearer);
    expect(await call({ found: [signature] })).toBe(signature);
    expect(await call({})).toBe('unauthenticated');
  });

  it('is not for bad credentials, even if it is public', async () => {
    const bad = generalErrors.token_expired('The access token has expired.');
    expect(await call({ found: [bad] })).toBe('token_expired');
    expect(await call({ route: 'open', found: [bad] })).toBe('token_expired');
  });

  it('that ignores credentials is open to any caller, with valid, invalid or no credentials', async () => {
    const bad = generalErrors.token_expired('The access token has expired.');
    for (const found of [[bearer], [bad], []]) expect(await call({ route: 'deaf', method: 'POST', found })).toBeNull();
  });

  it('that is public is open to any caller, and identifies authenticated ones', async () => {
    expect(await call({ route: 'open' })).toBeNull();
    expect(await call({ route: 'open', found: [bearer] })).toBe(bearer);
  });

  it('takes the session of a browser only where that is declared, and a token before it', async () => {
    expect(await call({ found: [session] })).toBe('unauthenticated');
    expect(await call({ route: 'session', found: [session] })).toBe(session);
    expect(await call({ route: 'session', found: [session, bearer] })).toBe(bearer);
  });

  it('that changes something takes a session from pages of trusted origins only', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await call({ route: 'session', method, found: [session], headers: OWN })).toBe(session);
      expect(await call({ route: 'session', method, found: [session] })).toBe('origin_not_allowed');
      expect(await call({ route: 'session', method, found: [session], headers: { origin: 'https://evil.example' } })).toBe(
        'origin_not_allowed',
      );
      expect(await call({ route: 'session', method, found: [bearer] })).toBe(bearer);
    }
    for (const method of ['GET', 'HEAD']) expect(await call({ route: 'session', method, found: [session] })).toBe(session);
  });

  it('that decides something for a person is for forms of our own pages, whatever the credentials and the route', async () => {
    const form = async (headers: Record<string, string>, url = '/account/deauthorize?x=y') =>
      await call({ route: 'deaf', method: 'POST', url, headers });
    expect(await form({ 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(await form({ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' })).toBeNull(); // opened by another name of this machine
    expect(await form(OWN)).toBeNull();
    const others = ['same-site', 'cross-site', 'none', ''].map((site) => ({ 'sec-fetch-site': site, ...OWN }));
    const strangers = [{ origin: 'null' }, { origin: 'https://media.example.org:8443' }, { origin: 'https://evil.example' }];
    for (const headers of [{}, ...others, ...strangers]) expect(await form(headers as Record<string, string>)).toBe('origin_not_allowed');
    for (const url of [
      '/ACCOUNT/deauthorize',
      '/nothing',
      '//v5/things',
      'http://media.example.org/account/deauthorize',
      '/v4/saml/x/acs/y',
    ])
      expect(await form({}, url)).toBe('origin_not_allowed');
    for (const url of ['/v5/things', '/v4/apps/1', '/V4/Deauthorize/', '/v4/requestCode', '/v4/logout', '/v4/saml/acme/acs'])
      expect(await form({}, url)).toBeNull();
  });

  it.each<[string, string, string, boolean]>([
    ['api', 'GET', 'plain', true],
    ['api', 'DELETE', 'plain', true],
    ['openid api', 'POST', 'plain', true],
    ['api:read', 'GET', 'plain', true],
    ['api:read', 'HEAD', 'plain', true],
    ['api:read', 'POST', 'plain', false],
    ['api:read', 'DELETE', 'session', false],
    ['openid profile', 'GET', 'plain', false],
    ['openid profile', 'GET', 'open', false],
    ['', 'GET', 'plain', false],
    ['dropsite', 'POST', 'dropsite', true],
    ['dropsite', 'GET', 'plain', false],
    ['api', 'POST', 'dropsite', true],
    ['openid', 'POST', 'dropsite', false],
  ])('with a token of the scope "%s": %s of a route that is %s: %s', async (scope, method, route, allowed) => {
    const someone = caller('bearer', scope);
    expect(await call({ route: route as keyof Routes, method, found: [someone] })).toBe(allowed ? someone : 'insufficient_scope');
  });
});
