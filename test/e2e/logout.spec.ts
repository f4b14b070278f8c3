import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoKey, decodeJwt, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import * as openid from 'openid-client';
import { ServerKeysService } from '../../src/modules/access/index.js';
import { aUser, authorizeUrl, obtainTokens, REDIRECT_URI } from '../support/accounts/scenario.js';
import { applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

const GOODBYE = 'http://client.example/goodbye?from=the%20media';
const partner = { clientId: 'partner', name: 'Partner', type: 'web', redirectUris: [REDIRECT_URI], requirePkce: false };
const client = { clientId: 'newsroom', name: 'Newsroom', type: 'web', redirectUris: [REDIRECT_URI], firstParty: true, requirePkce: false };

describe('signing out at the request of a client (OpenID Connect RP-Initiated Logout)', () => {
  const app = useTestApp();
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  let idToken: string;
  beforeAll(async () => {
    const desktop = {
      ...client,
      clientId: 'desktop',
      type: 'desktop',
      postLogoutRedirectUris: ['http://127.0.0.1:4000/bye', 'com.example.desk:/bye'],
    };
    await applyDocument(app, {
      clients: [
        { ...client, postLogoutRedirectUris: [GOODBYE] },
        { ...client, clientId: 'plain' },
        { ...partner, postLogoutRedirectUris: [GOODBYE] },
        { ...desktop, redirectUris: ['com.example.desk:/callback'] },
      ],
    });
  });
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url);
    idToken = String((await obtainTokens(app, { user, client, query: { scope: 'openid api' }, browser })).id_token);
  });

  const idTokenFor = async (of: { clientId: string }, person?: typeof user) => {
    const own = person ? new TestBrowser(app.url) : browser;
    return String((await obtainTokens(app, { user: person ?? user, client: of, query: { scope: 'openid api' }, browser: own })).id_token);
  };
  const isSignedIn = async () => (await browser.open('/account')).status === 200;

  /** Opens the sign-out page and presses its button. */
  async function signOut(query: Record<string, string>, button: Record<string, string> = { logout: 'yes' }) {
    const page = await browser.follow(`/v4/logout?${new URLSearchParams(query)}`);
    const html = await page.response.text();
    const policy = page.response.headers.get('content-security-policy');
    const { response, url } = await browser.submit(html, '/v4/logout/confirm', button);
    return { policy, url, status: response.status };
  }

  it('goes back to the client that openid-client builds the request for, with its state', async () => {
    const config = await openid.discovery(new URL(app.url), client.clientId, undefined, openid.None(), {
      execute: [openid.allowInsecureRequests],
    });
    const url = openid.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: GOODBYE, state: 'a&b' });
    expect(`${url.origin}${url.pathname}`).toBe(`${app.url}/v4/logout`);
    const end = await browser.follow(url.href); // without a question: the client is first-party, and the ID token is the person's
    expect(end.url.href).toBe(`${GOODBYE}&state=a%26b`);
    expect(await isSignedIn()).toBe(false);
    expect((await browser.follow(url.href)).url.origin).toBe(app.url); // no one is signed in any more
  });

  it.each([
    ['without an address to return to', async () => ({ id_token_hint: idToken })],
    ['without an ID token', async () => ({ client_id: client.clientId, post_logout_redirect_uri: GOODBYE })],
    [
      'with the ID token of another person',
      async () => ({ id_token_hint: await idTokenFor(client, await aUser(app)), post_logout_redirect_uri: GOODBYE }),
    ],
    ['of a client that is not first-party', async () => ({ id_token_hint: await idTokenFor(partner), post_logout_redirect_uri: GOODBYE })],
  ])('asks %s', async (_how, queryOf) => {
    const page = await browser.follow(`/v4/logout?${new URLSearchParams(await queryOf())}`);
    expect(await page.response.text()).toContain('name="logout"');
    expect(await isSignedIn()).toBe(true);
  });

  describe('with an ID token of another time or issuer', () => {
    const inTenMinutes = () => Math.floor(Date.now() / 1_000) + 600;

    /** The ID token with these claims, signed by us unless another key is given. */
    const sign = async (claims: JWTPayload, key?: CryptoKey) => {
      const [ours] = (await app.app.get(ServerKeysService).current()).signing;
      return await new SignJWT({ ...decodeJwt(idToken), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: ours?.kid ?? '' })
        .sign(key ?? (await importJWK(ours ?? {}, 'ES256')));
    };
    const open = async (hint: string) =>
      await browser.follow(`/v4/logout?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: GOODBYE })}`);

    // Section 2 requires that this service issued it, which the signature proves whatever its times are, and accepts an expired one.
    it.each<[string, () => JWTPayload]>([
      ['has expired', () => ({ iat: inTenMinutes() - 7_200, exp: inTenMinutes() - 3_600 })],
      ['was issued by a process whose clock was ahead', () => ({ iat: inTenMinutes(), exp: inTenMinutes() + 3_600 })],
    ])('goes back to the client if it %s', async (_, claims) => {
      expect((await open(await sign(claims()))).url.href).toBe(GOODBYE);
      expect(await isSignedIn()).toBe(false);
    });

    it.each<[string, () => Promise<string>]>([
      ['is signed with another key', async () => await sign({}, (await generateKeyPair('ES256')).privateKey)],
      ['names another issuer', async () => await sign({ iss: 'https://evil.test' })],
      ['is unsigned', async () => new UnsecuredJWT(decodeJwt(idToken)).encode()],
      ['is no token', async () => 'garbage'],
    ])('is refused if it %s', async (_, hint) => {
      const { response, url } = await open(await hint());
      expect([response.status, url.origin]).toEqual([400, app.url]);
      expect(await isSignedIn()).toBe(true);
    });
  });

  it('asks for a HEAD, which must not change anything', async () => {
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE });
    expect((await browser.open(`/v4/logout?${query}`, { method: 'HEAD' })).status).toBe(200);
    expect(await isSignedIn()).toBe(true);
  });

  it('works with the identifier of the client in place of an ID token, and without a state', async () => {
    const end = await signOut({ client_id: client.clientId, post_logout_redirect_uri: GOODBYE });
    expect(end.url.href).toBe(GOODBYE);
  });

  it('goes back to the client, too, when the person stays signed in or was not signed in', async () => {
    const query = { client_id: client.clientId, post_logout_redirect_uri: GOODBYE, state: 's' };
    expect((await signOut(query, {})).url.href).toBe(`${GOODBYE}&state=s`);
    expect(await isSignedIn()).toBe(true);
    browser = new TestBrowser(app.url);
    const end = await signOut(query);
    expect(end.policy).not.toContain('form-action');
    expect(end.url.href).toBe(`${GOODBYE}&state=s`);
  });

  it('takes the request as a form, which browsers send to it without the cookie', async () => {
    const body = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE, state: 's', unknown: 'x' });
    const response = await fetch(`${app.url}/v4/logout`, { method: 'POST', body, redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? '', app.url);
    expect([response.status, location.pathname, response.headers.getSetCookie()]).toEqual([303, '/v4/logout', []]);
    expect(Object.fromEntries(location.searchParams)).toEqual({ id_token_hint: idToken, post_logout_redirect_uri: GOODBYE, state: 's' });
    expect((await browser.follow(location.href)).url.href).toBe(`${GOODBYE}&state=s`);
    const unreadable = await fetch(`${app.url}/v4/logout`, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } });
    expect(unreadable.status).toBe(400);
  });

  it.each([
    ['newsroom', 'http://client.example/goodbye'],
    ['newsroom', 'https://evil.test/'],
    ['newsroom', REDIRECT_URI],
    ['plain', REDIRECT_URI],
    ['plain', GOODBYE],
    ['desktop', 'http://127.0.0.1:4001/bye'],
  ])('of the client %j never goes to %s, which is not declared', async (client_id, uri) => {
    const query = new URLSearchParams({ client_id, post_logout_redirect_uri: uri });
    const { response, url } = await browser.follow(`/v4/logout?${query}`);
    expect([response.status, url.origin]).toEqual([400, app.url]);
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(await isSignedIn()).toBe(true);
  });

  it('goes nowhere when no client is named', async () => {
    const end = await signOut({ post_logout_redirect_uri: GOODBYE });
    expect([end.url.origin, end.policy]).toEqual([app.url, expect.stringContaining("form-action 'self';")]);
  });

  it('goes to a native application', async () => {
    expect((await signOut({ client_id: 'desktop', post_logout_redirect_uri: 'http://127.0.0.1:4000/bye' })).url.href).toBe(
      'http://127.0.0.1:4000/bye',
    );
    const page = await browser.follow(
      `/v4/logout?client_id=desktop&post_logout_redirect_uri=${encodeURIComponent('com.example.desk:/bye')}`,
    );
    expect(page.response.headers.get('content-security-policy')).not.toContain('form-action');
  });

  it.each([
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:41990' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://client.example' },
    { origin: 'http://client.example' },
    {},
  ])('is not confirmed by a form of another page: %j', async (headers) => {
    const html = await (await browser.follow('/v4/logout')).response.text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const response = await browser.open('/v4/logout/confirm', { method: 'POST', body, headers: headers as Record<string, string> });
    expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain('origin_not_allowed');
    expect(await isSignedIn()).toBe(true);
  });

  it('keeps the consent and the tokens of the client', async () => {
    await signOut({ client_id: client.clientId, post_logout_redirect_uri: GOODBYE });
    const { response } = await browser.follow(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: REDIRECT_URI }));
    expect(await response.text()).toContain('type="password"');
  });

  it.each([
    ['https://newsroom.example/bye#fragment', 'must be an absolute URI without fragment'],
    ['com.example.desk:/bye', 'because the client is of type web'],
    [5, 'must be a string'],
  ])('refuses to be declared with %j', async (uri, problem) => {
    const declared = applyDocument(app, { clients: [{ ...client, postLogoutRedirectUris: [GOODBYE, uri] }] });
    await expect(declared).rejects.toThrow(`clients.0.postLogoutRedirectUris.1: `);
    await expect(declared).rejects.toThrow(problem);
  });

  it('keeps its declared value if a file omits it', async () => {
    await applyDocument(app, { clients: [{ ...client, name: 'Newsroom 2' }] });
    expect((await signOut({ client_id: client.clientId, post_logout_redirect_uri: GOODBYE })).url.href).toBe(GOODBYE);
    await applyDocument(app, { clients: [{ ...client, clientId: 'plain', postLogoutRedirectUris: [GOODBYE] }] });
    await applyDocument(app, { clients: [{ ...client, clientId: 'plain', postLogoutRedirectUris: [] }] });
    const query = new URLSearchParams({ client_id: 'plain', post_logout_redirect_uri: GOODBYE });
    expect((await browser.follow(`/v4/logout?${query}`)).response.status).toBe(400);
  });
});
