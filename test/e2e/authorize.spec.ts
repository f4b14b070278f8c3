import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/modules/oauth/index.js';
import { authorize, call, exchange, obtainCode, request, signInTo } from '../support/accounts/oauth.js';
import { aClient, aUser, REDIRECT_URI } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('the authorization request', () => {
  let app: TestApp;
  let client: Client;
  beforeAll(async () => {
    app = await startTestApp();
    client = await aClient(app);
  });
  afterAll(async () => await app.close());

  /** A problem that must not be redirected, because the address is not registered. */
  async function expectErrorPage(query: Record<string, string> | [string, string][], code?: string) {
    const answer = await authorize(app, query);
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 400, location: null });
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.text).toContain(answer.headers.get('x-request-id'));
    if (code) expect(answer.text).toContain(code);
  }

  /** A problem that the client is told of. */
  async function expectRefusal(query: Record<string, string> | [string, string][], error: string) {
    const { status, location } = await authorize(app, query);
    expect({ status, location: location && `${location.origin}${location.pathname}` }).toEqual({ status: 302, location: REDIRECT_URI });
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({ error, state: 'xyz', iss: app.url });
    expect(location?.hash).toBe('');
  }

  it.each([
    'http://client.example/callback/',
    'http://client.example/Callback',
    'HTTP://client.example/callback',
    'http://CLIENT.example/callback',
    'http://client.example:80/callback',
    'http://client.example:8080/callback',
    'http://user@client.example/callback',
    'http://client.example@evil.test/callback',
    'http://client.example/callback#',
    'http://client.example/callback#fragment',
    'http://client.example/callback?',
    'http://client.example/callback?x=1',
    'http://client.example/%63allback',
    'http://client.example/callback%2f',
    'http://client.example/x/../callback',
    'http://client.example/callback ',
    ' http://client.example/callback',
    'http://client.example./callback',
    'https://client.example/callback',
    'http://client.example.evil.test/callback',
    '//client.example/callback',
    '/callback',
    'javascript:alert(1)',
    'http://client.example/callback,http://evil.test/',
  ])('is refused on a page when it names the redirect URI %j', async (redirectUri) => {
    await expectErrorPage(request(client, { redirect_uri: redirectUri }), 'invalid_redirect_uri');
  });

  it('is refused on a page, whatever else is wrong, when the redirect URI is foreign', async () => {
    const foreign = { redirect_uri: 'https://evil.test/' };
    await expectErrorPage(request(client, { ...foreign, response_type: 'token' }));
    await expectErrorPage(request(client, { ...foreign, scope: 'no-such-scope' }));
    await expectErrorPage(request(client, { ...foreign, resource: 'https://unknown.example' }));
    await expectErrorPage(request(client, { ...foreign, prompt: 'none' }));
    await expectErrorPage([...Object.entries(request(client)), ['redirect_uri', 'https://evil.test/']]);
  });

  it('is refused on a page when the client is unknown, missing or named twice', async () => {
    await expectErrorPage(request({ clientId: 'nobody' }), 'invalid_client');
    const { client_id: _, ...withoutClient } = request(client);
    await expectErrorPage(withoutClient);
    await expectErrorPage([...Object.entries(request(client)), ['client_id', 'nobody']]);
  });

  it('matches the port of a loopback address too', async () => {
    const desktop = await aClient(app, { type: 'desktop', redirectUris: ['http://127.0.0.1:4000/callback'] });
    await expectErrorPage(request(desktop, { redirect_uri: 'http://127.0.0.1:4001/callback' }));
  });

  it('may leave out the redirect URI when the client has exactly one', async () => {
    const user = await aUser(app);
    const target = await signInTo(app, { user, client, query: { redirect_uri: '' } });
    expect(`${target.origin}${target.pathname}`).toBe(REDIRECT_URI);
    expect(target.searchParams.get('code')).toBeTruthy();
    const several = await aClient(app, { redirectUris: [REDIRECT_URI, 'http://client.example/other'] });
    await expectErrorPage(request(several, { redirect_uri: '' }));
  });

  it('requires a redirect URI with REQUIRE_REDIRECT_URI', async () => {
    const strict = await startTestApp({ requireRedirectUri: true });
    try {
      const one = await aClient(strict);
      const { redirect_uri: _, ...query } = request(one);
      expect(await authorize(strict, query)).toMatchObject({ status: 400, location: null });
      const code = await obtainCode(strict, { user: await aUser(strict), client: one });
      const answer = await exchange(strict, one, code, { redirect_uri: '' });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    } finally {
      await strict.close();
    }
  });

  it.each<[string, string, string]>([
    ['an unknown client', 'client_id=nobody&response_type=code', 'invalid_client'],
    ['no client', 'response_type=code', 'invalid_request'],
    ['a client that is named twice', 'client_id=CLIENT&client_id=nobody', 'invalid_request'],
    ['two names of the client that differ', 'client_id=CLIENT&clientId=another', 'invalid_request'],
    ['a foreign redirect URI', 'client_id=CLIENT&response_type=code&redirect_uri=https://evil.test/', 'invalid_redirect_uri'],
    ['two redirect URIs', 'client_id=CLIENT&redirect_uri=http://client.example/callback&redirect_uri=x', 'invalid_request'],
    ['a sign-in that is not under way', '/a-uid', 'invalid_request'],
  ])('is refused in the form that the client reads, JSON or a page: %s', async (_, query, error) => {
    const path = query.startsWith('/') ? `/v4/authorize${query}` : `/v4/authorize?${query.replace('CLIENT', client.clientId)}`;
    for (const accept of ['application/json', 'application/json, text/plain, */*', 'application/json, text/html;q=0.5']) {
      const response = await fetch(`${app.url}${path}`, { headers: { accept }, redirect: 'manual' });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 400,
        body: { error, error_description: expect.stringMatching(/^\S.+/) },
      });
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('cache-control')).toContain('no-store');
    }
    for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', '*/*', 'text/html, application/json']) {
      const page = await fetch(`${app.url}${path}`, { headers: { accept }, redirect: 'manual' });
      expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({ status: 400, type: 'text/html; charset=utf-8' });
    }
  });

  it.each(['state=a%00b', `state=${'x'.repeat(16_384)}`])('that cannot be read is refused as JSON too: %.12s', async (query) => {
    const { status, body } = await call(`${app.url}/v4/authorize?${query}`, { headers: { accept: 'application/json' } });
    expect({ status, body }).toEqual({ status: 400, body: { error: 'invalid_request', error_description: expect.any(String) } });
  });

  it('takes the legacy name clientId', async () => {
    const { client_id, ...query } = request(client);
    const user = await aUser(app);
    const browser = new TestBrowser(app.url);
    await signInTo(app, { user, client, browser });
    const { location } = await authorize(app, { ...query, clientId: client_id ?? '' }, browser);
    expect(location?.searchParams.get('code')).toBeTruthy();
    const both = await authorize(app, { ...request(client), clientId: client.clientId }, browser);
    expect(both.location?.searchParams.get('code')).toBeTruthy();
  });

  it('is refused on a page when client_id and clientId differ', async () => {
    await expectErrorPage({ ...request(client), clientId: 'another' }, 'client_id_mismatch');
  });

  it.each(['token', 'id_token', 'code id_token', 'code token', 'none', 'nonsense', 'CODE'])(
    'reports in the query that the response type %j is not supported',
    async (responseType) => {
      await expectRefusal(request(client, { response_type: responseType, nonce: 'n' }), 'unsupported_response_type');
    },
  );

  it('reports other errors to the client', async () => {
    await expectRefusal(request(client, { response_type: '' }), 'invalid_request');
    await expectRefusal([...Object.entries(request(client)), ['scope', 'api'], ['scope', 'openid']], 'invalid_request');
    await expectRefusal(request(client, { scope: 'no-such-scope' }), 'invalid_scope');
    await expectRefusal(request(client, { scope: 'api "quoted"' }), 'invalid_scope');
    await expectRefusal(request(client, { prompt: 'no-such-prompt' }), 'invalid_request');
    await expectRefusal(request(client, { resource: 'https://unknown.example/api' }), 'invalid_target');
    await expectRefusal(request(client, { resource: `${app.url}/#fragment` }), 'invalid_target');
    await expectRefusal(request(client, { request: 'eyJhbGciOiJub25lIn0.e30.' }), 'request_not_supported');
    await expectRefusal(request(client, { request_uri: 'https://evil.test/request' }), 'request_uri_not_supported');
    await expectRefusal(request(client, { version: 'v'.repeat(33) }), 'invalid_request');
    await expectRefusal(request(client, { device: 'd'.repeat(513) }), 'invalid_request');
  });

  it('refuses a device that the database could not index, and a repeated one', async () => {
    const random = Array.from({ length: 6_000 }, (_, at) => String.fromCharCode(33 + ((at * at * 31 + at * 7) % 90))).join('');
    await expectRefusal(request(client, { device: random }), 'invalid_request');
    await expectRefusal([...Object.entries(request(client)), ['device', 'a'], ['device', 'b']], 'invalid_request');
  });

  it('answers with code, state and iss in a 302', async () => {
    const browser = new TestBrowser(app.url);
    const user = await aUser(app);
    const first = await authorize(app, request(client), browser);
    expect(first.status).toBe(302);
    await signInTo(app, { user, client, browser });
    const { status, location, headers } = await authorize(app, request(client, { state: 'a&b=c#d é"<' }), browser);
    expect(status).toBe(302);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({ code: expect.any(String), state: 'a&b=c#d é"<', iss: app.url });
    expect(location?.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
  });

  it('returns no state if none was sent', async () => {
    const target = await signInTo(app, { user: await aUser(app), client, query: { state: '' } });
    expect([...target.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });

  it('ignores a nonce, which some libraries always send, when no ID token is asked for', async () => {
    const target = await signInTo(app, { user: await aUser(app), client, query: { scope: 'api', nonce: 'n' } });
    expect(target.searchParams.get('code')).toBeTruthy();
  });

  it('keeps the query of a registered redirect URI', async () => {
    const withQuery = 'http://client.example/callback?tenant=1';
    const own = await aClient(app, { redirectUris: [withQuery] });
    const target = await signInTo(app, { user: await aUser(app), client: own, query: { redirect_uri: withQuery } });
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ tenant: '1', code: expect.any(String), state: 'xyz' });
  });

  it('keeps the query of a registered redirect URI byte by byte, in every response mode and in errors', async () => {
    const exact = 'http://client.example/callback?x=a%20b&y=%7e+&z=%2f:';
    const own = await aClient(app, { redirectUris: [exact] });
    const user = await aUser(app);
    const answered = async (query: Record<string, string>) =>
      (await signInTo(app, { user, client: own, query: { redirect_uri: exact, ...query } })).href;
    expect((await answered({})).startsWith(`${exact}&code=`)).toBe(true);
    expect((await answered({ response_mode: 'fragment' })).startsWith(`${exact}#code=`)).toBe(true);
    const refused = new URLSearchParams({ ...request(own, { response_type: 'token' }), redirect_uri: exact });
    const { headers } = await fetch(`${app.url}/v4/authorize?${refused}`, { redirect: 'manual' });
    expect(headers.get('location')?.startsWith(`${exact}&error=unsupported_response_type`)).toBe(true);
  });

  it('is answered to HEAD as to GET, and to no other method', async () => {
    const url = `${app.url}/v4/authorize?${new URLSearchParams(request(client, { response_type: 'token' }))}`;
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' });
    expect(head.headers.get('location')).toContain('error=unsupported_response_type');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await fetch(url, { method, redirect: 'manual' });
      expect({ status, type: headers.get('content-type'), allow: headers.get('allow') }).toEqual({
        status: 405,
        allow: 'GET, HEAD',
        type: 'application/problem+json; charset=utf-8',
      });
    }
  });
});
