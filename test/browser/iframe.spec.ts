import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import type { Client } from '../../src/modules/oauth/index.js';
import { exchange, request } from '../support/accounts/oauth.js';
import { aClient, aUser, PASSWORD } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { launchChromiumBlockingCookies, launchWholeChromium } from '../support/browser/chromium.js';
import { type Site, type SiteHost, startSite } from '../support/browser/site.js';
import { eventually } from '../support/eventually.js';

/** A page of an application: shows `frame` and writes down every message that it gets. */
const application = (url: URL) => ({
  html: `<p>${url.pathname}</p><script>
    window.messages = [];
    addEventListener('message', ({ origin, data }) => messages.push({ origin, data }));
    </script>${url.searchParams.has('frame') ? `<iframe src="${url.searchParams.get('frame')?.replaceAll('&', '&amp;')}"></iframe>` : ''}`,
});

describe('sign-in in a frame of another site', () => {
  let app: TestApp;
  let home: Site; // of the client
  let second: Site; // another origin of the same client
  let stranger: Site;
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    app = await startTestApp();
    [home, second, stranger] = await Promise.all(
      [0, 1, 2].map(() => startSite('127.0.0.1', application)) as [Promise<Site>, Promise<Site>, Promise<Site>],
    );
    client = await aClient(app, { redirectUris: [`${home.origin}/callback`, `${second.origin}/callback`] });
    user = await aUser(app);
    browser = await launchWholeChromium(['--test-third-party-cookie-phaseout']);
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(async () => await context.close());
  afterAll(async () => {
    await browser?.close();
    await Promise.all([home, second, stranger].map((site) => site.close()));
    await app.close();
  });

  const authorizeUrl = (query: Record<string, string>, of = client) =>
    `${app.url}/v4/authorize?${new URLSearchParams(request(of, { redirect_uri: `${home.origin}/callback`, ...query }))}`;

  /** Shows the request in a frame on a page of the site. */
  const frame = async (site: Site, query: Record<string, string>, of = client): Promise<FrameLocator> => {
    await page.goto(`${site.origin}/?frame=${encodeURIComponent(authorizeUrl(query, of))}`);
    return page.frameLocator('iframe');
  };
  const fillIn = async (form: FrameLocator | Page) => {
    await form.locator('input[name=email]').fill(user.email);
    await form.locator('input[name=password]').fill(PASSWORD);
    await form.locator('button', { hasText: 'Sign in' }).click();
  };
  /** Presses the button that opens a window for the consent, and answers there. */
  const answerInWindow = async (login: FrameLocator, answer: string) => {
    const ask = login.locator('button', { hasText: 'Continue in a new window' });
    await ask.waitFor();
    await picture('frame');
    const opened = context.waitForEvent('page');
    await ask.click();
    const consentWindow = await opened;
    await consentWindow.waitForLoadState(); // before consent-guard.js runs, it would disable the button while it is being clicked
    await consentWindow.locator('button', { hasText: answer }).waitFor();
    await picture('window', consentWindow);
    const closed = consentWindow.waitForEvent('close').catch(async (cause) => {
      throw new Error(`The window is still open: ${consentWindow.url()} ${await consentWindow.innerText('body')}`, { cause });
    });
    await consentWindow.locator('button', { hasText: answer }).click();
    await closed;
  };
  const picture = async (name: string, of = page) => {
    const { SCREENSHOT_DIR: folder } = process.env;
    if (!folder) return;
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await of.emulateMedia({ colorScheme });
        await of.setViewportSize({ width, height: 800 });
        await of.screenshot({ path: `${folder}/consent-${name}-${colorScheme}-${width}.png` });
      }
  };
  const messages = async (): Promise<{ origin: string; data: Record<string, string> }[]> => await page.evaluate('messages');
  const firstMessage = async () => {
    await page.waitForFunction('messages.length > 0');
    return (await messages())[0];
  };
  const frameAtClient = async () => {
    const found = await page.waitForEvent('framenavigated', { predicate: (one) => one.url().startsWith(`${home.origin}/callback`) });
    return new URL(found.url());
  };
  const redeem = async (code: string | null | undefined) =>
    (await exchange(app, client, code ?? '', { redirect_uri: `${home.origin}/callback` })).body;

  it('is tested with third-party cookies blocked', async () => {
    const seen: string[] = [];
    const third = await startSite('localhost', (url, { headers }) => {
      if (url.pathname === '/again') seen.push(headers.cookie ?? '');
      const cookies = ['plain=1; SameSite=None; Secure', 'partitioned=1; SameSite=None; Secure; Partitioned'];
      return { html: '<a href="/again">again</a>', cookies };
    });
    await page.goto(`${home.origin}/?frame=${encodeURIComponent(third.origin)}`);
    await page.frameLocator('iframe').locator('a').click();
    await eventually(() => seen.length > 0);
    await third.close();
    expect(seen).toEqual(['partitioned=1']);
  });

  it('ends at the redirect URI inside the frame with iframe=1', async () => {
    const strange = await aClient(app, { redirectUris: [`${home.origin}/callback`], firstParty: false });
    const login = await frame(home, { iframe: '1' }, strange);
    await fillIn(login);
    const arrival = frameAtClient();
    await answerInWindow(login, 'Allow');
    const end = await arrival;
    expect(Object.fromEntries(end.searchParams)).toEqual({ code: expect.any(String), state: 'xyz', iss: app.url });
    expect(await exchange(app, strange, end.searchParams.get('code') ?? '', { redirect_uri: `${home.origin}/callback` })).toMatchObject({
      status: 200,
      body: { user: { id: user.id } },
    });
    expect(page.url()).toContain(`${home.origin}/?frame=`);
  });

  it.each([
    ['Allow', { code: expect.any(String) }],
    ['Deny', { error: 'access_denied' }],
  ])('requests consent in a window, and the frame continues automatically after %s', async (answer, outcome) => {
    const strange = await aClient(app, { redirectUris: [`${home.origin}/callback`], firstParty: false });
    const login = await frame(home, { iframe: '2' }, strange);
    await fillIn(login);
    await answerInWindow(login, answer);
    expect((await firstMessage())?.data).toMatchObject({ type: 'authorization_response', state: 'xyz', ...outcome });
  });

  it('asks again if the window is closed without an answer', async () => {
    const strange = await aClient(app, { redirectUris: [`${home.origin}/callback`], firstParty: false });
    const login = await frame(home, { iframe: '2' }, strange);
    await fillIn(login);
    const opened = context.waitForEvent('page');
    await login.locator('button', { hasText: 'Continue in a new window' }).click();
    await (await opened).close();
    await answerInWindow(login, 'Allow');
    expect((await firstMessage())?.data).toMatchObject({ code: expect.any(String) });
  });

  it('posts a message to the embedding page with iframe=2', async () => {
    await fillIn(await frame(home, { iframe: '2' }));
    const message = await firstMessage();
    expect(message).toEqual({
      origin: app.url,
      data: { type: 'authorization_response', code: expect.any(String), state: 'xyz', iss: app.url },
    });
    expect(await redeem(message?.data.code)).toMatchObject({ user: { id: user.id } });
    expect(await messages()).toHaveLength(1);
  });

  it('reports a denial to the page', async () => {
    const login = await frame(home, { iframe: '2' });
    await login.locator('button', { hasText: 'Cancel' }).click();
    expect((await firstMessage())?.data).toMatchObject({ type: 'authorization_response', error: 'access_denied', state: 'xyz' });
  });

  it('posts nothing to a page of another origin, even of the same client', async () => {
    const login = await frame(second, { iframe: '2' }); // the redirect URI is that of `home`
    await fillIn(login);
    await login.locator('h1', { hasText: 'You are signed in' }).waitFor();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))'); // what was posted before is delivered before
    expect(await messages()).toEqual([]);
  });

  it('stays signed in inside the frame: silently, and for Request Code', async () => {
    await fillIn(await frame(home, { iframe: '2' }));
    await firstMessage();
    await frame(home, { iframe: '2', prompt: 'none' });
    expect((await firstMessage())?.data).toMatchObject({ code: expect.any(String) });
    const requestCode = async (query: string, init: object) =>
      await page.evaluate(
        `fetch(${JSON.stringify(`${app.url}/v4/requestCode${query}`)}, ${JSON.stringify({ credentials: 'include', ...init })}).then(
          (response) => response.json(), (error) => error.name)`,
      );
    const fields = { client_id: client.clientId, state: 'abc' };
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    expect(await requestCode('', json)).toMatchObject({ code: expect.any(String), state: 'abc' });
    expect(await requestCode(`?${new URLSearchParams(fields)}`, {})).toBe('TypeError'); // a cookie makes no code by a GET
  });

  it.each<[SiteHost, string]>([
    ['127.0.0.1', '1'],
    ['[::1]', '1'],
    ['[::1]', '2'],
    ['my_app.localhost', '1'],
    ['my_app.localhost', '2'],
  ])('works in a frame of %s with iframe=%s, also if the callback redirects to another origin', async (host, iframe) => {
    const site = await startSite(host, (url) => ({
      ...application(url),
      ...(url.pathname === '/callback' && { location: `${stranger.origin}/end${url.search}` }),
    }));
    const redirect_uri = `${site.origin}/callback`;
    const own = await aClient(app, { redirectUris: [redirect_uri], firstParty: false });
    const login = await frame(site, { iframe, redirect_uri }, own);
    await fillIn(login);
    await answerInWindow(login, 'Allow');
    if (iframe === '1') await page.frameLocator('iframe').locator('p', { hasText: '/end' }).waitFor();
    const code = iframe === '1' ? new URL(page.frames()[1]?.url() ?? '').searchParams.get('code') : (await firstMessage())?.data.code;
    expect((await exchange(app, own, code ?? '', { redirect_uri })).status).toBe(200);
    await site.close();
  });

  it.each([
    ['of an origin that is not one of the client', () => stranger, { iframe: '1' }],
    ['of the client, without the parameter', () => home, {}],
  ])('is refused to a page %s', async (_which, site, query: Record<string, string>) => {
    const refusal = page.waitForEvent('console', { predicate: (line) => line.text().includes('frame-ancestors') });
    const login = await frame(site(), query);
    expect((await refusal).text()).toContain('violates');
    expect(await login.locator('input').count()).toBe(0);
  });

  describe('when the browser blocks all cookies in the frame', () => {
    let folder: string;
    beforeEach(async () => {
      await context.close();
      folder = makeTestFolder();
      context = await launchChromiumBlockingCookies(folder, { of: 'localhost', on: '127.0.0.1' });
      page = await context.newPage();
    });
    afterEach(async () => {
      await context.close();
      await removeTestFolder(folder);
    });

    const signInByWindow = async (query: Record<string, string>) => {
      const blocked = await frame(home, query);
      await blocked.locator('button', { hasText: 'Allow cookies here' }).waitFor();
      const opened = context.waitForEvent('page');
      await blocked.locator('button', { hasText: 'Sign in in a new window' }).click();
      const signInWindow = await opened;
      const closed = signInWindow.waitForEvent('close');
      await fillIn(signInWindow);
      await closed;
    };

    it('ends with a message through a separate window with iframe=2', async () => {
      await signInByWindow({ iframe: '2' });
      const message = await firstMessage();
      expect(message).toMatchObject({ origin: app.url, data: { type: 'authorization_response', state: 'xyz', iss: app.url } });
      expect(await redeem(message?.data.code)).toMatchObject({ user: { id: user.id } });
    });

    it('ends at the redirect URI through a separate window with iframe=1', async () => {
      const arrival = frameAtClient();
      await signInByWindow({ iframe: '1' });
      const end = await arrival;
      expect(await redeem(end.searchParams.get('code'))).toMatchObject({ user: { id: user.id } });
      expect(await messages()).toEqual([]);
    });
  });
});
