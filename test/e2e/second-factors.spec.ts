import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AccountsService, CustomersService, SecondFactorsService, type User } from '../../src/modules/accounts/index.js';
import type { Client } from '../../src/modules/oauth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { call, exchange, introspect } from '../support/accounts/oauth.js';
import { aClient, aUser, authorizeUrl, obtainTokens, PASSWORD, signIn } from '../support/accounts/scenario.js';
import { codeOf, codesOn, enrolApp, enterPassword, forgetUsedSteps, secretOn } from '../support/accounts/second-factors.js';
import { optionsOn, type Signing, SoftwarePasskey } from '../support/accounts/software-passkey.js';
import { applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

const app = useTestApp();
let client: Client;
let user: User;
let browser: TestBrowser;
let query: Record<string, string>;

beforeAll(async () => {
  client = await aClient(app);
  query = { client_id: client.clientId, scope: 'openid api' };
});
beforeEach(async () => {
  await sql('DELETE FROM login_failures');
  user = await aUser(app);
  browser = new TestBrowser(app.url);
});

const sql = async (text: string, values: unknown[] = []) =>
  (await app.app.get(Database).query(text, values)).rows as Record<string, unknown>[];

const submitCode = async (own: TestBrowser, html: string, code: string) => {
  const { response, url } = await own.submit(html, '/code', { code });
  return { status: response.status, url, html: url.origin === own.origin ? await response.text() : '', headers: response.headers };
};

/** Browsers that wait for the second factor; one after the other, because attempts that run at the same time are delayed. */
const openMany = async (count: number) => {
  const pages: { own: TestBrowser; html: string }[] = [];
  while (pages.length < count) {
    const own = new TestBrowser(app.url);
    pages.push({ own, html: (await enterPassword(app, own, { user, query })).html });
  }
  return pages;
};

const tokensAt = async (url: URL) => (await exchange(app, client, url.searchParams.get('code') ?? '')).body;

describe('a person without a second factor', () => {
  it('signs in as before; the ID token and the introspection name the password', async () => {
    const tokens = await obtainTokens(app, { user, client, query: { scope: 'openid api' } });
    expect(decodeJwt(String(tokens.id_token)).amr).toEqual(['pwd']);
    expect(decodeJwt(String(tokens.id_token))).not.toHaveProperty('acr');
    const { body } = await introspect(app, { token: tokens.access_token, client_id: client.clientId });
    expect(body['ac:session'].amr).toEqual(['pwd']);
    expect(body['ac:session']).not.toHaveProperty('acr');
  });

  it.each([
    ['the customer', async (customer: string) => await applyDocument(app, { customers: [{ name: customer, requireSecondFactor: true }] })],
    [
      'an administrator',
      async (customer: string) =>
        await applyDocument(app, { users: [{ email: user.email, customer, firstname: 'Ada', lastname: 'L', requireSecondFactor: true }] }),
    ],
  ])('enrols at the next sign-in if %s requires it', async (_who, requireIt) => {
    await requireIt(await app.app.get(CustomersService).nameOf(user.customerId));
    const page = await enterPassword(app, browser, { user, query });
    expect(page.html).toContain('<h1>Set up a second factor</h1>');
    expect(page.html).toContain('otpauth://totp/');
    expect(secretOn(page.html)).toHaveLength(20); // 160 bits, as RFC 4226 section 4 recommends
    const wrong = await browser.submit(page.html, '/enrol-app', { code: '000000' });
    expect(wrong.response.status).toBe(401);
    const again = await wrong.response.text();
    expect(again).toContain('The code is not correct');
    expect(secretOn(again)).toEqual(secretOn(page.html));

    const codesPage = await browser.submit(again, '/enrol-app', { code: codeOf(app, secretOn(again)) });
    const shown = await codesPage.response.text();
    expect(codesOn(shown)).toHaveLength(10);
    const { url } = await browser.submit(shown, '/finish');
    const tokens = await tokensAt(url);
    expect(decodeJwt(String(tokens.id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
    expect(await app.app.get(SecondFactorsService).has(user.id)).toBe(true);
  });

  it('sees another secret in each sign-in, so that a stranger who began one does not know it', async () => {
    await sql('UPDATE users SET require_second_factor = true WHERE id = $1', [user.id]);
    const stranger = new TestBrowser(app.url);
    const strangers = await enterPassword(app, stranger, { user, query });
    const own = await enterPassword(app, browser, { user, query });
    expect(secretOn(strangers.html)).not.toEqual(secretOn(own.html));
    await browser.submit(own.html, '/enrol-app', { code: codeOf(app, secretOn(own.html)) });
    const late = await stranger.submit(strangers.html, '/enrol-app', { code: codeOf(app, secretOn(strangers.html)) });
    expect(late.response.status).toBe(401);
    expect(await late.response.text()).toContain('Start again');
  });
});

describe('a person with an authenticator app', () => {
  let secret: Buffer;
  let codes: string[];
  beforeEach(async () => ({ secret, codes } = await enrolApp(app, new TestBrowser(app.url), { user, query })));

  it('cannot enter by the password alone', async () => {
    const page = await enterPassword(app, browser, { user, query });
    expect(page.html).toContain('<h1>Confirm that it is you</h1>');
    expect(browser.cookieNames().some((name) => name.includes('known_browser'))).toBe(false);
    const account = await browser.follow('/account');
    expect(await account.response.text()).toContain('type="password"');
    for (const path of ['/finish', '/enrol-app', '/consent']) {
      const { uid } = /interaction\/(?<uid>[^/]+)/.exec(page.url.pathname)?.groups ?? {};
      const forged = page.html.replace(`/v4/interaction/${uid}/code`, `/v4/interaction/${uid}${path}`);
      const { response } = await browser.submit(forged, path, { code: '123456' });
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
    const resumed = await browser.open(page.url.pathname.replace('interaction', 'authorize'));
    expect(resumed.headers.get('location')).not.toContain('code=');
  });

  it('signs in with a code of this step or the one before, once', async () => {
    for (const steps of [-1, 0]) {
      const own = new TestBrowser(app.url);
      const page = await enterPassword(app, own, { user, query });
      const typed = codeOf(app, secret, steps).replace(/(...)/, ' $1 ');
      const { url } = await submitCode(own, page.html, typed);
      expect(decodeJwt(String((await tokensAt(url)).id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
      const replay = await enterPassword(app, browser, { user, query });
      expect((await submitCode(browser, replay.html, typed)).status).toBe(401);
    }
    const page = await enterPassword(app, browser, { user, query });
    const early = await submitCode(browser, page.html, codeOf(app, secret, 1));
    expect([early.status, early.html.includes('The code is not correct')]).toEqual([401, true]);
  });

  it('does not use the code of the enrolment again', async () => {
    const other = await aUser(app);
    await sql('UPDATE users SET require_second_factor = true WHERE id = $1', [other.id]);
    const page = await enterPassword(app, browser, { user: other, query });
    const code = codeOf(app, secretOn(page.html));
    await browser.submit(page.html, '/enrol-app', { code });
    const own = new TestBrowser(app.url);
    const next = await enterPassword(app, own, { user: other, query });
    expect((await submitCode(own, next.html, code)).status).toBe(401);
  });

  it('lets one of twenty parallel uses of a code in', async () => {
    const code = codeOf(app, secret);
    const pages = await openMany(20);
    const results = await Promise.all(pages.map(async ({ own, html }) => (await submitCode(own, html, code)).url));
    expect(results.filter((url) => url.searchParams.has('code'))).toHaveLength(1);
  });

  it('signs in with a recovery code in any case and with blanks; one of twenty parallel uses succeeds', async () => {
    const [code = ''] = codes;
    const typed = code.toLowerCase().replace(/(....)/g, '$1 ');
    const pages = await openMany(20);
    const results = await Promise.all(pages.map(async ({ own, html }) => (await submitCode(own, html, typed)).url));
    expect(results.filter((url) => url.searchParams.has('code'))).toHaveLength(1);
    const { recoveryCodes } = await app.app.get(SecondFactorsService).describe(user.id);
    expect(recoveryCodes?.usedAt.map((at) => at !== null)).toEqual([true, ...Array.from({ length: 9 }, () => false)]);
  });

  it('is delayed after wrong codes, but not in a browser in which the person signed in, and recovery codes still work', async () => {
    const page = await enterPassword(app, browser, { user, query });
    const known = new TestBrowser(app.url);
    const first = await enterPassword(app, known, { user, query });
    expect((await submitCode(known, first.html, codeOf(app, secret))).url.searchParams.has('code')).toBe(true);
    await forgetUsedSteps(app);
    const statuses = [];
    for (let tries = 0; tries < 7; tries += 1) statuses.push((await submitCode(browser, page.html, '000000')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
    const refused = await submitCode(browser, page.html, codeOf(app, secret));
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    await sql('UPDATE second_factors SET failures = 100');
    await sql(`UPDATE login_failures SET wait_until = 'epoch'`);
    const limited = await submitCode(browser, page.html, codeOf(app, secret));
    expect([limited.status, limited.html.includes('The code is not correct')]).toEqual([401, true]);
    expect((await submitCode(browser, page.html, codes[1] ?? '')).url.searchParams.has('code')).toBe(true); // starts the count again

    await sql('UPDATE second_factors SET failures = 100');
    const again = await enterPassword(app, known, { user, query: { ...query, prompt: 'login' } });
    expect((await submitCode(known, again.html, codeOf(app, secret))).url.searchParams.has('code')).toBe(true);
    expect(await sql('SELECT failures FROM second_factors WHERE user_id = $1 AND kind = $2', [user.id, 'totp'])).toEqual([{ failures: 0 }]);
  });

  it('ends a sign-in in progress when the password changes, and after half an hour', async () => {
    const page = await enterPassword(app, browser, { user, query });
    await app.app.get(AccountsService).setPassword(user.email, 'another good and long password');
    expect((await submitCode(browser, page.html, codeOf(app, secret))).status).toBe(401);
    await app.app.get(AccountsService).setPassword(user.email, PASSWORD);
    const later = await enterPassword(app, browser, { user, query });
    await sql(`UPDATE oidc_records SET payload = jsonb_set(payload, '{result,signIn,startedAt}', '0') WHERE model = 'Interaction'`);
    expect((await submitCode(browser, later.html, codeOf(app, secret))).status).toBe(401);
  });

  it('forgets enrolments that were not finished, and only those', async () => {
    const other = await aUser(app, { requireSecondFactor: true });
    await enterPassword(app, browser, { user: other, query });
    await sql(`UPDATE second_factors SET created_at = now() - interval '2 hours'`);
    await app.app.get(HousekeepingService).run();
    expect(await sql('SELECT kind FROM second_factors WHERE user_id = $1', [other.id])).toEqual([]);
    expect(await app.app.get(SecondFactorsService).has(user.id)).toBe(true);
  });

  it('keeps no secret in clear in the database', async () => {
    const rows = JSON.stringify([await sql('SELECT * FROM second_factors'), await sql('SELECT * FROM recovery_codes')]);
    expect(rows).not.toContain(secret.toString('base64'));
    for (const code of codes) expect(rows).not.toContain(code);
    const [factor] = await sql(`SELECT sealed_secret FROM second_factors WHERE user_id = $1 AND kind = 'totp'`, [user.id]);
    expect(Buffer.from(String(factor?.sealed_secret), 'base64').includes(secret)).toBe(false);
  });

  it('keeps the rows of removed factors with their dates, and enrols anew after a reset', async () => {
    await app.app.get(SecondFactorsService).reset(user, { ip: null, userAgent: null });
    await sql('UPDATE users SET require_second_factor = false WHERE id = $1', [user.id]);
    const { html } = await enterPassword(app, browser, { user, query });
    expect(html).toContain('<h1>Set up a second factor</h1>');
    const history = await app.app.get(SecondFactorsService).history(user.id);
    expect(history.map(({ kind, wasReset, removedAt }) => [kind, wasReset, removedAt !== null])).toEqual([
      ['recovery_codes', true, true],
      ['totp', true, true],
    ]);
    expect(
      await sql('SELECT count(sealed_secret)::int AS secrets FROM second_factors WHERE user_id = $1 AND removed_at IS NOT NULL', [user.id]),
    ).toEqual([{ secrets: 0 }]);
  });
});

describe('a person with a passkey', () => {
  let passkey: SoftwarePasskey;
  let origin: string;
  beforeEach(async () => {
    ({ origin } = new URL(app.url));
    passkey = new SoftwarePasskey();
    await sql('UPDATE users SET require_second_factor = true WHERE id = $1', [user.id]);
    const own = new TestBrowser(app.url);
    const page = await enterPassword(app, own, { user, query });
    const response = passkey.create(optionsOn(page.html), { origin });
    const shown = await (await own.submit(page.html, '/enrol-passkey', { response, name: 'My phone' })).response.text();
    expect(codesOn(shown)).toHaveLength(10);
    const { url } = await own.submit(shown, '/finish');
    expect(decodeJwt(String((await tokensAt(url)).id_token)).amr).toEqual(['pwd', 'hwk', 'user', 'mfa']);
  });

  const openLogin = async (own: TestBrowser) => await (await own.follow(authorizeUrl(app.url, query))).response.text();
  const submitPasskey = async (own: TestBrowser, html: string, response: string) => await own.submit(html, '/passkey', { response });

  it('signs in with it alone', async () => {
    const html = await openLogin(browser);
    const { url } = await submitPasskey(browser, html, passkey.sign(optionsOn(html), { origin }));
    expect(decodeJwt(String((await tokensAt(url)).id_token))).toMatchObject({
      sub: String(user.id),
      acr: 'mfa',
      amr: ['hwk', 'user', 'mfa'],
    });
  });

  it('signs in with it as second factor, also if it does not verify the person', async () => {
    const { html } = await enterPassword(app, browser, { user, query });
    const { url } = await submitPasskey(browser, html, passkey.sign(optionsOn(html), { origin, verifiesPerson: false, userHandle: null }));
    expect(decodeJwt(String((await tokensAt(url)).id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'hwk', 'user', 'mfa'] });
  });

  it.each<[string, Partial<Signing>]>([
    ['that does not verify the person', { verifiesPerson: false }],
    ['for a page of another origin', { origin: 'https://phishing.example' }],
    ['with a counter that has not increased', { counter: 0 }],
    ['for another account', { userHandle: 'OTk5OTk5' }],
    ['without the account', { userHandle: null }],
  ])('does not sign in with an answer %s', async (_what, signing) => {
    const first = await openLogin(browser);
    await submitPasskey(browser, first, passkey.sign(optionsOn(first), { origin, counter: 7 }));
    const own = new TestBrowser(app.url);
    const html = await openLogin(own);
    const { response } = await submitPasskey(own, html, passkey.sign(optionsOn(html), { origin, ...signing }));
    expect([response.status, (await response.text()).includes('The passkey was not accepted')]).toEqual([401, true]);
  });

  it('does not sign in with another person’s passkey as second factor, with broken answers, or after the removal', async () => {
    const { html } = await enterPassword(app, browser, { user, query });
    const options = optionsOn(html);
    for (const response of ['', '{', '[]', 'null', '{"id":1}', new SoftwarePasskey().sign(options, { origin })]) {
      expect((await submitPasskey(browser, html, response)).response.status).toBe(401);
    }
    const { passkeys } = await app.app.get(SecondFactorsService).describe(user.id);
    await sql('UPDATE users SET require_second_factor = false WHERE id = $1', [user.id]);
    await app.app.get(SecondFactorsService).remove(user, passkeys[0]?.id ?? 0, { ip: null, userAgent: null });
    const login = await openLogin(browser);
    expect((await submitPasskey(browser, login, passkey.sign(optionsOn(login), { origin }))).response.status).toBe(401);
  });

  it('lets one of twenty parallel answers to one challenge in', async () => {
    const html = await openLogin(browser);
    const options = optionsOn(html);
    const answers = Array.from({ length: 20 }, () => passkey.sign(options, { origin }));
    const results = await Promise.all(answers.map(async (response) => await submitPasskey(browser, html, response)));
    expect(results.filter(({ url }) => url.searchParams.has('code'))).toHaveLength(1);
    expect(await sql('SELECT challenge FROM passkey_challenges WHERE challenge = $1', [options.challenge])).toEqual([]);
  });

  it('is named with its way to the browser, and a passkey that devices share is not called hardware', async () => {
    const { html } = await enterPassword(app, browser, { user, query });
    expect(optionsOn(html)).toMatchObject({
      allowCredentials: [{ id: passkey.id, transports: ['internal'] }],
      userVerification: 'preferred',
    });
    await sql('UPDATE second_factors SET synced = true WHERE user_id = $1', [user.id]);
    const { url } = await submitPasskey(browser, html, passkey.sign(optionsOn(html), { origin }));
    expect(decodeJwt(String((await tokensAt(url)).id_token)).amr).toEqual(['pwd', 'swk', 'user', 'mfa']);
    expect(
      (await app.app.get(SecondFactorsService).history(user.id)).map(({ kind, name, lastUsedAt }) => [kind, name, lastUsedAt !== null]),
    ).toEqual([
      ['recovery_codes', '', false],
      ['passkey', 'My phone', true],
    ]);
  });

  it('does not accept a challenge of another sign-in', async () => {
    const other = optionsOn(await openLogin(new TestBrowser(app.url)));
    const html = await openLogin(browser);
    expect((await submitPasskey(browser, html, passkey.sign(other, { origin }))).response.status).toBe(401);
  });
});

describe('an application that asks for a second factor', () => {
  it('asks a session of before the second factor again with acr_values=mfa, and only then', async () => {
    await signIn(browser, authorizeUrl(app.url, query), user);
    const { secret } = await enrolApp(app, new TestBrowser(app.url), { user, query });
    const silent = await browser.follow(authorizeUrl(app.url, query));
    expect(decodeJwt(String((await tokensAt(silent.url)).id_token)).amr).toEqual(['pwd']);
    const unknown = await browser.follow(authorizeUrl(app.url, { ...query, acr_values: 'urn:unknown' }));
    expect(unknown.url.searchParams.has('code')).toBe(true);

    const asking = { ...query, acr_values: 'urn:unknown mfa' };
    const none = await browser.follow(authorizeUrl(app.url, { ...asking, prompt: 'none' }));
    expect(none.url.searchParams.get('error')).toBe('login_required');
    const page = await enterPassword(app, browser, { user, query: asking });
    const { url } = await submitCode(browser, page.html, codeOf(app, secret));
    const tokens = await tokensAt(url);
    expect(decodeJwt(String(tokens.id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
    const { body } = await introspect(app, { token: tokens.access_token, client_id: client.clientId });
    expect(body['ac:session']).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
    const satisfied = await browser.follow(authorizeUrl(app.url, asking));
    expect(satisfied.url.searchParams.has('code')).toBe(true);
    const aged = await browser.follow(authorizeUrl(app.url, { ...query, max_age: '0' }));
    expect(await aged.response.text()).toContain('type="password"');
  });

  it('leads a person without one to its setup, and then on; Cancel answers the client', async () => {
    const asking = { ...query, acr_values: 'mfa' };
    const refused = await enterPassword(app, new TestBrowser(app.url), { user, query: asking });
    expect(refused.html).toContain('The application asks for a sign-in with a second factor.');
    await signIn(browser, authorizeUrl(app.url, query), user); // a session with the password only is asked, too
    const page = await enterPassword(app, browser, { user, query: asking });
    const cancelled = await browser.submit(page.html, '/cancel');
    expect(cancelled.url.searchParams.get('error')).toBe('access_denied');
    expect(await app.app.get(SecondFactorsService).has(user.id)).toBe(false);
    const again = await enterPassword(app, browser, { user, query: asking });
    const codes = await browser.submit(again.html, '/enrol-app', { code: codeOf(app, secretOn(again.html)) });
    const { url } = await browser.submit(await codes.response.text(), '/finish');
    expect(decodeJwt(String((await tokensAt(url)).id_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
    const next = await enterPassword(app, new TestBrowser(app.url), { user, query });
    expect(next.html).toContain('one-time-code'); // from now on at each sign-in
  });

  it('finds the value in the metadata', async () => {
    expect((await call(`${app.url}/.well-known/openid-configuration`)).body.acr_values_supported).toEqual(['mfa']);
  });

  it('passes on how the person signed in with Request Code', async () => {
    const { url } = await enrolApp(app, browser, { user, query });
    const { access_token: token } = await tokensAt(url);
    const { body } = await call(`${app.url}/v4/requestCode`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      json: { client_id: client.clientId, state: 'xyz', scope: 'openid api' },
    });
    const tokens = (await exchange(app, client, body.code)).body;
    expect(decodeJwt(String(tokens.access_token))).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
  });
});
