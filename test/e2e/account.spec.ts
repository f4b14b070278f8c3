import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService, BlockedPasswordsService, PasswordPolicyService } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { call, request, signInTo, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, PASSWORD } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

describe('the account page', () => {
  const app = useTestApp();
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    client = await aClient(app, { name: 'Newsroom <b>' });
  });
  beforeEach(async () => {
    user = await aUser(app);
    browser = new TestBrowser(app.url, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
  });

  async function open(own = browser): Promise<string> {
    const { response, url } = await own.follow('/account');
    const html = await response.text();
    if (!html.includes('type="password"')) return html;
    expect(url.pathname).toMatch(/^\/v4\/interaction\//);
    const after = await own.submit(html, '/login', { email: user.email, password: PASSWORD });
    expect(after.url.pathname).toBe('/account');
    return await after.response.text();
  }

  /** What the person changed: the records of the audit trail, and the mails about them. */
  const changes = async () =>
    (
      await app.app.get(Database).query<{ action: string; mail: string; thing: string | null }>(
        `SELECT action, payload->>'kind' AS mail, payload->>'thing' AS thing
          FROM (SELECT action, row_number() OVER (ORDER BY id) AS n FROM audit_records WHERE actor = $1) a
          FULL JOIN (SELECT payload, row_number() OVER (ORDER BY id) AS n FROM graphile_worker._private_jobs WHERE payload->>'userId' = $2) m
            USING (n) ORDER BY n`,
        [`user:${user.id}`, String(user.id)],
      )
    ).rows;

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
    expect(await changes()).toEqual([{ action: 'user.revoke_application', mail: 'application-revoked', thing: 'Newsroom <b>' }]);
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
    await browser.submit(theirs, '/account/end-session'); // it has ended already
    expect(await changes()).toEqual([{ action: 'user.end_session', mail: 'session-ended', thing: 'curl' }]);
  });

  it('ends all other sessions, and keeps its own', async () => {
    const others = [new TestBrowser(app.url), new TestBrowser(app.url)];
    for (const other of others) await open(other);
    const { url, response } = await browser.submit(await open(), '/account/end-other-sessions');
    expect([url.search, await response.text()]).toEqual([
      '?done=endedOthers',
      expect.stringContaining('All other browsers have been signed out.'),
    ]);
    const statusOf = async (own: TestBrowser) =>
      (await call(`${app.url}/v4/apps`, { headers: { cookie: own.cookieHeader('/v4/apps') } })).status;
    expect([await statusOf(browser), ...(await Promise.all(others.map(statusOf)))]).toEqual([200, 401, 401]);
    expect(await changes()).toEqual([{ action: 'user.end_other_sessions', mail: 'other-sessions-ended', thing: null }]);
  });

  it('speaks the language of the browser, which mails use later', async () => {
    const german = new TestBrowser(app.url, { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' });
    const html = await open(german);
    for (const words of ['<html lang="de">', 'Ihr Konto', 'Dieser Browser', 'Passwort ändern']) expect(html).toContain(words);
    expect(await app.app.get(AccountsService).findById(user.id)).toMatchObject({ language: 'de' });
  });

  describe('for changes of who can sign in', () => {
    const NEW = 'seventeen purple kayaks on a glacier';
    const form = async (path: string) => {
      const { response, url } = await browser.follow(path);
      return { html: await response.text(), path: url.pathname };
    };
    const audited = async () =>
      (
        await app.app
          .get(Database)
          .query<{ action: string }>('SELECT action FROM audit_records WHERE subject = $1 ORDER BY id', [`user:${user.id}`])
      ).rows.map(({ action }) => action);
    /** The sign-in of every session was some minutes ago. */
    const age = async (minutes: number) =>
      await app.app
        .get(Database)
        .query(
          `UPDATE oidc_records SET payload = payload || jsonb_build_object('loginTs', (payload->>'loginTs')::int - $2::int) WHERE model = 'Session' AND account_id = $1`,
          [user.id, minutes * 60],
        );

    it('changes the password with the old one, ends all other sessions, and leaves a record and a mail', async () => {
      const tokens = await obtainTokens(app, { user, client, browser });
      await open();
      const other = new TestBrowser(app.url);
      await open(other);
      const wrong = await browser.submit((await form('/account/password')).html, '/account/password', { current: 'wrong', password: NEW });
      expect([wrong.response.status, await wrong.response.text()]).toEqual([
        400,
        expect.stringContaining('The current password is not correct.'),
      ]);
      const { url, response } = await browser.submit((await form('/account/password')).html, '/account/password', {
        current: PASSWORD,
        password: NEW,
      });
      expect([url.search, await response.text()]).toEqual([
        '?done=passwordChanged',
        expect.stringContaining('Your password has been changed.'),
      ]);
      expect((await call(`${app.url}/v4/apps`, { headers: { cookie: other.cookieHeader('/v4/apps') } })).status).toBe(401);
      expect(await works(app, tokens.access_token)).toBe(true);
      expect(await audited()).toEqual(['user.change_password']);
      const { rows } = await app.app
        .get(Database)
        .query<{ payload: object }>(`SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'userId' = $1`, [String(user.id)]);
      expect(rows).toEqual([
        { payload: expect.objectContaining({ kind: 'password-changed', occasion: expect.objectContaining({ ip: '127.0.0.1' }) }) },
      ]);
      expect(JSON.stringify(rows)).not.toContain(NEW);
      const page = await (await other.follow('/account')).response.text();
      expect((await other.submit(page, '/login', { email: user.email, password: PASSWORD })).response.status).toBe(401);
      expect((await other.submit(page, '/login', { email: user.email, password: NEW })).url.pathname).toBe('/account');
    });

    it('opens and ends the access of support staff for administrators, with records and mails', async () => {
      await open();
      expect((await form('/account/support')).html).toContain('admin_level_not_sufficient');
      await app.app.get(Database).query('UPDATE users SET admin_level = 9 WHERE id = $1', [user.id]);
      const opened = await browser.submit((await form('/account/support')).html, '/account/support', { hours: '168' });
      expect([opened.url.search, await opened.response.text()]).toEqual([
        '?done=supportOpened',
        expect.stringContaining('allows support staff'),
      ]);
      const until = async () =>
        (
          await app.app
            .get(Database)
            .queryOne<{ hours: number | null }>(
              'SELECT round(extract(epoch FROM support_access_until - now()) / 3600)::int AS hours FROM customers WHERE id = $1',
              [user.customerId],
            )
        )?.hours;
      expect(await until()).toBe(168);
      await browser.submit((await form('/account/support')).html, '/account/support', { hours: '0' });
      expect(await until()).toBeNull();
      expect(await changes()).toEqual([
        { action: 'customer.update', mail: 'support-opened', thing: expect.stringContaining('UTC') },
        { action: 'customer.update', mail: 'support-closed', thing: null },
      ]);
    });

    it('asks again five minutes after the sign-in, and then goes on', async () => {
      await open();
      await age(4);
      const ready = await form('/account/password');
      expect(ready.path).toBe('/account/password');
      await age(1);
      const asked = await form('/account/name');
      expect(asked.path).toMatch(/^\/v4\/interaction\//);
      const late = await browser.submit(ready.html, '/account/password', { current: PASSWORD, password: NEW });
      expect([late.url.pathname, await audited()]).toEqual([expect.stringMatching(/^\/v4\/interaction\//), []]);
      const back = await browser.submit(asked.html, '/login', { email: user.email, password: PASSWORD });
      expect(back.url.pathname).toBe('/account/name');
      const { url } = await browser.submit(await back.response.text(), '/account/name', { firstname: 'Grace ', lastname: 'Hop\tper' });
      expect(url.search).toBe('?done=nameChanged');
      expect(await app.app.get(AccountsService).findById(user.id)).toMatchObject({ firstname: 'Grace', lastname: 'Hop per' });
      expect(await audited()).toEqual(['user.change_name']);
    });

    it.each([
      ['short', 'too short', 'fourteen chars'],
      ['129 characters long', 'too long', 'ß 7'.repeat(43)],
      ['one character repeated', 'easy to guess', 'a'.repeat(128)],
      ['one emoji repeated', 'easy to guess', '😀'.repeat(128)],
      ['a decomposed letter repeated', 'easy to guess', 'a\u0308'.repeat(100)],
      ['of the keyboard', 'easy to guess', 'qwertyuiopasdfghjkl'],
      ['the names of the person', 'easy to guess', 'AdaLovelaceAdaLovelace'],
      ['on the block list in another case', 'list of known passwords', 'CORRECT zebra stapler vacuum'],
    ])('refuses a password that is %s, and says why: %s', async (_, reason, password) => {
      await app.app.get(BlockedPasswordsService).import(Readable.from([Buffer.from('correct zebra stapler vacuum\r\n')]));
      await open();
      const { response } = await browser.submit((await form('/account/password')).html, '/account/password', {
        current: PASSWORD,
        password,
      });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
      expect(await audited()).toEqual([]);
    });

    it('rates passwords without keeping the event loop', async () => {
      const policy = app.app.get(PasswordPolicyService);
      await policy.findProblem(NEW, user, 'en');
      const loop = monitorEventLoopDelay({ resolution: 5 });
      loop.enable();
      for (const password of ['a'.repeat(128), '😀🎉'.repeat(64), '4@31!0$57+'.repeat(12), 'é'.normalize('NFD').repeat(128)])
        await policy.findProblem(password, user, 'de');
      loop.disable();
      expect(loop.max / 1e6).toBeLessThan(50);
    });
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
