import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, ClientDeclaration } from '../../src/modules/oauth/index.js';
import { anIdentityProvider, beginLogin, declareProviders, finishLogin } from '../support/accounts/identity-provider.js';
import { authorize, call, exchange, request, signInTo, tryPassword } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, PASSWORD, REDIRECT_URI } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

const ANCESTORS = 'http://client.example https://second.example';
const REDIRECT_URIS = [REDIRECT_URI, 'https://second.example/callback'];

describe('sign-in inside an iframe', () => {
  const app = useTestApp();
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  beforeAll(async () => {
    client = await aClient(app, { redirectUris: REDIRECT_URIS });
    user = await aUser(app);
  });

  const errorOf = async (query: [string, string][]) => {
    const { status, location } = await authorize(app, [...Object.entries(request(client)), ...query]);
    return { status, error: location?.searchParams.get('error'), state: location?.searchParams.get('state') };
  };
  /** The framed request's answer for a browser that is signed in inside the frame already. */
  const signedInBrowser = async () => {
    const browser = new TestBrowser(app.url);
    await signInTo(app, { user, client, browser, query: { iframe: '1' } });
    return browser;
  };
  const frameAncestors = (headers: Headers) => /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];

  describe('the parameter', () => {
    it.each(['0', '3', 'true', '1 ', 'x'])('refuses iframe=%s at the redirect URI', async (value) => {
      expect(await errorOf([['iframe', value]])).toEqual({ status: 302, error: 'invalid_request', state: 'xyz' });
    });

    it('refuses to be sent twice', async () => {
      const twice: [string, string][] = [
        ['iframe', '2'],
        ['iframe', '2'],
      ];
      expect(await errorOf(twice)).toMatchObject({ status: 302, error: 'invalid_request' });
    });

    it('is not needed: empty means without a frame', async () => {
      const { headers, location } = await authorize(app, request(client, { iframe: '' }));
      expect(location?.pathname).toMatch(/^\/v4\/interaction\//);
      for (const line of headers.getSetCookie()) expect(line).not.toMatch(/partitioned/i);
    });
  });

  describe.each(['1', '2'])('iframe=%s', (iframe) => {
    it('sets cookies that work in a frame of another site, from the first to the last', async () => {
      const browser = new TestBrowser(app.url);
      const strange = await aClient(app, { firstParty: false, framedConsent: true });
      const lines = await watchCookies(browser, async () => {
        const login = await browser.follow(authorizeUrl(app.url, request(strange, { iframe })));
        const consent = await browser.submit(await login.response.text(), '/login', { email: user.email, password: PASSWORD });
        await browser.submit(await consent.response.text(), '/consent');
      });
      const names = new Set(lines.map((line) => line.slice(0, line.indexOf('='))));
      for (const name of ['session', 'interaction', 'interaction_resume', 'known_browser']) expect(names).toContain(`framed_${name}`);
      for (const line of lines) expect(line).toMatch(/; SameSite=None; Secure; Partitioned$/);
      for (const line of lines) expect(line).toMatch(/; httponly/i);
    });

    it('permits only the origins of the redirect URIs to frame the pages', async () => {
      const browser = new TestBrowser(app.url);
      const login = await browser.follow(authorizeUrl(app.url, request(client, { iframe })));
      expect(frameAncestors(login.response.headers)).toBe(ANCESTORS);
      expect(login.response.headers.get('x-frame-options')).toBeNull();
      const html = await login.response.text();
      const refused = await tryPassword(browser, html, user.email, 'wrong');
      expect(refused.status).toBe(401);
      expect(frameAncestors(refused.headers)).toBe(ANCESTORS);
      expect(refused.headers.get('x-frame-options')).toBeNull();
      const forged = await browser.open(`${login.url.pathname}/login`, {
        method: 'POST',
        body: new URLSearchParams({ csrf: 'forged', email: user.email, password: PASSWORD }),
        headers: { origin: app.url },
      });
      expect(forged.status).toBe(403);
      expect(frameAncestors(forged.headers)).toBe(ANCESTORS);
    });

    const atConsent = async (overrides: Partial<ClientDeclaration> = {}) => {
      const strange = await aClient(app, { firstParty: false, ...overrides });
      const browser = new TestBrowser(app.url);
      const login = await browser.follow(authorizeUrl(app.url, request(strange, { iframe })));
      const consent = await browser.submit(await login.response.text(), '/login', { email: user.email, password: PASSWORD });
      return { strange, browser, consent, html: await consent.response.text() };
    };
    const ticketIn = (html: string) => /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '';

    it('requests consent in a window that cannot be framed, and continues in the frame', async () => {
      const { strange, browser, consent, html } = await atConsent();
      expect(frameAncestors(consent.response.headers)).toBe('http://client.example');
      expect(html).not.toContain('>Allow<');
      const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
      const path = consent.url.pathname;
      const inFrame = await browser.open(`${path}/consent`, {
        method: 'POST',
        body: new URLSearchParams({ csrf }),
        headers: { origin: app.url },
      });
      expect(inFrame.status).toBe(403);
      expect(await inFrame.text()).toContain('consent_needs_window');

      const other = new TestBrowser(app.url); // the window has none of the frame's cookies
      expect((await other.open(`${path}/window?ticket=${csrf}`)).status).toBe(403);
      expect((await other.open(`${path}/window`)).status).toBe(403);
      const asked = await other.open(`${path}/window?ticket=${ticketIn(html)}`);
      expect(frameAncestors(asked.headers)).toBe("'none'");
      expect(asked.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
      const question = await asked.text();
      expect(question).toContain(user.email);
      const allowIn = async (dest: string) =>
        await other.open(`${path}/window/allow`, {
          method: 'POST',
          headers: { 'sec-fetch-dest': dest, 'sec-fetch-site': 'same-origin' },
          body: new URLSearchParams({ csrf: ticketIn(html) }),
        });
      for (const dest of ['iframe', 'object', 'empty']) {
        const shown = await other.open(`${path}/window?ticket=${ticketIn(html)}`, { headers: { 'sec-fetch-dest': dest } });
        expect([dest, shown.status, (await allowIn(dest)).status]).toEqual([dest, 403, 403]);
      }
      expect((await browser.follow(path)).url.pathname).toBe(path); // nothing has been decided
      const answered = await other.submit(question, '/window/allow');
      expect(await answered.response.text()).toContain('You can close this window');

      const end = await browser.follow(path);
      const code = iframe === '1' ? end.url.searchParams.get('code') : messageOf(await end.response.text()).response.code;
      expect((await exchange(app, strange, String(code))).status).toBe(200);
      expect((await other.open(`${path}/window?ticket=${ticketIn(html)}`)).status).toBe(401);
    });

    it('ends with a refusal that was given in the window', async () => {
      const { browser, consent, html } = await atConsent();
      const path = consent.url.pathname;
      const other = new TestBrowser(app.url);
      const question = await (await other.open(`${path}/window?ticket=${ticketIn(html)}`)).text();
      await other.submit(question, '/window/deny');
      const end = await browser.follow(path);
      const error = iframe === '1' ? end.url.searchParams.get('error') : messageOf(await end.response.text()).response.error;
      expect(error).toBe('access_denied');
    });

    it('asks in the frame only for a client that the operator declares with framedConsent', async () => {
      const { consent, html } = await atConsent({ framedConsent: true });
      expect(html).toContain('>Allow<');
      expect(frameAncestors(consent.response.headers)).toBe('http://client.example');
    });

    it('asks in a window, in spite of framedConsent, if a policy cannot name the pages that may frame it', async () => {
      const redirectUris = [REDIRECT_URI, 'http://[::1]:5000/callback', 'http://my_app.client.example/callback'];
      const asked = await atConsent({ framedConsent: true, redirectUris });
      expect(asked.html).not.toContain('>Allow<');
      expect(frameAncestors(asked.consent.response.headers)).toBe('http://client.example http://*:5000 http://*.client.example');
    });

    it('permits framing of the step in which another person signs in', async () => {
      const browser = await signedInBrowser();
      const other = await aUser(app);
      const login = await browser.follow(authorizeUrl(app.url, request(client, { iframe, prompt: 'login' })));
      const { response } = await browser.submit(await login.response.text(), '/login', { email: other.email, password: PASSWORD });
      const html = await response.text();
      expect(html).toContain('/v4/logout/confirm');
      expect(frameAncestors(response.headers)).toBe(ANCESTORS);
      const inFrame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
      const xsrf = /name="xsrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
      const body = new URLSearchParams({ xsrf, logout: 'yes' }).toString();
      const end = await browser.follow('/v4/logout/confirm', { method: 'POST', headers: inFrame, body });
      const code = iframe === '1' ? end.url.searchParams.get('code') : messageOf(await end.response.text()).response.code;
      const tokens = await exchange(app, client, String(code));
      expect(tokens.body).toMatchObject({ user: { id: other.id } });
    });

    it('never permits framing of the page about an unregistered client or redirect URI', async () => {
      const wrongs: Record<string, string>[] = [{ client_id: 'nobody' }, { redirect_uri: 'https://evil.test/' }];
      for (const wrong of wrongs) {
        const { status, headers } = await authorize(app, { ...request(client, { iframe }), ...wrong });
        expect(status).toBe(400);
        expect(frameAncestors(headers)).not.toContain('evil.test');
      }
    });

    it('requests a separate window if the cookies are not sent back', async () => {
      const { location } = await authorize(app, request(client, { iframe, scope: 'api offline_access', r: 'media:42' }));
      const stranger = await new TestBrowser(app.url).open(String(location));
      const html = await stranger.text();
      expect(stranger.status).toBe(200);
      expect(html).toContain('Sign in in a new window');
      expect(html).toContain('data-origin="http://client.example"');
      expect(frameAncestors(stranger.headers)).toBe(ANCESTORS);
      const again = new URL(attributeOf(html, 'window'), app.url).searchParams;
      expect(Object.fromEntries(again)).toMatchObject({
        ...request(client),
        scope: 'api offline_access',
        resource: 'media:42',
        for_frame: '1',
      });
    });
  });

  it('ends at the redirect URI with iframe=1', async () => {
    const url = await signInTo(app, { user, client, query: { iframe: '1' } });
    expect(`${url.origin}${url.pathname}`).toBe(REDIRECT_URI);
    const tokens = await exchange(app, client, url.searchParams.get('code') ?? '');
    expect(tokens.status).toBe(200);
  });

  it('works through an identity provider, whose response is bound to the frame too', async () => {
    const customer = 'With identity provider';
    const { email } = await aUser(app, { customer });
    const idp = await anIdentityProvider(customer);
    await declareProviders(app, idp.entry);
    const browser = new TestBrowser(app.url);
    const lines = await watchCookies(browser, async () => {
      const visit = await beginLogin(app, browser, { idp, client, query: { iframe: '1' } });
      const { url } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, { nameId: 'ada', attributes: { mail: email } }));
      expect(url?.searchParams.has('code')).toBe(true);
    });
    expect(lines.some((line) => line.startsWith('framed_saml_login='))).toBe(true);
    for (const line of lines) expect(line).toMatch(/^framed_.*; SameSite=None; Secure; Partitioned$/);
  });

  describe('iframe=2', () => {
    it('hands code, state and issuer to the origin of the redirect URI', async () => {
      const browser = await signedInBrowser();
      const { status, text, headers } = await authorize(app, request(client, { iframe: '2' }), browser);
      expect(status).toBe(200);
      expect(frameAncestors(headers)).toBe(ANCESTORS);
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(headers.get('cache-control')).toContain('no-store');
      const { response, origin, receiver } = messageOf(text);
      expect({ origin, receiver }).toEqual({ origin: 'http://client.example', receiver: 'parent' });
      expect(response).toEqual({ type: 'authorization_response', code: expect.any(String), state: 'xyz', iss: app.url });
      expect((await exchange(app, client, response.code ?? '')).status).toBe(200);
    });

    it('hands an error on the same way', async () => {
      const { text } = await authorize(app, request(client, { iframe: '2', prompt: 'none' }));
      expect(messageOf(text).response).toEqual({
        type: 'authorization_response',
        error: 'login_required',
        error_description: expect.any(String),
        state: 'xyz',
        iss: app.url,
      });
    });

    it('hands on that the person declined', async () => {
      const browser = new TestBrowser(app.url);
      const login = await browser.follow(authorizeUrl(app.url, request(client, { iframe: '2' })));
      const { response } = await browser.submit(await login.response.text(), '/cancel');
      expect(messageOf(await response.text()).response).toMatchObject({ error: 'access_denied', state: 'xyz' });
    });

    it('hands the response to a page of a custom scheme', async () => {
      const redirect_uri = 'capacitor://localhost/callback';
      const mobile = await aClient(app, { type: 'mobile', redirectUris: [redirect_uri] });
      const { text, headers } = await authorize(app, request(mobile, { iframe: '2', prompt: 'none', redirect_uri }));
      expect([frameAncestors(headers), messageOf(text).origin]).toEqual(['capacitor://localhost', 'capacitor://localhost']);
    });

    it('redirects to a scheme of an application, which has no page around a frame', async () => {
      const redirect_uri = 'com.example.app:/callback';
      const desktop = await aClient(app, { type: 'desktop', redirectUris: [redirect_uri] });
      const { status, location } = await authorize(app, request(desktop, { iframe: '2', prompt: 'none', redirect_uri }));
      expect({ status, scheme: location?.protocol }).toEqual({ status: 302, scheme: 'com.example.app:' });
    });
  });

  describe('the window for a frame without cookies', () => {
    it('is not framed, keeps its opener, and hands the answer to it', async () => {
      const browser = new TestBrowser(app.url);
      const login = await browser.follow(authorizeUrl(app.url, request(client, { iframe: '2', for_frame: '1' })));
      expect(frameAncestors(login.response.headers)).toBe("'none'");
      expect(login.response.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
      expect(browser.cookieNames().join()).not.toContain('framed_');
      const end = await browser.submit(await login.response.text(), '/login', { email: user.email, password: PASSWORD });
      expect(end.response.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
      const { response, redirect, receiver } = messageOf(await end.response.text());
      expect(receiver).toBe('opener');
      expect(response).toMatchObject({ code: expect.any(String), state: 'xyz' });
      expect(new URL(redirect).searchParams.get('code')).toBe(response.code);
      expect(redirect).toContain(REDIRECT_URI);
    });
  });

  describe('the session of the frame', () => {
    it('is separate: that of the tabs is neither used nor ended', async () => {
      const browser = new TestBrowser(app.url);
      await signInTo(app, { user, client, browser });
      const silent = { ...request(client), prompt: 'none' };
      expect((await authorize(app, { ...silent, iframe: '1' }, browser)).location?.searchParams.get('error')).toBe('login_required');
      await signInTo(app, { user, client, browser, query: { iframe: '1' } });
      expect((await authorize(app, silent, browser)).location?.searchParams.has('code')).toBe(true);
      expect((await authorize(app, { ...silent, iframe: '1' }, browser)).location?.searchParams.has('code')).toBe(true);
    });

    const requestCode = async (browser: TestBrowser, clientId: string, origin?: string) =>
      await call(`${app.url}/v4/requestCode?client_id=${clientId}&state=xyz`, {
        headers: { cookie: browser.cookieHeader('/v4/requestCode'), ...(origin ? { origin } : {}) },
      });

    it('is accepted by Request Code', async () => {
      const browser = await signedInBrowser();
      const { status, body } = await requestCode(browser, client.clientId, 'http://client.example');
      expect({ status, body }).toMatchObject({ status: 200, body: { code: expect.any(String), state: 'xyz' } });
      expect((await requestCode(browser, client.clientId)).status).toBe(200);
      expect((await requestCode(browser, client.clientId, app.url)).status).toBe(200);
    });

    it('gives a page no code for the client of another page', async () => {
      const browser = await signedInBrowser();
      const other = await aClient(app, { redirectUris: ['https://other.example/callback'] });
      const refused = { status: 403, body: { code: 'page_not_of_client' } };
      expect(await requestCode(browser, other.clientId, 'http://client.example')).toMatchObject(refused);
      expect((await requestCode(browser, other.clientId, 'https://other.example')).status).toBe(200);
    });

    it('gives the embedding page no other access', async () => {
      const browser = await signedInBrowser();
      const cookie = browser.cookieHeader('/');
      expect((await call(`${app.url}/v4/apps`, { headers: { cookie, origin: 'http://client.example' } })).status).toBe(401);
      expect((await browser.open('/account')).headers.get('location')).toContain('/v4/authorize');
    });
  });

  it('has no effect without the parameter', async () => {
    const browser = new TestBrowser(app.url);
    const lines = await watchCookies(browser, async () => {
      const login = await browser.follow(authorizeUrl(app.url, request(client)));
      expect(frameAncestors(login.response.headers)).toBe("'none'");
      expect(login.response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(login.response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      await browser.submit(await login.response.text(), '/login', { email: user.email, password: PASSWORD });
    });
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(line).not.toMatch(/^framed_|samesite=none|secure|partitioned/i);
    for (const line of lines) expect(line).toMatch(/samesite=lax/i);
  });

  it('keeps to itself how answers become messages', async () => {
    const browser = await signedInBrowser();
    const { location } = await authorize(app, request(client, { iframe: '1', response_mode: 'frame_message' }), browser);
    expect(location?.searchParams.has('code')).toBe(true);
  });
});

/** Every Set-Cookie line that a browser gets while `use` runs. */
async function watchCookies(browser: TestBrowser, use: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const open = browser.open.bind(browser);
  browser.open = async (...request) => {
    const response = await open(...request);
    lines.push(...response.headers.getSetCookie());
    return response;
  };
  await use();
  return lines;
}

const attributeOf = (html: string, name: string): string =>
  (new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** What the last page of iframe=2 hands on. */
function messageOf(html: string): { response: Record<string, string>; redirect: string; receiver: string; origin: string } {
  const [redirect, receiver, origin] = ['redirect', 'receiver', 'origin'].map((name) => attributeOf(html, name));
  return {
    response: JSON.parse(attributeOf(html, 'response') || '{}'),
    redirect: redirect ?? '',
    receiver: receiver ?? '',
    origin: origin ?? '',
  };
}
