import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { exchange, request, signInTo, tryPassword } from '../support/accounts/oauth.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('login and consent', () => {
  const app = useTestApp();
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    client = await aClient(app, { firstParty: false, name: 'Acme <Studio>' });
  });
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url);
  });

  /** Goes on with a request as the browser would; answers the page it stops at, or where the client is told something. */
  async function ask(query: Record<string, string> = {}, own: Client = client) {
    const { response, url } = await browser.follow(`/v4/authorize?${new URLSearchParams(request(own, query))}`);
    const atClient = url.origin !== app.url;
    const html = atClient ? '' : await response.text();
    const page = html.includes('type="password"') ? 'login' : html.includes('/consent"') ? 'consent' : atClient ? 'client' : 'error';
    return { page, html, url, code: url.searchParams.get('code'), error: url.searchParams.get('error') };
  }

  it('asks for consent after the login, in words, and once', async () => {
    const { html } = await ask({ scope: 'openid email api offline_access' });
    const consent = await tryPassword(browser, html, user.email);
    expect(consent.status).toBe(200);
    expect(consent.text).toContain('Acme &lt;Studio&gt;');
    expect(consent.text).toContain('client.example');
    expect(consent.text).toContain('Keep acting for you when you are not using it');
    expect(consent.text).toContain('Read the e-mail address of your account');
    expect(consent.text).not.toContain('Read your first and last name');
    const { url } = await browser.submit(consent.text, '/consent');
    expect(url.searchParams.get('code')).toBeTruthy();
    expect(await ask({ scope: 'openid email api offline_access' })).toMatchObject({ page: 'client', code: expect.any(String) });
    expect(await ask({ scope: 'api' })).toMatchObject({ page: 'client', code: expect.any(String) });
  });

  it('does not offer scopes that the client cannot have', async () => {
    const without = await aClient(app, { firstParty: false, grantTypes: ['authorization_code'] });
    const { html } = await ask({ scope: 'api offline_access' }, without);
    const consent = await tryPassword(browser, html, user.email);
    expect(consent.text).not.toContain('Keep acting for you');
    await browser.submit(consent.text, '/consent');
    expect(await ask({ scope: 'api offline_access' }, without)).toMatchObject({ page: 'client' });
  });

  it('asks again for another device, another user, another client and more scopes', async () => {
    await signInTo(app, { user, client, browser, query: { scope: 'api', device: 'one' } });
    expect(await ask({ device: 'one' })).toMatchObject({ page: 'client' });
    expect(await ask({ device: 'two' })).toMatchObject({ page: 'consent' });
    expect(await ask({})).toMatchObject({ page: 'consent' });
    expect(await ask({ device: 'one', scope: 'api email' })).toMatchObject({ page: 'consent' });
    const another = await aClient(app, { firstParty: false });
    expect(await ask({ device: 'one' }, another)).toMatchObject({ page: 'consent' });
    const stranger = { user: await aUser(app), browser: new TestBrowser(app.url) };
    browser = stranger.browser;
    const { html } = await ask({ device: 'one' });
    expect((await tryPassword(browser, html, stranger.user.email)).text).toContain('/consent"');
  });

  it('keeps earlier scopes when more are granted later', async () => {
    await signInTo(app, { user, client, browser, query: { scope: 'api email' } });
    await signInTo(app, { user, client, browser, query: { scope: 'openid' } });
    expect(await ask({ scope: 'email openid api' })).toMatchObject({ page: 'client' });
  });

  it('skips the consent of a first-party client, for each device', async () => {
    const own = await aClient(app, { firstParty: true });
    const { html } = await ask({}, own);
    expect((await tryPassword(browser, html, user.email)).url.searchParams.get('code')).toBeTruthy();
    expect(await ask({ device: 'new', scope: 'openid profile email api offline_access' }, own)).toMatchObject({ page: 'client' });
  });

  it('reports a denial to the client, and asks again the next time', async () => {
    const { html } = await ask();
    const consent = await tryPassword(browser, html, user.email);
    const { url } = await browser.submit(consent.text, '/cancel');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'xyz', iss: app.url });
    expect(await ask()).toMatchObject({ page: 'consent' });
    const rows = await app.app.get(Database).query('SELECT FROM authorizations WHERE user_id = $1', [user.id]);
    expect(rows.rowCount).toBe(0);
  });

  it('reports a cancelled login to the client', async () => {
    const { html } = await ask();
    const { url } = await browser.submit(html, '/cancel');
    expect(url.searchParams.get('error')).toBe('access_denied');
  });

  it('never shows a page for prompt=none', async () => {
    expect(await ask({ prompt: 'none' })).toMatchObject({ page: 'client', error: 'login_required' });
    await signInTo(app, { user, client: await aClient(app), browser });
    expect(await ask({ prompt: 'none' })).toMatchObject({ page: 'client', error: 'consent_required' });
    await signInTo(app, { user, client, browser });
    expect(await ask({ prompt: 'none' })).toMatchObject({ page: 'client', error: null, code: expect.any(String) });
    expect(await ask({ prompt: 'none', device: 'new' })).toMatchObject({ page: 'client', error: 'consent_required' });
    expect(await ask({ prompt: 'none login' })).toMatchObject({ page: 'client', error: 'invalid_request' });
  });

  it('asks again for prompt=login and prompt=consent', async () => {
    await signInTo(app, { user, client, browser });
    expect(await ask({ prompt: 'consent' })).toMatchObject({ page: 'consent' });
    const again = await ask({ prompt: 'login' });
    expect(again).toMatchObject({ page: 'login' });
    expect((await tryPassword(browser, again.html, user.email)).url.searchParams.get('code')).toBeTruthy();
  });

  it('asks for the password again when the login is older than max_age', async () => {
    await signInTo(app, { user, client, browser, query: { scope: 'openid' } });
    expect(await ask({ scope: 'openid', max_age: '3600' })).toMatchObject({ page: 'client' });
    expect(await ask({ scope: 'openid', max_age: '0' })).toMatchObject({ page: 'login' });
    const earlier = `UPDATE oidc_records SET payload = payload || jsonb_build_object('loginTs', (payload->>'loginTs')::int - 4000)
      WHERE model = 'Session' AND account_id = $1`;
    await app.app.get(Database).query(earlier, [user.id]);
    expect(await ask({ scope: 'openid', max_age: '3600', prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const { page, html } = await ask({ scope: 'openid', max_age: '3600' });
    expect(page).toBe('login');
    await tryPassword(browser, html, user.email);
    expect(await ask({ scope: 'openid', max_age: '3600' })).toMatchObject({ page: 'client' });
    for (const max_age of ['-1', 'x', '1.5']) expect(await ask({ scope: 'openid', max_age })).toMatchObject({ error: 'invalid_request' });
  });

  it('lets another person sign in while a user is signed in, without JavaScript', async () => {
    const own = await aClient(app);
    await signInTo(app, { user, client: own, browser });
    const other = await aUser(app);
    const login = await ask({ prompt: 'login' }, own);
    const handOver = await tryPassword(browser, login.html, other.email);
    expect(handOver.status).toBe(200);
    expect(handOver.text).toContain(`Continue as ${other.email}`);
    expect(await (await browser.open('/account')).text()).toContain(user.email);
    expect(handOver.headers.get('content-security-policy')).not.toContain('form-action');
    const { url } = await browser.submit(handOver.text, '/v4/logout/confirm');
    const { body } = await exchange(app, own, url.searchParams.get('code') ?? '');
    expect(body.user).toMatchObject({ id: other.id });
  });

  it('shows a page when an interaction is over, foreign or unknown', async () => {
    const { url, html } = await ask();
    const path = url.pathname;
    const foreign = await new TestBrowser(app.url).open(path);
    expect({ status: foreign.status, type: foreign.headers.get('content-type') }).toEqual({
      status: 400,
      type: 'text/html; charset=utf-8',
    });
    expect(await foreign.text()).toContain('session_not_found');
    await tryPassword(browser, html, user.email).catch(() => {});
    const late = await new TestBrowser(app.url).open(path.replace('/interaction/', '/authorize/'));
    expect({ status: late.status, type: late.headers.get('content-type') }).toEqual({ status: 400, type: 'text/html; charset=utf-8' });
  });

  it('lets a person sign in in two tabs, one after the other', async () => {
    const own = await aClient(app);
    const first = await ask({ state: 'first' }, own);
    const second = await ask({ state: 'second' }, own);
    const one = await tryPassword(browser, first.html, user.email);
    expect(Object.fromEntries(one.url.searchParams)).toMatchObject({ state: 'first', code: expect.any(String) });
    const two = await tryPassword(browser, second.html, user.email);
    expect(Object.fromEntries(two.url.searchParams)).toMatchObject({ state: 'second', code: expect.any(String) });
  });
});
