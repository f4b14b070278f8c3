import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountsService, PasswordHasher, PasswordLoginService, PasswordsService } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Clock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { call, request, signInTo, tryPassword } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, PASSWORD, signIn } from '../support/accounts/scenario.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { eventually } from '../support/eventually.js';

const DAY = 86_400;

describe('the cookies under https', () => {
  it('have names that only this host can set, and a session of the name before ends cleanly', async () => {
    const app = await startTestApp({ publicUrl: 'https://media.example' });
    try {
      const address = addressOf(app.app);
      const [user, client] = [await aUser(app), await aClient(app)];
      for (const [query, name] of [
        [{}, '__Host-session'],
        [{ iframe: '1' }, '__Host-framed_session'],
      ] as const) {
        const browser = new TestBrowser('https://media.example', {}, address);
        const started = await browser.follow(authorizeUrl('https://media.example', { client_id: client.clientId, ...query }));
        const lines = browser.cookieNames().filter((line) => line.includes('interaction'));
        const prefix = name.replace('__Host-', '__Secure-').replace('session', '');
        expect(lines).toContain(`${prefix}interaction ${started.url.pathname}`);
        for (const line of lines) expect(line).toMatch(new RegExp(`^${prefix}interaction(_resume)?(\\.sig)? /v4/(interaction|authorize)/`));
        const target = await signIn(browser, authorizeUrl('https://media.example', { client_id: client.clientId, ...query }), user);
        expect(target.searchParams.get('code')).toBeTruthy();
        const names = browser.cookieNames();
        expect(names).toEqual(expect.arrayContaining([`${name} /`, `${name}.sig /`]));
        const silent = { client_id: client.clientId, prompt: 'none', ...query };
        const again = await browser.follow(authorizeUrl('https://media.example', silent));
        expect(again.url.searchParams.get('code')).toBeTruthy();
        const cookie = browser.cookieHeader('/').replaceAll('__Host-', '');
        const old = await fetch(`${address}/v4/authorize?${new URLSearchParams({ response_type: 'code', state: 'x', ...silent })}`, {
          headers: { cookie },
          redirect: 'manual',
        });
        expect(old.headers.get('location')).toContain('error=login_required');
      }
    } finally {
      await app.close();
    }
  });
});

