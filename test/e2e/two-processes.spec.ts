import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { ClientsService } from '../../src/modules/oauth/index.js';
import { authorize, basic, bearer, call, exchange, introspect, obtainCode, refresh, request, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, postToken, REDIRECT_URI } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { eventually, promptly } from '../support/eventually.js';

const SECOND_MS = 1_000;

describe('two processes on one database', () => {
  let one: TestApp;
  let two: TestApp;
  /** The second process, as a proxy in front of both would reach it. */
  let second: TestApp;
  beforeAll(async () => {
    one = await startTestApp();
    two = await startTestApp({ database: one.database, publicUrl: one.url });
    second = { ...two, url: addressOf(two.app) };
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  const tokensOf = async () => {
    const parties = { user: await aUser(one), client: await aClient(one) };
    const tokens = await obtainTokens(one, { ...parties, query: { scope: 'api offline_access' } });
    return { ...parties, tokens };
  };

  const goesOn = async (client: { clientId: string }, app = second, query: Record<string, string> = {}) => {
    const { location } = await authorize(app, request(client, query), new TestBrowser(app.url));
    return location?.pathname.startsWith('/v4/interaction/') ?? false;
  };

  it('accept each other’s tokens and codes', async () => {
    const { user, client, tokens } = await tokensOf();
    expect(await works(second, tokens.access_token)).toBe(true);
    expect((await introspect(second, { token: tokens.access_token, client_id: client.clientId })).body).toMatchObject({
      active: true,
      iss: one.url,
    });
    const code = await obtainCode(one, { user, client });
    const exchanged = await exchange(second, client, code);
    expect(exchanged.status).toBe(200);
    expect(decodeJwt(exchanged.body.access_token).iss).toBe(one.url);
    expect(await works(one, exchanged.body.access_token)).toBe(true);
    expect((await refresh(second, client, tokens.refresh_token)).status).toBe(200);
  });

  it('let one of 20 concurrent exchanges at both succeed, and end its tokens', async () => {
    const { user, client } = await tokensOf();
    const code = await obtainCode(one, { user, client });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => exchange(at % 2 ? one : second, client, code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(await works(one, won[0]?.body.access_token ?? '')).toBe(false);
    expect(await works(second, won[0]?.body.access_token ?? '')).toBe(false);
  });

  it('rotate a refresh token that comes to both at once into the same one', async () => {
    const { client, tokens } = await tokensOf();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => refresh(at % 2 ? one : second, client, tokens.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('begin a sign-in on one and finish it on the other', async () => {
    const { user, client } = await tokensOf();
    const browser = new TestBrowser(one.url);
    const { response } = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client))}`);
    const html = await response.text();
    const action = /action="([^"]+\/login)"/.exec(html)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const form = new URLSearchParams({ csrf, email: user.email, password: 'correct horse battery staple' });
    const login = await fetch(second.url + action, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { cookie: browser.cookieHeader(action), origin: one.url },
    });
    expect({ status: login.status, location: login.headers.get('location') }).toEqual({
      status: 303,
      location: expect.stringContaining(`${one.url}/v4/authorize/`),
    });
    const { url } = await browser.follow(login.headers.get('location') ?? '');
    expect(url.searchParams.get('code')).toBeTruthy();
  });

  describe('are notified immediately of', () => {
    it('a deauthorization', async () => {
      const { client, tokens } = await tokensOf();
      const json = { client_id: client.clientId };
      await call(`${second.url}/v4/deauthorize`, { method: 'POST', headers: bearer(tokens.access_token), json });
      expect(await works(one, tokens.access_token)).toBe(false);
      expect(await works(second, tokens.access_token)).toBe(false);
      expect((await refresh(one, client, tokens.refresh_token)).status).toBe(400);
    });

    it('a revocation', async () => {
      const { client, tokens } = await tokensOf();
      expect(await works(second, tokens.access_token)).toBe(true);
      const form = new URLSearchParams({ token: tokens.access_token, client_id: client.clientId });
      await fetch(`${one.url}/v4/revoke`, { method: 'POST', body: form });
      expect(await works(second, tokens.access_token)).toBe(false);
    });

    it('a disabled user', async () => {
      const { user, client, tokens } = await tokensOf();
      expect(await works(second, tokens.access_token)).toBe(true);
      await one.app.get(AccountsService).disable(user.email, new Date());
      expect(await works(second, tokens.access_token)).toBe(false);
      expect((await introspect(second, { token: tokens.access_token, client_id: client.clientId })).body).toEqual({ active: false });
      expect((await refresh(second, client, tokens.refresh_token)).status).toBe(400);
      await one.app.get(AccountsService).enable(user.email);
      expect(await works(second, tokens.access_token)).toBe(true);
    });

    it('a sign-out', async () => {
      const { user, client } = await tokensOf();
      const browser = new TestBrowser(one.url);
      const page = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client))}`);
      await browser.submit(await page.response.text(), '/login', { email: user.email, password: 'correct horse battery staple' });
      const cookie = browser.cookieHeader('/v4/apps');
      expect((await call(`${second.url}/v4/apps`, { headers: { cookie } })).status).toBe(200);
      const logout = await browser.follow('/v4/logout');
      await browser.submit(await logout.response.text(), '/v4/logout/confirm', { logout: 'yes' });
      expect((await call(`${second.url}/v4/apps`, { headers: { cookie } })).status).toBe(401);
    });
  });

  describe('are notified within a second of', () => {
    it('a new client, and of another redirect URI', async () => {
      let clientId = '';
      const make = async () => ({ clientId } = await aClient(one));
      await promptly(SECOND_MS, { change: make, effect: async () => await goesOn({ clientId }) });
      const moved = 'http://client.example/moved';
      const move = async () => {
        await aClient(one, { clientId, redirectUris: [REDIRECT_URI] });
        await eventually(async () => await goesOn({ clientId }));
        await aClient(one, { clientId, redirectUris: [moved] });
        expect(await goesOn({ clientId }, one)).toBe(false);
      };
      const isMoved = async () => !(await goesOn({ clientId })) && (await goesOn({ clientId }, second, { redirect_uri: moved }));
      await promptly(SECOND_MS, { change: move, effect: isMoved });
    });

    it('another secret', async () => {
      const service = await aUser(one, { kind: 'service' });
      const worker = { clientSecret: 'first', serviceUser: service.email, grantTypes: ['client_credentials'], redirectUris: [] };
      const { clientId } = await aClient(one, worker);
      const ask = async (app: TestApp, secret: string) =>
        (await postToken(app.url, { grant_type: 'client_credentials' }, basic(clientId, secret))).status;
      await eventually(async () => (await ask(second, 'first')) === 200);
      let [old, secret] = ['', 'first'];
      const rotate = async () => {
        [old, secret] = [secret, await one.app.get(ClientsService).rotateSecret(clientId)];
        expect([await ask(one, old), await ask(one, secret)]).toEqual([401, 200]);
      };
      const isRotated = async () => (await ask(second, old)) === 401 && (await ask(second, secret)) === 200;
      await promptly(SECOND_MS, { change: rotate, effect: isRotated });
    });
  });

  it('answer discovery and redirects with the one public URL', async () => {
    const { body } = await call(`${second.url}/.well-known/openid-configuration`);
    expect(body.issuer).toBe(one.url);
    expect(body.token_endpoint).toBe(`${one.url}/v4/token`);
    const { location } = await authorize(second, request(await aClient(two), { response_type: 'token' }));
    expect(location?.href.startsWith(REDIRECT_URI)).toBe(true);
    expect(location?.searchParams.get('iss')).toBe(one.url);
  });
});
