import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Client } from '../../src/modules/oauth/index.js';
import { bearer, call, exchange, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, pkce, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { rawRequest } from '../support/raw-request.js';

const OTHER = 'https://other.example/api';
const SECOND_URI = 'http://client.example/second';

describe('Request Code', () => {
  let app: TestApp;
  let portal: Client;
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startTestApp({ resources: [OTHER] });
    portal = await aClient(app);
    client = await aClient(app, { firstParty: false });
  });
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url);
    await signInTo(app, { user, client: portal, browser });
  });
  afterAll(async () => await app.close());

  /** The session cookie; its value changes with every sign-in and consent. */
  const session = () => ({ cookie: browser.cookieHeader('/v4/requestCode'), origin: app.url });

  const ask = async (json: Record<string, unknown>, headers: Record<string, string> = session()) =>
    await call(`${app.url}/v4/requestCode`, { method: 'POST', headers, json: { state: 'xyz', ...json } });

  const grant = async (query: Record<string, string> = {}) => await signInTo(app, { user, client, browser, query });

  it('answers a code that the normal exchange takes', async () => {
    await grant();
    const { status, body, headers } = await ask({ client_id: client.clientId });
    expect({ status, body }).toEqual({ status: 200, body: { code: expect.any(String), state: 'xyz', expires_in: 60 } });
    expect(headers.get('cache-control')).toContain('no-store');
    const tokens = await exchange(app, client, body.code, { redirect_uri: '' });
    expect(tokens).toMatchObject({ status: 200, body: { state: 'xyz', scope: 'api', user: { id: user.id } } });
    expect(await works(app, tokens.body.access_token)).toBe(true);
    expect((await exchange(app, client, body.code)).body.error).toBe('invalid_grant');
    expect(await works(app, tokens.body.access_token)).toBe(false);
  });

  it('takes the redirect URI at the exchange too, if it is registered', async () => {
    await grant();
    const first = (await ask({ client_id: client.clientId })).body.code;
    expect((await exchange(app, client, first, { redirect_uri: 'http://evil.test/' })).body.error).toBe('invalid_grant');
    expect((await exchange(app, client, first)).status).toBe(200);
  });

  it('treats null as absent', async () => {
    await grant();
    const nothing = { device: null, scope: null, resource: null, redirect_uri: null, code_challenge: null, iframe: null };
    expect((await ask({ client_id: client.clientId, ...nothing })).status).toBe(200);
  });

  it('takes the parameters of a GET from the query, and from the body', async () => {
    await grant();
    const query = new URLSearchParams({ client_id: client.clientId, state: 'a b&c' });
    const byQuery = await call(`${app.url}/v4/requestCode?${query}`, { headers: { cookie: session().cookie } });
    expect(byQuery).toMatchObject({ status: 200, body: { state: 'a b&c', code: expect.any(String) } });
    const headers = { cookie: session().cookie, 'content-type': 'application/json' };
    const body = JSON.stringify({ client_id: client.clientId, state: 'of the body' });
    const byBody = await rawRequest(app.url, { path: '/v4/requestCode?client_id=nobody&state=x', headers, body });
    expect(JSON.parse(byBody.text)).toMatchObject({ state: 'of the body', code: expect.any(String) });
  });

  it('works with a bearer token in place of the session', async () => {
    const { access_token } = await obtainTokens(app, { user, client: portal });
    await grant();
    expect((await ask({ client_id: client.clientId }, bearer(access_token))).status).toBe(200);
    const read = await obtainTokens(app, { user, client: portal, query: { scope: 'api:read' } });
    expect(await ask({ client_id: client.clientId }, bearer(read.access_token))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    const get = `${app.url}/v4/requestCode?client_id=${client.clientId}&state=x`;
    expect((await call(get, { headers: bearer(read.access_token) })).status).toBe(403);
  });

  it('never gives a token more than the token that asks', async () => {
    const { access_token } = await obtainTokens(app, { user, client: portal, query: { scope: 'api' } });
    await grant({ scope: 'api email offline_access' });
    const wider = await ask({ client_id: client.clientId, scope: 'api email' }, bearer(access_token));
    expect(wider).toMatchObject({ status: 400, body: { code: 'invalid_scope' } });
    expect((await ask({ client_id: client.clientId, scope: 'api:read api' }, bearer(access_token))).status).toBe(200);
  });

  it('requires a signed-in caller', async () => {
    expect(await ask({ client_id: client.clientId }, {})).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await ask({ client_id: client.clientId }, { cookie: 'session=x; session.sig=y', origin: app.url })).toMatchObject({
      status: 401,
    });
  });

  it('with the session cookie, needs an origin that is trusted', async () => {
    await grant();
    const cookie = session().cookie;
    const refused = { status: 403, body: { code: 'origin_not_allowed' } };
    expect(await ask({ client_id: client.clientId }, { cookie })).toMatchObject(refused);
    expect(await ask({ client_id: client.clientId }, { cookie, origin: 'https://evil.test' })).toMatchObject(refused);
    expect((await ask({ client_id: client.clientId }, { cookie, origin: 'http://client.example' })).status).toBe(200);
    expect((await ask({ client_id: client.clientId }, { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await ask({ client_id: client.clientId }, { cookie, 'sec-fetch-site': 'same-site' })).toMatchObject(refused);
    const get = `${app.url}/v4/requestCode?client_id=${client.clientId}&state=x`;
    const byPort = await call(get, { headers: { cookie, 'sec-fetch-site': 'same-site' } });
    expect(byPort).toMatchObject({ status: 403, body: { code: 'page_not_of_client' } });
  });

  it('returns no code without the consent of the user, but an authorizeUrl', async () => {
    const { verifier, challenge } = pkce();
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' };
    const wanted = { client_id: client.clientId, state: 's&1', device: 'tv', scope: 'api email', ...proof };
    const { status, body } = await ask(wanted);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'consent_required' });
    expect(body).toMatchObject({ title: 'Forbidden', detail: expect.any(String), message: body.detail, requestId: expect.any(String) });
    const url = new URL(body.authorizeUrl);
    expect(`${url.origin}${url.pathname}`).toBe(`${app.url}/v4/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...wanted, response_type: 'code', redirect_uri: REDIRECT_URI });
    const target = await signIn(browser, url.href, user);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ state: 's&1', code: expect.any(String) });
    const granted = await ask(wanted);
    expect(granted.status).toBe(200);
    const tokens = await exchange(app, client, granted.body.code, { code_verifier: verifier, redirect_uri: '' });
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'api email' } });
  });

  it.each<[string, Record<string, string>]>([
    ['names no redirect URI', {}],
    ['names one', { redirect_uri: SECOND_URI }],
  ])('leads by authorizeUrl to a code for the redirect URI that its own code would be bound to, when the request %s', async (_, named) => {
    const several = await aClient(app, { firstParty: false, redirectUris: [REDIRECT_URI, SECOND_URI] });
    const bound = named.redirect_uri ?? REDIRECT_URI;
    const wanted = { client_id: several.clientId, scope: 'api no-such-scope offline_access', ...named };
    const { body } = await ask(wanted, { ...session(), 'x-service-device': 'tv' });
    const { searchParams } = new URL(body.authorizeUrl);
    expect(Object.fromEntries(searchParams)).toEqual({ ...wanted, response_type: 'code', redirect_uri: bound, state: 'xyz', device: 'tv' });
    const target = await signIn(browser, body.authorizeUrl, user);
    expect(`${target.origin}${target.pathname}`).toBe(bound);
    const form = { redirect_uri: bound, state: 'xyz' };
    const tokens = await exchange(app, several, target.searchParams.get('code') ?? '', form);
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'api offline_access', refresh_token: expect.any(String) } });
    const again = await ask(wanted, { ...session(), 'x-service-device': 'tv' });
    expect((await exchange(app, several, again.body.code, form)).status).toBe(200);
  });

  it('leads to a sign-in with REQUIRE_REDIRECT_URI too', async () => {
    const strict = await startTestApp({ database: app.database, requireRedirectUri: true });
    try {
      const { access_token } = await obtainTokens(strict, { user, client: portal });
      const json = { client_id: client.clientId, state: 'xyz' };
      const { body } = await call(`${strict.url}/v4/requestCode`, { method: 'POST', headers: bearer(access_token), json });
      const target = await signIn(new TestBrowser(strict.url), body.authorizeUrl, user);
      expect(target.searchParams.get('code')).toBeTruthy();
    } finally {
      await strict.close();
    }
  });

  it('returns a code to read if the user granted everything', async () => {
    await grant({ scope: 'api offline_access' });
    const { body } = await ask({ client_id: client.clientId, scope: 'api:read offline_access' });
    const tokens = await exchange(app, client, body.code, { redirect_uri: '' });
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'offline_access api:read' } });
    const headers = bearer(tokens.body.access_token);
    expect((await call(`${app.url}/v4/apps`, { headers })).status).toBe(200);
    const change = await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers, json: { client_id: client.clientId } });
    expect(change).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('asks for a consent for each device and for more scopes, not for a first-party client', async () => {
    await grant({ device: 'phone' });
    const codeOf = async (json: Record<string, unknown>) => {
      const { status, body } = await ask({ client_id: client.clientId, ...json });
      return status === 200 ? 200 : body.code;
    };
    expect(await codeOf({ device: 'phone' })).toBe(200);
    expect(await codeOf({})).toBe('consent_required');
    expect(await codeOf({ device: 'tv' })).toBe('consent_required');
    expect(await codeOf({ device: 'phone', scope: 'email' })).toBe('consent_required');
    expect(await codeOf({ client_id: portal.clientId, device: 'new' })).toBe(200);
  });

  it('names the authorize URL with its resource', async () => {
    const { body } = await ask({ client_id: client.clientId, resource: OTHER });
    expect(new URL(body.authorizeUrl).searchParams.get('resource')).toBe(OTHER);
  });

  it('binds the code to the device, the state and PKCE', async () => {
    await grant({ device: 'phone' });
    const { verifier, challenge } = pkce();
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' };
    const { body } = await ask({ client_id: client.clientId, device: 'phone', ...proof });
    const attempt = async (form: Record<string, string>) =>
      (await exchange(app, client, body.code, { redirect_uri: '', ...form })).body.error;
    expect(await attempt({ code_verifier: verifier, device: 'tv' })).toBe('invalid_grant');
    expect(await attempt({ code_verifier: verifier, state: 'another' })).toBe('invalid_grant');
    expect(await attempt({})).toBe('invalid_grant');
    const tokens = await exchange(app, client, body.code, { redirect_uri: '', code_verifier: verifier, device: 'phone', state: 'xyz' });
    expect(tokens.status).toBe(200);
    expect(await works(app, tokens.body.access_token)).toBe(false);
    expect(await works(app, tokens.body.access_token, { 'x-service-device': 'phone' })).toBe(true);
    const byHeader = await ask({ client_id: client.clientId }, { ...session(), 'x-service-device': 'phone' });
    expect((await exchange(app, client, byHeader.body.code, { redirect_uri: '', device: 'tv' })).body.error).toBe('invalid_grant');
  });

  it('sets the audience by resource', async () => {
    const { body } = await ask({ client_id: portal.clientId, resource: OTHER });
    const tokens = await exchange(app, portal, body.code, { redirect_uri: '' });
    expect(decodeJwt(tokens.body.access_token).aud).toBe(OTHER);
    expect((await ask({ client_id: portal.clientId, resource: 'media:42' })).status).toBe(200);
    expect((await ask({ client_id: portal.clientId, resource: 'https://unknown.example' })).body.code).toBe('invalid_target');
  });

  it('gives no refresh token to a client that may not have one', async () => {
    const without = await aClient(app, { grantTypes: ['authorization_code'] });
    const { body } = await ask({ client_id: without.clientId, scope: 'api offline_access' });
    const tokens = await exchange(app, without, body.code, { redirect_uri: '' });
    expect(tokens.body.scope).toBe('api');
    expect(tokens.body).not.toHaveProperty('refresh_token');
    const worker = await aClient(app, { grantTypes: ['client_credentials'], clientSecret: 'x', redirectUris: [] });
    expect((await ask({ client_id: worker.clientId })).status).toBe(400);
  });

  it('counts as a login', async () => {
    const agent = { ...session(), 'user-agent': 'Newsroom/2' };
    await ask({ client_id: portal.clientId, device: 'tv' }, agent);
    const { body } = await call(`${app.url}/v4/apps`, { headers: { cookie: session().cookie } });
    const one = body.find(({ device }: { device: string | null }) => device === 'tv');
    expect(one).toMatchObject({ ip: '127.0.0.1', userAgent: 'Newsroom/2', lastLogin: expect.any(Number) });
  });

  it('keeps env, platform and version of an earlier authorization request', async () => {
    await grant({ env: 'staging', platform: 'web', version: 'v4' });
    await ask({ client_id: client.clientId });
    const { body } = await call(`${app.url}/v4/apps`, { headers: { cookie: session().cookie } });
    const one = body.find(({ client_id }: { client_id: string }) => client_id === client.clientId);
    expect(one).toMatchObject({ env: 'staging', platform: 'web', version: 'v4' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown client', { client_id: 'nobody' }, 'unknown_client'],
    ['no client', {}, 'validation_failed'],
    ['an empty client', { client_id: '' }, 'validation_failed'],
    ['a list of clients', { client_id: ['a'] }, 'validation_failed'],
    ['no state', { state: undefined }, 'validation_failed'],
    ['an empty state', { state: '' }, 'validation_failed'],
    ['a state that is an object', { state: {} }, 'validation_failed'],
    ['a device that is too long', { device: 'd'.repeat(513) }, 'validation_failed'],
    ['an iframe that is neither true nor false', { iframe: 'x' }, 'validation_failed'],
    ['a foreign redirect URI', { redirect_uri: 'https://evil.test/' }, 'redirect_uri_not_registered'],
    ['no known scope', { scope: 'no-such-scope' }, 'invalid_scope'],
    ['a challenge without a method', { code_challenge: pkce().challenge }, 'validation_failed'],
    ['the plain method', { code_challenge: pkce().challenge, code_challenge_method: 'plain' }, 'validation_failed'],
    ['a short challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'validation_failed'],
    ['half a surrogate pair', { state: '\ud800' }, 'malformed_request'],
    ['a NUL byte', { state: 'a\0b' }, 'malformed_request'],
  ])('refuses %s', async (_, json, code) => {
    const answer = await ask({ client_id: 'client_id' in json || code === 'validation_failed' ? undefined : portal.clientId, ...json });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code });
  });

  it('demands PKCE of a client that requires it', async () => {
    const strict = await aClient(app, { requirePkce: true });
    expect((await ask({ client_id: strict.clientId })).status).toBe(400);
    expect((await ask({ client_id: strict.clientId, code_challenge_method: 'S256' })).status).toBe(400);
  });
});
