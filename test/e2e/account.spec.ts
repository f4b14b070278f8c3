import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/modules/oauth/index.js';
import { call, request, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('the account page', () => {
  let app: TestApp;
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startTestApp();
    client = await aClient(app, { name: 'Newsroom <b>' });
  });
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
  });
  afterAll(async () => await app.close());

  async function open(own = browser): Promise<string> {
    const { response, url } = await own.follow('/account');
    const html = await response.text();
    if (!html.includes('type="password"')) return html;
    expect(url.pathname).toMatch(/^\/v4\/interaction\//);
    const after = await own.submit(html, '/login', { email: user.email, password: PASSWORD });
    expect(after.url.pathname).toBe('/account');
    return await after.response.text();
  }

  it('sends an anonymous browser to the login page and back, and records no application for it', async () => {
    const html = await open();
    expect(html).toContain(user.email);
    expect(html).toContain('No application has access to your account');
    expect(await open()).toContain(user.email);
  });

  it('shows the applications that may act for the user, and where they signed in', async () => {
    const query = { device: 'my phone', env: 'staging', platform: 'ios', version: 'v4' };
    await signInTo(app, { user, client, browser, query });
    const html = await open();
    for (const text of ['Newsroom &lt;b&gt;', 'my phone', '127.0.0.1', 'staging', 'ios', 'v4', 'Firefox', client.clientId]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('Newsroom <b>');
  });

  it('revokes an application with a button, at once', async () => {
    const tokens = await obtainTokens(app, { user, client, browser });
    expect(await works(app, tokens.access_token)).toBe(true);
    const { response, url } = await browser.submit(await open(), '/account/deauthorize');
    expect(url.search).toBe('?done=revoked');
    expect(await response.text()).toContain('No application has access to your account');
    expect(await works(app, tokens.access_token)).toBe(false);
  });

  it('ends another browser’s session, and only of the same user', async () => {
    await open();
    const other = new TestBrowser(app.url, { 'user-agent': 'curl/8.0' });
    await open(other);
    const cookie = other.cookieHeader('/v4/apps');
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie } })).status).toBe(200);
    const html = await open();
    const items = [...html.matchAll(/<li>[\s\S]*?<\/li>/g)].map(([item]) => item);
    const theirs = items.find((item) => item.includes('end-session') && !item.includes('This browser')) ?? '';
    await browser.submit(theirs, '/account/end-session');
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie } })).status).toBe(401);
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie: browser.cookieHeader('/v4/apps') } })).status).toBe(200);
  });

  it('refuses a form that another page or another user made', async () => {
    const tokens = await obtainTokens(app, { user, client, browser });
    const html = await open();
    const id = /name="id" value="(\d+)"/.exec(html)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const stranger = { user: await aUser(app), browser: new TestBrowser(app.url) };
    await signInTo(app, { ...stranger, client });
    const post = async (own: TestBrowser, fields: Record<string, string>, origin: string | null = app.url) => {
      const headers: Record<string, string> = origin === null ? {} : { origin };
      return (await own.open('/account/deauthorize', { method: 'POST', body: new URLSearchParams(fields), headers })).status;
    };
    expect(await post(browser, { id })).toBe(403);
    expect(await post(browser, { id, csrf: 'x' })).toBe(403);
    expect(await post(browser, { id, csrf }, 'https://evil.test')).toBe(403);
    expect(await post(browser, { id, csrf }, null)).toBe(403);
    expect(await post(stranger.browser, { id, csrf })).toBe(403);
    expect(await works(app, tokens.access_token)).toBe(true);
    for (const wrong of ['', 'x', '1e99', '99999999999', '-1']) expect(await post(browser, { id: wrong, csrf })).toBe(303);
    expect(await works(app, tokens.access_token)).toBe(true);
    expect(await post(browser, { id, csrf })).toBe(303);
    expect(await works(app, tokens.access_token)).toBe(false);
  });

  it('signs out after a question, and stays signed in otherwise', async () => {
    await open();
    const question = await (await browser.follow('/v4/logout')).response.text();
    expect(question).toContain(user.email);
    const { response } = await browser.submit(question, '/v4/logout/confirm', { logout: 'yes' });
    expect(await response.text()).toContain('You are signed out');
    expect(await (await browser.follow('/account')).response.text()).toContain('type="password"');
  });

  it('keeps the access of applications when the user signs out', async () => {
    const tokens = await obtainTokens(app, { user, client, browser, query: { scope: 'api offline_access' } });
    const question = await (await browser.follow('/v4/logout')).response.text();
    await browser.submit(question, '/v4/logout/confirm', { logout: 'yes' });
    expect(await works(app, tokens.access_token)).toBe(true);
  });

  it('shows hostile values as text', async () => {
    const evil = '"><script>alert(1)</script>';
    const { response } = await browser.follow(
      `/v4/authorize?${new URLSearchParams(request(client, { login_hint: evil, scope: 'openid' }))}`,
    );
    const login = await response.text();
    expect(login).not.toContain('<script>');
    expect(login).toContain('&lt;script&gt;');
    const own = new TestBrowser(app.url, { 'user-agent': evil });
    await signInTo(app, { user, client, browser: own, query: { device: evil, env: evil, platform: evil } });
    expect(await open(own)).not.toContain('<script>');
  });
});