describe('the login page', () => {
  let app: TestApp;
  let client: Client;
  let user: Awaited<ReturnType<typeof aUser>>;
  let browser: TestBrowser;
  beforeAll(async () => {
    app = await startTestApp();
    client = await aClient(app);
  });
  beforeEach(async () => {
    await app.app.get(Database).query('DELETE FROM login_failures');
    user = await aUser(app);
    browser = new TestBrowser(app.url);
  });
  afterAll(async () => await app.close());

  async function openLogin(own = browser, query: Record<string, string> = {}): Promise<string> {
    const { response } = await own.follow(`/v4/authorize?${new URLSearchParams(request(client, query))}`);
    return await response.text();
  }

  const failures = async (key: string) =>
    await app.app
      .get(Database)
      .queryOne<{ failures: number }>('SELECT failures FROM login_failures WHERE key = $1', [`account:${sha256(key)}`]);

  const endTheWait = async () => await app.app.get(Database).query(`UPDATE login_failures SET wait_until = now() - interval '1 second'`);

  /** A slow machine would otherwise let delays pass in the middle of `work`. */
  async function withClockStopped<T>(work: () => Promise<T>): Promise<T> {
    const clock = app.app.get(Clock);
    const [now, stopped] = [clock.now.bind(clock), clock.now()];
    clock.now = () => stopped;
    try {
      return await work();
    } finally {
      clock.now = now;
    }
  }

  const alertOf = (html: string) => /role="alert">([^<]*)</.exec(html)?.[1];

  it('shows the same message for a wrong password, an unknown user, a disabled one and one without a password', async () => {
    const disabled = await aUser(app);
    await app.app.get(AccountsService).disable(disabled.email, new Date());
    const service = await aUser(app, { kind: 'service' });
    const page = await openLogin();
    const answers = [
      await tryPassword(browser, page, user.email, 'wrong'),
      await tryPassword(browser, page, 'nobody@example.org', 'wrong'),
      await tryPassword(browser, page, disabled.email, PASSWORD),
      await tryPassword(browser, page, service.email, PASSWORD),
      await tryPassword(browser, page, '', ''),
    ];
    for (const { status, text } of answers) {
      expect({ status, alert: alertOf(text) }).toEqual({ status: 401, alert: 'The e-mail address or the password is not correct.' });
    }
  });

  it('finds the e-mail address in any case and with spaces around it', async () => {
    const { url } = await tryPassword(browser, await openLogin(), ` ${user.email.toUpperCase()} `);
    expect(url.searchParams.get('code')).toBeTruthy();
  });

  it('counts each of 50 concurrent wrong passwords', async () => {
    const page = await openLogin();
    const answers = await withClockStopped(
      async () => await Promise.all(Array.from({ length: 50 }, () => tryPassword(browser, page, user.email, 'wrong'))),
    );
    expect((await failures(user.email))?.failures).toBe(50);
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(6);
    expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });

  it('makes tries wait longer and longer, at most a minute, and never for good', async () => {
    const page = await openLogin();
    const waits: number[] = [];
    for (let tries = 0; tries < 40; tries += 1) {
      const { status, headers, text } = await tryPassword(browser, page, user.email, 'wrong');
      if (status !== 429) continue;
      waits.push(Number(headers.get('retry-after')));
      expect(alertOf(text)).toMatch(/^Too many failed attempts\. Wait \d+ seconds? and try again\.$/);
      await endTheWait();
    }
    expect(waits.slice(0, 3)).toEqual([1, 4, 16]);
    expect(waits).toEqual([...waits].sort((left, right) => left - right));
    expect(Math.max(...waits)).toBe(60);
    await endTheWait();
    expect((await tryPassword(browser, page, user.email)).url.searchParams.get('code')).toBeTruthy();
    expect(await failures(user.email)).toBeNull();
  });

  it('accepts the correct password after the delay', async () => {
    const page = await openLogin();
    await withClockStopped(async () => {
      await Promise.all(Array.from({ length: 7 }, () => tryPassword(browser, page, user.email, 'wrong')));
      expect((await tryPassword(browser, page, user.email)).status).toBe(429);
    });
    await eventually(async () => (await tryPassword(browser, page, user.email)).url.searchParams.get('code'));
  });

  it('admits a known browser while another one keeps failing', async () => {
    await signInTo(app, { user, client, browser });
    const stranger = new TestBrowser(app.url);
    const page = await openLogin(stranger);
    await withClockStopped(async () => {
      await Promise.all(Array.from({ length: 20 }, () => tryPassword(stranger, page, user.email, 'wrong')));
      expect((await tryPassword(stranger, page, user.email)).status).toBe(429);
      const { url } = await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), user.email);
      expect(url.searchParams.get('code')).toBeTruthy();
      expect((await tryPassword(stranger, page, user.email)).status).toBe(429);
    });
  });

  describe('after a hundred wrong passwords in a row', () => {
    /** The row of failures that 99 wrong passwords have left. */
    const failAlmost = async (email: string, browser = '') =>
      await app.app.get(Database).query(
        `INSERT INTO login_failures (key, failures, wait_until, admitted, updated_at)
          VALUES ($1, 99, 'epoch', gen_random_uuid(), now()) ON CONFLICT (key) DO UPDATE SET failures = 99`,
        [`account:${sha256(email)}:row${browser}`],
      );
    const mailJobs = async () => {
      const sql = `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'kind' = 'password-restricted' ORDER BY id`;
      return (await app.app.get(Database).query<{ payload: { userId: number | null } }>(sql)).rows.map(({ payload }) => payload.userId);
    };

    it('a password works only in a browser that signed in before, until it is reset', async () => {
      await signInTo(app, { user, client, browser });
      await failAlmost(user.email);
      const stranger = new TestBrowser(app.url);
      const page = await openLogin(stranger);
      const [wrong, right, again] = [
        await tryPassword(stranger, page, user.email, 'wrong'),
        await tryPassword(stranger, page, user.email),
        await tryPassword(stranger, page, user.email, 'wrong'),
      ];
      for (const { status, text } of [wrong, right, again])
        expect([status, alertOf(text)]).toEqual([401, 'The e-mail address or the password is not correct.']);
      expect(await mailJobs()).toEqual([user.id]);
      const { url } = await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), user.email);
      expect(url.searchParams.get('code')).toBeTruthy();
      expect((await tryPassword(stranger, page, user.email)).status).toBe(401);
      await app.app.get(PasswordLoginService).forgetFailures(user.email);
      expect((await tryPassword(stranger, page, user.email)).url.searchParams.get('code')).toBeTruthy();
    });

    it('a browser that signed in before the password was reset does not count', async () => {
      await signInTo(app, { user, client, browser });
      await app.app.get(AccountsService).setPassword(user.email, PASSWORD);
      await failAlmost(user.email);
      const stranger = new TestBrowser(app.url);
      await tryPassword(stranger, await openLogin(stranger), user.email, 'wrong');
      expect((await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), user.email)).status).toBe(401);
      await app.app.get(PasswordLoginService).forgetFailures(user.email);
      const back = await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), user.email);
      expect(back.url.searchParams.get('code')).toBeTruthy();
    });

    it('an unknown address costs the same job, and the right password in time starts the count anew', async () => {
      await failAlmost('unknown@example.org');
      const page = await openLogin();
      await tryPassword(browser, page, 'unknown@example.org', 'wrong');
      expect((await mailJobs()).at(-1)).toBeNull();
      await failAlmost(user.email);
      expect((await tryPassword(browser, page, user.email)).url.searchParams.get('code')).toBeTruthy();
      const count = 'SELECT count(*)::int AS count FROM login_failures WHERE key = $1';
      expect(await app.app.get(Database).queryOne(count, [`account:${sha256(user.email)}:row`])).toEqual({ count: 0 });
    });
  });

  it('compares passwords in Unicode normal form C, and as typed for those of earlier versions', async () => {
    const [composed, decomposed] = ['f\u00fcr \u00c5ngstr\u00f6m'.normalize('NFC'), 'f\u00fcr \u00c5ngstr\u00f6m'.normalize('NFD')];
    const modern = await aUser(app, { password: decomposed });
    for (const typed of [composed, decomposed])
      expect(
        (await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), modern.email, typed)).url.searchParams.get('code'),
      ).toBeTruthy();
    const passwordHash = await app.app.get(PasswordHasher).hash(decomposed);
    await app.app.get(Database).query('UPDATE users SET password_hash = $2 WHERE id = $1', [user.id, passwordHash]);
    const other = new TestBrowser(app.url);
    const early = await tryPassword(other, await openLogin(other), user.email, decomposed);
    expect(early.url.searchParams.get('code')).toBeTruthy();
  });

  it('accepts a password that was good before, such as one letter, until it is changed', async () => {
    const { id, email } = await aUser(app, { password: 'x' });
    expect((await tryPassword(browser, await openLogin(browser), email, 'x')).url.searchParams.get('code')).toBeTruthy();
    const occasion = { ip: null, userAgent: null };
    const change = async (oldPassword: string, password: string) =>
      await app.app.get(PasswordsService).change({
        ...{ userId: id, oldPassword, password, language: 'en', occasion, sessionId: 'none' },
        ...{ clientNetwork: '192.0.2.1', knownBrowser: () => null },
      });
    await expect(change('x', 'y')).rejects.toMatchObject({ code: 'password_refused' });
    await change('x', 'seventeen purple kayaks on a glacier');
    expect((await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), email, 'x')).status).toBe(401);
  });

  it('refuses a form without its own CSRF token', async () => {
    const page = await openLogin();
    const foreign = await openLogin(new TestBrowser(app.url));
    const token = /name="csrf" value="([^"]+)"/.exec(foreign)?.[1] ?? '';
    const action = /action="([^"]+\/login)"/.exec(page)?.[1] ?? '';
    for (const csrf of [null, '', 'x', token]) {
      const body = new URLSearchParams({ email: user.email, password: PASSWORD, ...(csrf === null ? {} : { csrf }) });
      const response = await browser.open(action, { method: 'POST', body, headers: { origin: app.url } });
      expect({ csrf, status: response.status, type: response.headers.get('content-type') }).toEqual({
        csrf,
        status: 403,
        type: 'text/html; charset=utf-8',
      });
    }
    expect((await tryPassword(browser, page, user.email)).url.searchParams.get('code')).toBeTruthy();
  });

  it.each([
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:41990' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://client.example' },
    { origin: 'http://localhost:41990' },
    { origin: 'null' },
    {},
  ])('refuses a form of a page of another origin, even with the CSRF token: %j', async (headers) => {
    const page = await openLogin();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const action = /action="([^"]+\/login)"/.exec(page)?.[1] ?? '';
    for (const path of [action, action.replace('/login', '/cancel')]) {
      const body = new URLSearchParams({ csrf, email: user.email, password: PASSWORD });
      const response = await browser.open(path, { method: 'POST', body, headers: headers as Record<string, string> });
      expect([response.status, (await response.text()).includes('origin_not_allowed')]).toEqual([403, true]);
    }
    expect((await tryPassword(browser, page, user.email)).url.searchParams.get('code')).toBeTruthy(); // nothing has been decided
  });

  it('belongs to the browser that it was shown in', async () => {
    const page = await openLogin();
    const other = new TestBrowser(app.url);
    await openLogin(other);
    expect(await tryPassword(other, page, user.email)).toMatchObject({ status: 400, text: expect.stringContaining('session_not_found') });
    const cookieless = await tryPassword(new TestBrowser(app.url), page, user.email);
    expect(cookieless).toMatchObject({ status: 400, text: expect.stringContaining('session_not_found') });
  });

  it('gives the session a new identifier at each login and forgets the old one', async () => {
    const planted = { cookie: 'session=chosen-by-a-stranger; session.sig=also' };
    const { response } = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client))}`, { headers: planted });
    await tryPassword(browser, await response.text(), user.email);
    const first = browser.cookieHeader('/v4/apps');
    expect(first).not.toContain('chosen-by-a-stranger');
    const listApps = async (cookie: string) => (await call(`${app.url}/v4/apps`, { headers: { cookie } })).status;
    expect([await listApps(planted.cookie), await listApps(first)]).toEqual([401, 200]);
    await tryPassword(browser, await openLogin(browser, { prompt: 'login' }), user.email);
    const second = browser.cookieHeader('/v4/apps');
    expect(second).not.toBe(first);
    expect([await listApps(first), await listApps(second)]).toEqual([401, 200]);
  });

  it('prevents session fixation', async () => {
    await browser.follow('/v4/logout'); // starts a session without a user
    const planted = browser.cookieHeader('/v4/apps');
    expect(planted).toContain('session=');
    await tryPassword(browser, await openLogin(), user.email);
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie: planted } })).status).toBe(401);
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie: browser.cookieHeader('/v4/apps') } })).status).toBe(200);
  });

  describe('keep me signed in', () => {
    async function signIn(fields: Record<string, string>, query: Record<string, string> = {}) {
      const page = await openLogin(browser, query);
      const { response } = await browser.submit(page, '/login', { email: user.email, password: PASSWORD, ...fields });
      const cookie = response.headers.getSetCookie().find((line) => line.startsWith('session=')) ?? '';
      const row = await app.app
        .get(Database)
        .queryOne<{ seconds: string }>(
          `SELECT extract(epoch FROM expires_at - now()) AS seconds FROM oidc_records WHERE model = 'Session' AND account_id = $1`,
          [user.id],
        );
      const expires = /expires=([^;]+)/i.exec(cookie)?.[1];
      return { cookie, hours: Number(row?.seconds) / 3_600, days: expires && (Date.parse(expires) - Date.now()) / DAY / 1000 };
    }

    it('makes the cookie and the session last 14 days', async () => {
      const { cookie, hours, days } = await signIn({ remember: 'yes' });
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
      expect(days).toBeCloseTo(14, 1);
      expect(hours).toBeCloseTo(14 * 24, 0);
    });

    it('left out, ends the session with the browser and within 12 hours', async () => {
      const { days, hours } = await signIn({});
      expect(days).toBeUndefined();
      expect(hours).toBeGreaterThan(11.9);
      expect(hours).toBeLessThanOrEqual(12);
    });

    it('uses the last choice', async () => {
      await signIn({});
      expect((await signIn({ remember: 'yes' }, { prompt: 'login' })).days).toBeCloseTo(14, 1);
      expect((await signIn({}, { prompt: 'login' })).days).toBeUndefined();
    });

    it('is not lost when the signed-in browser comes again', async () => {
      await signIn({ remember: 'yes' });
      const { response } = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client))}`);
      const cookie = response.headers.getSetCookie().find((line) => line.startsWith('session='));
      if (cookie) expect(cookie).toMatch(/expires=/i);
      expect(browser.cookieNames().some((name) => name.startsWith('session '))).toBe(true);
    });
  });

  it('asks again for a user who was disabled while signed in', async () => {
    await signInTo(app, { user, client, browser });
    await app.app.get(AccountsService).disable(user.email, new Date());
    expect(await openLogin()).toContain('type="password"');
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie: browser.cookieHeader('/v4/apps') } })).status).toBe(401);
    await app.app.get(AccountsService).enable(user.email);
    expect((await call(`${app.url}/v4/apps`, { headers: { cookie: browser.cookieHeader('/v4/apps') } })).status).toBe(200);
  });

  it.each([
    ['a NUL byte in the address', { email: 'a\0@example.org' }],
    ['a NUL byte in the password', { password: 'a\0b' }],
    ['100 kB of address', { email: 'e'.repeat(100_000) }],
    ['100 kB of password', { password: 'p'.repeat(100_000) }],
    ['a list of addresses', { 'email[]': 'a', 'email[1]': 'b' }],
    ['an object as password', { 'password[$ne]': '' }],
    ['a list of CSRF tokens', { 'csrf[]': 'a' }],
  ])('refuses %s clearly', async (_, fields) => {
    const page = await openLogin();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const action = /action="([^"]+\/login)"/.exec(page)?.[1] ?? '';
    const email = Object.keys(fields).some((name) => name.startsWith('email')) ? {} : { email: user.email };
    const body = new URLSearchParams({ csrf, ...email, ...fields } as Record<string, string>);
    const response = await browser.open(action, { method: 'POST', body, headers: { origin: app.url } });
    expect([400, 401, 403, 413]).toContain(response.status);
    expect(await response.text()).not.toMatch(/stack|node_modules|SELECT |byte sequence/);
  });
});
