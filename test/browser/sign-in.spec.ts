import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { exchange, introspect } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, PASSWORD } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { complaintsOf, launchChromium, takePicture } from '../support/browser/chromium.js';
import { type ClientSite, startClientSite } from '../support/browser/client-site.js';
import { startSite } from '../support/browser/site.js';

/** Sizes at which a decision needs no scrolling: a small notebook, and a phone. */
const SCREENS = [
  [390, 844],
  [1280, 720],
] as const;

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('Chromium %s', (name, javaScriptEnabled) => {
  let app: TestApp;
  let site: ClientSite;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [app, site, browser] = await Promise.all([startTestApp(), startClientSite(), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await app?.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ javaScriptEnabled });
    page = await context.newPage();
    complaints = complaintsOf(page);
  });
  afterEach(async () => await context.close());

  const signIn = async (email: string, password: string) => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it.each(['jörg@exämple.test', 'JO\u0308RG@exa\u0308mple.test', 'jörg@xn--exmple-cua.test'])('signs in %s', async (typed) => {
    await aUser(app, { email: 'jörg@exämple.test', customer: 'Umlauts' });
    await page.goto(`${app.url}/account`);
    await signIn(typed, PASSWORD);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('signs a person in at a client, shows it on the account page, revokes it there, and signs out', async () => {
    const user = await aUser(app);
    const client = await aClient(app, { name: 'Holiday Photos', firstParty: false, redirectUris: [site.redirectUri] });
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri }));
    await takePicture(page, `login ${name}`);

    await signIn(user.email, 'not the password');
    expect(await page.getByRole('alert').textContent()).toMatch(/password/i);
    expect(await page.getByLabel('E-mail').inputValue()).toBe(user.email);
    await takePicture(page, `wrong password ${name}`);

    await signIn(user.email, PASSWORD);
    expect(await page.getByRole('main').textContent()).toContain('Holiday Photos requests access to your account');
    for (const [width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      const buttons = await Promise.all(
        ['Allow', 'Deny'].map(async (text) => await page.getByRole('button', { name: text }).boundingBox()),
      );
      for (const box of buttons) expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height); // without scrolling
      expect(await page.evaluate('scrollY')).toBe(0);
    }
    await takePicture(page, `consent ${name}`);
    await page.waitForLoadState(); // its buttons are guarded from then on
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const arrived = new URL(page.url());
    expect([arrived.origin + arrived.pathname, arrived.searchParams.get('state')]).toEqual([site.redirectUri, 'xyz']);
    const { body } = await exchange(app, client, arrived.searchParams.get('code') ?? '', { redirect_uri: site.redirectUri });
    const isActive = async () => (await introspect(app, { token: body.access_token, client_id: client.clientId })).body.active;
    expect(await isActive()).toBe(true);

    await page.goto(`${app.url}/account`);
    await takePicture(page, `account ${name}`);
    await page.getByRole('button', { name: 'Revoke Holiday Photos' }).click();
    expect(await page.getByRole('status').textContent()).toContain('can no longer act for you');
    expect(await page.getByText('Holiday Photos').count()).toBe(0);
    expect(await isActive()).toBe(false);

    await page.getByRole('link', { name: 'Sign out' }).click();
    await takePicture(page, `logout ${name}`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.getByRole('main').textContent()).toContain('You are signed out');
    await page.goto(`${app.url}/account`);
    expect(await page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('asks before another person replaces the one who is signed in', async () => {
    const client = await aClient(app, { redirectUris: [site.redirectUri] });
    const [first, second] = [await aUser(app), await aUser(app)];
    const request = authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri, prompt: 'login' });
    await page.goto(request);
    await signIn(first.email, PASSWORD);
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    for (const choice of [`Cancel, and stay signed in as ${first.email}`, `Continue as ${second.email}`]) {
      await page.goto(request);
      await signIn(second.email, PASSWORD);
      await page.getByRole('heading', { name: 'Continue as another person?' }).waitFor();
      await takePicture(page, `replace session ${name}`);
      await page.getByRole('button', { name: choice }).click();
      await page.waitForURL((url) => url.href.startsWith(site.redirectUri));
    }
    await page.goto(`${app.url}/account`);
    expect(await page.getByRole('main').textContent()).toContain(second.email);
    expect(complaints).toEqual([]);
  });

  it('returns to the client that requested a sign-out', async () => {
    const goodbye = site.redirectUri.replace('/callback', '/goodbye');
    const client = await aClient(app, { redirectUris: [site.redirectUri], postLogoutRedirectUris: [goodbye] });
    const user = await aUser(app);
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri }));
    await signIn(user.email, PASSWORD);
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const request = new URLSearchParams({ client_id: client.clientId, post_logout_redirect_uri: goodbye, state: 'bye' });
    await page.goto(`${app.url}/v4/logout?${request}`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(page.url()).toBe(`${goodbye}?state=bye`);
    await page.goto(`${app.url}/v4/logout?${request}`); // no user is signed in any more
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${goodbye}?state=bye`);
    expect(complaints).toEqual([]);
  });

  describe.each(['127.0.0.1', '[::1]', 'my_app.localhost'] as const)('at a client on %s that forwards to another origin', (host) => {
    let forwarding: ClientSite;
    let target: string; // where the client forwards its callback
    beforeAll(async () => {
      target = new URL(site.redirectUri).origin;
      forwarding = await startClientSite({ host, forwardTo: target });
    });
    afterAll(async () => await forwarding.close());

    const declare = async (firstParty: boolean) => {
      const { redirectUri } = forwarding;
      const postLogoutRedirectUris = [redirectUri.replace('/callback', '/goodbye')];
      const client = await aClient(app, { firstParty, redirectUris: [redirectUri], postLogoutRedirectUris });
      return { client, redirectUri, goodbye: postLogoutRedirectUris[0] ?? '' };
    };
    const arrive = async (path: string) => {
      await page.waitForURL(`${target}${path}?*`);
      return new URL(page.url()).searchParams;
    };

    it('arrives there after login, consent and sign-out', async () => {
      const user = await aUser(app);
      const { client, redirectUri, goodbye } = await declare(false);
      await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: redirectUri }));
      await signIn(user.email, PASSWORD);
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await page.waitForLoadState(); // its buttons are guarded from then on
      await page.getByRole('button', { name: 'Allow' }).click();
      const code = (await arrive('/callback')).get('code') ?? '';
      expect((await exchange(app, client, code, { redirect_uri: redirectUri })).status).toBe(200);

      await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: redirectUri, prompt: 'login' }));
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect((await arrive('/callback')).get('error')).toBe('access_denied');

      const request = new URLSearchParams({ client_id: client.clientId, post_logout_redirect_uri: goodbye, state: 'bye' });
      await page.goto(`${app.url}/v4/logout?${request}`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect((await arrive('/goodbye')).get('state')).toBe('bye');
      expect(complaints).toEqual([]);
    });

    it('arrives there after the sign-in of another person, and with the response as a form', async () => {
      const [first, second] = [await aUser(app), await aUser(app)];
      const { client, redirectUri } = await declare(true);
      const open = async (query: Record<string, string> = {}) =>
        await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: redirectUri, ...query }));
      await open();
      await signIn(first.email, PASSWORD);
      await arrive('/callback');
      await open({ prompt: 'login' });
      await signIn(second.email, PASSWORD);
      await page.getByRole('button', { name: `Continue as ${second.email}` }).click();
      const code = (await arrive('/callback')).get('code') ?? '';
      expect((await exchange(app, client, code, { redirect_uri: redirectUri })).body).toMatchObject({ user: { id: second.id } });
      await open({ response_mode: 'form_post' });
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${target}/callback`); // the code was in the body
      expect(complaints).toEqual([]);
    });
  });

  it('leaves for a native application by its own scheme after consent', async () => {
    const redirectUri = 'com.example.photos:/callback';
    const user = await aUser(app);
    const client = await aClient(app, { type: 'mobile', firstParty: false, redirectUris: [redirectUri] });
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: redirectUri }));
    await signIn(user.email, PASSWORD);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.waitForLoadState(); // its buttons are guarded from then on
    const leaving = page.waitForRequest((request) => request.url().startsWith(redirectUri));
    await page.getByRole('button', { name: 'Allow' }).click();
    expect(new URL((await leaving).url()).searchParams.get('code')).toBeTruthy();
    expect(complaints).toEqual([]);
  });

  it('gives a page on another port of this host, registered for a client, nothing to read and no form to send', async () => {
    let html = '';
    const neighbour = await startSite('localhost', () => ({ html })); // the same site: its requests carry the cookies
    await aClient(app, { redirectUris: [`${neighbour.origin}/callback`] });
    const client = await aClient(app, { name: 'Bank', firstParty: false, redirectUris: [site.redirectUri] });
    const user = await aUser(app);
    const request = authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri });
    await page.goto(request);
    await signIn(user.email, PASSWORD);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    const form = page.locator('form').first();
    const [action, csrf] = [await form.getAttribute('action'), await form.locator('[name=csrf]').getAttribute('value')];
    html = `<form method="post" action="${app.url}${action}"><input name="csrf" value="${csrf}"><button>Win</button></form>`;
    await page.goto(neighbour.origin);
    const read = async (path: string) =>
      await page.evaluate(`fetch('${app.url}${path}', { credentials: 'include' }).then(({ status }) => status, (error) => error.name)`);
    if (javaScriptEnabled) {
      for (const path of [
        '/account',
        '/docs',
        '/dev/mail',
        '/v4/logout',
        `${action}`.replace('/consent', ''),
        request.slice(app.url.length),
      ])
        expect([path, await read(path)]).toEqual([path, 'TypeError']);
      expect(await read('/v5/format')).toBe(401); // the API is open
    }
    await page.getByRole('button', { name: 'Win' }).click();
    expect(await page.getByRole('main').textContent()).toContain('origin_not_allowed');
    await takePicture(page, `form of another page ${name}`);
    await page.goto(request);
    await page.getByRole('button', { name: 'Allow' }).waitFor(); // nothing has been decided
    await neighbour.close();
  });

  it.each([
    ['desktop', 'light', { width: 1280, height: 800 }],
    ['phone', 'dark', { width: 390, height: 844 }],
  ] as const)('speaks German on a %s in %s colours', async (device, colorScheme, viewport) => {
    await context.close();
    context = await browser.newContext({ javaScriptEnabled, locale: 'de-DE', colorScheme, viewport });
    page = await context.newPage();
    complaints = complaintsOf(page);
    const picture = async (what: string) => await takePicture(page, `German ${what} ${device} ${colorScheme} ${name}`);
    const user = await aUser(app);
    const client = await aClient(app, { name: 'Urlaubsfotos', firstParty: false, redirectUris: [site.redirectUri] });
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri }));
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    for (const password of ['not the password', PASSWORD]) {
      await page.getByLabel('E-Mail').fill(user.email);
      await page.getByLabel('Passwort', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
      if (password === PASSWORD) break;
      expect(await page.getByRole('alert').textContent()).toBe('Die E-Mail-Adresse oder das Passwort ist nicht richtig.');
      await picture('login');
    }
    expect(await page.getByRole('main').textContent()).toContain('Urlaubsfotos bittet um Zugriff auf Ihr Konto.');
    await picture('consent');
    await page.getByRole('button', { name: 'Erlauben' }).waitFor();
    await page.goto(`${app.url}/v4/logout`);
    await picture('logout');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await page.getByRole('heading', { name: 'Abgemeldet' }).waitFor();
    await picture('logged out');
    expect(complaints).toEqual([]);
  });

  it('reports a denial to the client', async () => {
    const user = await aUser(app);
    const client = await aClient(app, { firstParty: false, redirectUris: [site.redirectUri] });
    await page.goto(authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: site.redirectUri }));
    await signIn(user.email, PASSWORD);
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await page.waitForLoadState(); // its buttons are guarded from then on
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(complaints).toEqual([]);
  });
});
