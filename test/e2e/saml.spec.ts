import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { Database } from '../../src/shared/database/index.js';
import {
  anIdentityProvider,
  beginLogin,
  declareProviders,
  EMAIL_ADDRESS,
  finishLogin,
  type Person,
  postResponse,
  publishedCertificate,
  type ResponseOptions,
  type TestIdentityProvider,
} from '../support/accounts/identity-provider.js';
import { authorize, exchange, introspect, request } from '../support/accounts/oauth.js';
import { aClient, aUser, PASSWORD, REDIRECT_URI } from '../support/accounts/scenario.js';
import { codeOf, enrolApp, forgetUsedSteps, secretOn } from '../support/accounts/second-factors.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { addressOf, startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { tokenOf } from '../support/media/uploads.js';

let count = 0;

/** A person of the identity provider, with attributes. */
function aPerson(overrides: { email?: string; nameId?: string } = {}): Person {
  count += 1;
  const email = overrides.email ?? `Person${count}@Example.org`;
  return { nameId: overrides.nameId ?? `person-${count}`, attributes: { mail: email, givenName: 'Grace', sn: 'Hopper' } };
}

describe('SAML sign-in', () => {
  let app: TestApp;
  let client: { clientId: string };
  let idp: TestIdentityProvider;

  beforeAll(async () => {
    app = await startTestApp();
    client = await aClient(app);
    await applyDocument(app, { customers: [{ name: 'Acme' }, { name: 'Other' }] });
    idp = await anIdentityProvider('Acme');
    await declareProviders(app, idp.entry);
  });
  afterAll(async () => await app.close());

  const users = async () => (await app.app.get(Database).query<{ count: string }>('SELECT count(*) FROM users')).rows[0]?.count;

  interface Login {
    readonly person: Person;
    readonly at?: TestIdentityProvider;
    readonly browser?: TestBrowser;
    readonly options?: ResponseOptions;
    readonly query?: Record<string, string>;
  }

  async function signIn({ person, at = idp, browser = new TestBrowser(app.url), options = {}, query = {} }: Login) {
    const visit = await beginLogin(app, browser, { idp: at, client, query });
    return await finishLogin(browser, visit.acsUrl, await at.respond(visit, person, options));
  }

  /** Who got the code. */
  async function userOf(url: URL | null): Promise<number> {
    const code = url?.searchParams.get('code');
    if (!code) throw new Error(`No code came back: ${url}`);
    const { body } = await exchange(app, client, code);
    const { body: state } = await introspect(app, { token: body.access_token, client_id: client.clientId });
    return Number(state.sub);
  }

  describe('of a person with an account', () => {
    it('begins at the identity provider without a page of ours, and ends at the client', async () => {
      const user = await aUser(app, { customer: 'Acme', email: 'ada@acme.example' });
      const person = aPerson({ email: 'Ada@Acme.example' });
      const { url } = await signIn({ person });
      expect(url?.href).toMatch(new RegExp(`^${REDIRECT_URI}\\?.*state=xyz`));
      expect(await userOf(url)).toBe(user.id);
      expect(await auditTrail(app)).toContain(`user.link_identity user:${user.id}`);
    });

    it('identifies the person by NameID afterwards, regardless of the e-mail address', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const person = aPerson({ email: user.email });
      expect(await userOf((await signIn({ person })).url)).toBe(user.id);
      const moved = aPerson({ nameId: person.nameId, email: 'married@acme.example' });
      expect(await userOf((await signIn({ person: moved })).url)).toBe(user.id);
    });

    it.each(['"u1"@acme.example', 'u1@acme.example.'])('is not created with a further spelling of an address: %s', async (email) => {
      expect(await signIn({ person: aPerson({ email }) })).toMatchObject({ status: 403, code: 'saml_email_missing' });
    });

    it('has no more rights than the administrator who configured the identity provider', async () => {
      const limited = await anIdentityProvider('Acme');
      await declareProviders(app, limited.entry);
      const [ada, boss] = [await aUser(app, { customer: 'Acme', adminLevel: 9 }), await aUser(app, { customer: 'Acme', adminLevel: 10 })];
      const headers = { authorization: `Bearer ${await tokenOf(app, ada)}`, 'content-type': 'application/json' };
      const found = (await (await fetch(`${app.url}/v5/identityProvider`, { headers })).json()) as { id: number; ssoIdentifier: string }[];
      const path = `/v5/identityProvider/${found.find(({ ssoIdentifier }) => ssoIdentifier === limited.ssoIdentifier)?.id}`;
      const signInAsBoss = async () => await signIn({ person: aPerson({ email: boss.email }), at: limited });
      await fetch(`${app.url}${path}`, { method: 'PUT', headers, body: JSON.stringify({ createUsers: true }) });
      expect(await signInAsBoss()).toMatchObject({ status: 403, code: 'saml_level_exceeded' });
      expect(await auditTrail(app)).not.toContain(`user.link_identity user:${boss.id}`);
      expect(await userOf((await signIn({ person: aPerson({ email: ada.email }), at: limited })).url)).toBe(ada.id);
    });

    it('distinguishes the same NameID in another format', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const person = aPerson({ email: user.email });
      await signIn({ person });
      const other = { ...person, nameIdFormat: EMAIL_ADDRESS, attributes: { mail: 'nobody@acme.example' } };
      expect(await signIn({ person: other })).toMatchObject({ status: 403, code: 'saml_user_unknown' });
    });

    it('takes the NameID for the e-mail address where no attribute is mapped', async () => {
      const plain = await anIdentityProvider('Acme', { attributeMapping: {} });
      await declareProviders(app, plain.entry);
      const user = await aUser(app, { customer: 'Acme' });
      const { url } = await signIn({ person: { nameId: user.email, nameIdFormat: EMAIL_ADDRESS }, at: plain });
      expect(await userOf(url)).toBe(user.id);
    });

    it('keeps a session that is alive, without a visit', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const browser = new TestBrowser(app.url);
      await signIn({ person: aPerson({ email: user.email }), browser });
      const { location } = await authorize(app, request(client, { ssoIdentifier: idp.ssoIdentifier }), browser);
      expect(location?.searchParams.get('code')).toEqual(expect.any(String));
    });

    it('accepts a person with 850 groups, whose names have equals signs', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const groups = Array.from({ length: 850 }, (_, at) => `CN=Group ${at},OU="a=b",DC=acme,DC=example`);
      const person = aPerson({ email: user.email });
      const { url } = await signIn({ person: { ...person, attributes: { ...person.attributes, groups } } });
      expect(await userOf(url)).toBe(user.id);
    });

    it('accepts a person with 1,000 attributes of one value', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const person = aPerson({ email: user.email });
      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`role${at}`, 'yes']));
      const { url } = await signIn({ person: { ...person, attributes: { ...many, ...person.attributes } } });
      expect(await userOf(url)).toBe(user.id);
    });

    it('asks for a new login where the client does', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const browser = new TestBrowser(app.url);
      const person = aPerson({ email: user.email });
      await signIn({ person, browser });
      const visit = await beginLogin(app, browser, { idp, client, query: { prompt: 'login' } });
      expect(visit.forceAuthn).toBe(true);
      const { url } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, person));
      expect(await userOf(url)).toBe(user.id);
    });

    it('leaves consent to the person', async () => {
      const user = await aUser(app, { customer: 'Acme' });
      const thirdParty = await aClient(app, { firstParty: false });
      const browser = new TestBrowser(app.url);
      const visit = await beginLogin(app, browser, { idp, client: thirdParty });
      const { html } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, aPerson({ email: user.email })));
      expect(html).toContain(user.email);
      const { url } = await browser.submit(html, '/consent');
      expect(url.searchParams.get('code')).toEqual(expect.any(String));
    });
  });

  describe('of a person without an account', () => {
    it('is refused with a page that explains what to do, and creates no user', async () => {
      const before = await users();
      const { status, code, html } = await signIn({ person: aPerson() });
      expect([status, code]).toEqual([403, 'saml_user_unknown']);
      expect(html).toContain('createUsers');
      expect(html).not.toMatch(/person-|example\.org/);
      expect(await users()).toBe(before);
    });

    it('makes one where that is allowed, with the name that came along, and only once', async () => {
      const creating = await anIdentityProvider('Acme', { createUsers: true });
      await declareProviders(app, creating.entry);
      const person = aPerson();
      const logins = [1, 2, 3].map(async () => await signIn({ person, at: creating }));
      const ids = await Promise.all((await Promise.all(logins)).map(async ({ url }) => await userOf(url)));
      expect(new Set(ids).size).toBe(1);
      const { rows } = await app.app
        .get(Database)
        .query('SELECT email, kind, firstname, lastname, admin_level FROM users WHERE id = $1', [ids[0]]);
      const email = String(person.attributes?.mail).toLowerCase();
      expect(rows).toEqual([{ email, kind: 'person', firstname: 'Grace', lastname: 'Hopper', admin_level: 0 }]);
      expect(await auditTrail(app)).toContain(`user.create user:${ids[0]}`);
    });

    it('never takes or makes a user with the e-mail address of another customer', async () => {
      const creating = await anIdentityProvider('Acme', { createUsers: true });
      await declareProviders(app, creating.entry);
      const stranger = await aUser(app, { customer: 'Other' });
      expect(await signIn({ person: aPerson({ email: stranger.email }) })).toMatchObject({ status: 403, code: 'saml_user_unknown' });
      const answer = await signIn({ person: aPerson({ email: stranger.email }), at: creating });
      expect(answer).toMatchObject({ status: 403, code: 'saml_user_not_created' });
    });

    it('takes users of the customer whose identity provider it is, and makes them there', async () => {
      const theirs = await anIdentityProvider('Other', { createUsers: true });
      await declareProviders(app, theirs.entry);
      const [acme, other] = [await aUser(app, { customer: 'Acme' }), await aUser(app, { customer: 'Other' })];
      const answer = await signIn({ person: aPerson({ email: acme.email }), at: theirs });
      expect(answer).toMatchObject({ status: 403, code: 'saml_user_not_created' });
      expect(await userOf((await signIn({ person: aPerson({ email: other.email }), at: theirs })).url)).toBe(other.id);
      const made = await userOf((await signIn({ person: aPerson(), at: theirs })).url);
      const { rows } = await app.app.get(Database).query('SELECT customer_id FROM users WHERE id = $1', [made]);
      expect(rows).toEqual([{ customer_id: other.customerId }]);
    });

    it('links no user if this is switched off', async () => {
      const strict = await anIdentityProvider('Acme', { linkByEmail: false });
      await declareProviders(app, strict.entry);
      const user = await aUser(app, { customer: 'Acme' });
      expect(await signIn({ person: aPerson({ email: user.email }), at: strict })).toMatchObject({ code: 'saml_user_unknown' });
    });

    it('needs an e-mail address', async () => {
      const person = { ...aPerson(), attributes: { sn: 'Hopper' } };
      expect(await signIn({ person })).toMatchObject({ status: 403, code: 'saml_email_missing' });
    });
  });

  describe('of a person whose account has secrets of its own', () => {
    let user: Awaited<ReturnType<typeof aUser>>;
    let browser: TestBrowser;
    beforeEach(async () => {
      user = await aUser(app, { customer: 'Acme' });
      browser = new TestBrowser(app.url);
    });
    /** Brings the response of the identity provider, and returns the page that follows. */
    const arrive = async (person: Person, query: Record<string, string> = {}) => {
      const visit = await beginLogin(app, browser, { idp, client, query });
      const posted = await postResponse(visit.acsUrl, await idp.respond(visit, person));
      const { response, url } = await browser.follow(posted.location ?? '');
      return { html: url.origin === browser.origin ? await response.text() : '', url };
    };
    const submit = async (html: string, action: string, fields: Record<string, string> = {}) => {
      const { response, url } = await browser.submit(html, action, fields);
      return { status: response.status, url, html: url.origin === browser.origin ? await response.text() : '' };
    };
    const isLinked = async () => (await auditTrail(app)).includes(`user.link_identity user:${user.id}`);
    const claimsAt = async (url: URL) => decodeJwt(String((await exchange(app, client, url.searchParams.get('code') ?? '')).body.id_token));

    it('asks for the password once, before it links the account', async () => {
      const person = aPerson({ email: user.email });
      const page = await arrive(person, { scope: 'openid api' });
      expect(page.html).toContain('Enter the password of the account once');
      const wrong = await submit(page.html, '/password', { password: 'not the password' });
      expect([wrong.status, wrong.html]).toEqual([401, expect.stringContaining('The e-mail address or the password is not correct.')]);
      const cancelled = await submit(wrong.html, '/cancel');
      expect([cancelled.url.searchParams.get('error'), await isLinked()]).toEqual(['access_denied', false]);
      const again = await arrive(person, { scope: 'openid api' });
      const { url } = await submit(again.html, '/password', { password: PASSWORD });
      expect(await claimsAt(url)).toMatchObject({ sub: String(user.id), amr: ['pwd'] });
      expect(await isLinked()).toBe(true);
      browser = new TestBrowser(app.url);
      expect((await arrive(person)).url.searchParams.has('code')).toBe(true);
    });

    it('is delayed after wrong passwords like the sign-in page', async () => {
      let page = await arrive(aPerson({ email: user.email }));
      let status = 401;
      for (let attempt = 1; attempt <= 7 && status === 401; attempt += 1) {
        const answer = await submit(page.html, '/password', { password: `wrong ${attempt}` });
        [page, status] = [answer, answer.status];
      }
      expect([status, await isLinked()]).toEqual([429, false]);
    });

    it('asks for the second factor of the account, too, also of a person who has no password', async () => {
      const { secret } = await enrolApp(app, new TestBrowser(app.url), { user, query: { client_id: client.clientId } });
      const person = aPerson({ email: user.email });
      const page = await arrive(person, { scope: 'openid api' });
      const factor = await submit(page.html, '/password', { password: PASSWORD });
      expect([factor.html.includes('one-time-code'), await isLinked()]).toEqual([true, false]);
      await app.app.get(Database).query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
      const asked = await arrive(person, { scope: 'openid api' });
      expect(asked.html).toContain('one-time-code');
      const { url } = await submit(asked.html, '/code', { code: codeOf(app, secret) });
      expect(await claimsAt(url)).toMatchObject({ sub: String(user.id), acr: 'mfa', amr: ['otp', 'mfa'] });
      expect(await isLinked()).toBe(true);
    });

    it('is no confirmation: changes of the account ask for its secrets', async () => {
      const { secret } = await enrolApp(app, new TestBrowser(app.url), { user, query: { client_id: client.clientId } });
      const person = aPerson({ email: user.email });
      await app.app.get(Database).query('UPDATE users SET password_hash = NULL, require_second_factor = false WHERE id = $1', [user.id]);
      await submit((await arrive(person)).html, '/code', { code: codeOf(app, secret) });
      await app.app.get(AccountsService).setPassword(user.email, PASSWORD);
      browser = new TestBrowser(app.url);
      expect((await arrive(person)).url.searchParams.has('code')).toBe(true); // signed in, by the identity provider alone
      for (const path of ['authenticator/remove', 'email', 'password', 'passkeys/new', 'recovery-codes', 'name']) {
        const { response, url } = await browser.follow(`/account/${path}`);
        expect([url.pathname.startsWith('/v4/interaction/'), await response.text()]).toEqual([
          true,
          expect.stringContaining('type="password"'),
        ]);
      }
      await app.app.get(Database).query('UPDATE users SET password_hash = NULL WHERE id = $1', [user.id]);
      const { url } = await browser.follow('/account/authenticator/remove');
      const visit = await idp.visit(app, url.href); // without a password: the identity provider, and then the factor
      const posted = await postResponse(visit.acsUrl, await idp.respond(visit, person));
      const page = await (await browser.follow(posted.location ?? '')).response.text();
      await forgetUsedSteps(app);
      const confirmed = await submit(page, '/code', { code: codeOf(app, secret) });
      expect([confirmed.url.pathname, confirmed.html]).toEqual([
        '/account/authenticator/remove',
        expect.stringContaining('Remove the authenticator app'),
      ]);
    });

    it('leads to a second factor where the client asks for one, after the password of the account', async () => {
      const person = aPerson({ email: user.email });
      await submit((await arrive(person)).html, '/password', { password: PASSWORD });
      browser = new TestBrowser(app.url);
      const asked = await arrive(person, { scope: 'openid api', acr_values: 'mfa' });
      expect(asked.html).toContain('Enter the password of your account before you set up a second factor.');
      const enrol = await submit(asked.html, '/password', { password: PASSWORD });
      expect(enrol.html).toContain('<h1>Set up a second factor</h1>');
      const codes = await submit(enrol.html, '/enrol-app', { code: codeOf(app, secretOn(enrol.html)) });
      expect(await claimsAt((await submit(codes.html, '/finish')).url)).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp', 'mfa'] });
    });
  });

  it('refuses users that are disabled or are services', async () => {
    const user = await aUser(app, { customer: 'Acme' });
    const person = aPerson({ email: user.email });
    await signIn({ person });
    await admin(app, ['users', 'disable', user.email]);
    expect(await signIn({ person })).toMatchObject({ status: 403, code: 'saml_user_disabled' });
    const service = await aUser(app, { customer: 'Acme', kind: 'service' });
    expect(await signIn({ person: aPerson({ email: service.email }) })).toMatchObject({ code: 'saml_user_unknown' });
  });

  it('refuses a NameID that is new every time', async () => {
    const person = { ...aPerson(), nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' };
    expect(await signIn({ person })).toMatchObject({ status: 400, code: 'saml_name_id_unusable' });
  });

  it('reports an unknown ssoIdentifier to the client', async () => {
    const { location } = await authorize(app, request(client, { ssoIdentifier: 'nowhere' }));
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({ error: 'invalid_request', state: 'xyz' });
    const answers = [await fetch(`${app.url}/v4/saml/nowhere/metadata`), await fetch(`${app.url}/v4/saml/nowhere/acs`, { method: 'POST' })];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('keeps the password login without ssoIdentifier', async () => {
    const user = await aUser(app, { customer: 'Acme' });
    const browser = new TestBrowser(app.url);
    const { response } = await browser.follow(`${app.url}/v4/authorize?${new URLSearchParams(request(client, { ssoIdentifier: '' }))}`);
    const { url } = await browser.submit(await response.text(), '/login', { email: user.email, password: PASSWORD });
    expect(url.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('publishes metadata: entity id, assertion consumer service, and the certificate of the requests, kept for good', async () => {
    const base = `${app.url}/v4/saml/${idp.ssoIdentifier}`;
    const response = await fetch(`${base}/metadata`);
    const xml = await response.text();
    expect(response.headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');
    for (const part of [
      `entityID="${base}/metadata"`,
      `Location="${base}/acs"`,
      'AuthnRequestsSigned="true"',
      'WantAssertionsSigned="true"',
    ]) {
      expect(xml).toContain(part);
    }
    const certificate = await publishedCertificate(app, idp.ssoIdentifier);
    expect(new Date(new X509Certificate(certificate).validTo).getFullYear()).toBeGreaterThan(new Date().getFullYear() + 15);
    const second = await startTestApp({ database: app.database });
    expect(await publishedCertificate(second, idp.ssoIdentifier)).toBe(certificate);
    await second.close();
  });

  it('works while the identity provider changes its certificate', async () => {
    const user = await aUser(app, { customer: 'Acme' });
    const person = aPerson({ email: user.email });
    const next = await makeCertificate('next.example', new Date());
    const signedByNext = { key: next.privateKey, cert: next.certificate };
    const renewing = await anIdentityProvider('Acme');
    await declareProviders(app, renewing.entry);
    expect(await signIn({ person, at: renewing, options: signedByNext })).toMatchObject({ code: 'saml_signature_invalid' });
    await declareProviders(app, { ...renewing.entry, certificates: [renewing.certificate, next.certificate] });
    for (const options of [{}, signedByNext]) {
      expect(await userOf((await signIn({ person, at: renewing, options })).url)).toBe(user.id);
    }
    await declareProviders(app, { ...renewing.entry, certificates: [next.certificate] });
    expect(await signIn({ person, at: renewing })).toMatchObject({ code: 'saml_signature_invalid' });
  });

  it('takes a signed assertion in an unsigned response where that is configured', async () => {
    const user = await aUser(app, { customer: 'Acme' });
    const lenient = await anIdentityProvider('Acme', { signedResponse: false });
    await declareProviders(app, lenient.entry);
    const person = aPerson({ email: user.email });
    const options = { signResponse: false };
    expect(await userOf((await signIn({ person, at: lenient, options })).url)).toBe(user.id);
    expect(await signIn({ person, options })).toMatchObject({ status: 400, code: 'saml_signature_missing' });
    expect(await signIn({ person, at: lenient, options: { ...options, signAssertion: false } })).toMatchObject({
      code: 'saml_signature_missing',
    });
  });

  it('accepts the response at another process and after a restart', async () => {
    const user = await aUser(app, { customer: 'Acme', password: undefined });
    const person = aPerson({ email: user.email });
    const first = await startTestApp({ database: app.database, publicUrl: app.url });
    const browser = new TestBrowser(addressOf(first.app));
    const start = await browser.follow(`/v4/authorize?${new URLSearchParams(request(client, { ssoIdentifier: idp.ssoIdentifier }))}`);
    await first.close();

    const visit = await idp.visit(app, start.url.href);
    const second = await startTestApp({ database: app.database, publicUrl: app.url });
    const posted = await postResponse(visit.acsUrl.replace(app.url, addressOf(second.app)), await idp.respond(visit, person));
    await second.close();
    expect(posted.location).toMatch(/^\/v4\/interaction\/[^/]+\/sso\?handle=[\w-]{43}$/);

    let target = new URL(posted.location ?? '', app.url);
    while (target.origin === app.url) target = new URL((await browser.open(target.href)).headers.get('location') ?? '', target);
    expect(await userOf(target)).toBe(user.id);
  });

  it('hands a login to the browser that began it only, once', async () => {
    const user = await aUser(app, { customer: 'Acme', password: undefined });
    const [mine, theirs] = [new TestBrowser(app.url), new TestBrowser(app.url)];
    const visit = await beginLogin(app, mine, { idp, client });
    const { location } = await postResponse(visit.acsUrl, await idp.respond(visit, aPerson({ email: user.email })));
    expect((await theirs.follow(location ?? '')).response.status).toBe(400);
    const other = await beginLogin(app, theirs, { idp, client });
    expect(other.id).not.toBe(visit.id);
    const { url } = await mine.follow(location ?? '');
    expect(await userOf(url)).toBe(user.id);
    expect((await mine.follow(location ?? '')).response.status).toBe(400);
  });

  it('accepts a response once, of twenty at the same moment', async () => {
    const user = await aUser(app, { customer: 'Acme', password: undefined });
    const second = await startTestApp({ database: app.database, publicUrl: app.url });
    const browser = new TestBrowser(app.url);
    const visit = await beginLogin(app, browser, { idp, client });
    const xml = await idp.respond(visit, aPerson({ email: user.email }));
    const urls = [visit.acsUrl, visit.acsUrl.replace(app.url, addressOf(second.app))];
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, index) => await postResponse(urls[index % 2] ?? '', xml)));
    await second.close();
    const accepted = answers.filter(({ status }) => status === 303);
    expect(accepted).toHaveLength(1);
    // Whether a loser meets the used request or the used assertion first is a matter of milliseconds.
    for (const { code } of answers.filter(({ status }) => status !== 303))
      expect(['saml_response_replayed', 'saml_request_unknown']).toContain(code);
    const { url } = await browser.follow(accepted[0]?.location ?? '');
    expect(await userOf(url)).toBe(user.id);
  });
});

describe('SAML sign-in under https', () => {
  it('recognises the browser by a cookie that only https can set', async () => {
    const origin = 'https://media.example';
    const app = await startTestApp({ publicUrl: origin });
    try {
      const [address, client] = [addressOf(app.app), await aClient(app)];
      await applyDocument(app, { customers: [{ name: 'Acme' }] });
      const idp = await anIdentityProvider('Acme');
      await declareProviders(app, idp.entry);
      const browser = new TestBrowser(origin, {}, address);
      const query = new URLSearchParams(request(client, { ssoIdentifier: idp.ssoIdentifier }));
      const { url: sent } = await browser.follow(`${origin}/v4/authorize?${query}`);
      expect(browser.cookieNames()).toContainEqual(expect.stringMatching(/^__Secure-saml_login /));
      const visit = await idp.visit({ ...app, url: address }, sent.href);
      const { email } = await aUser(app, { customer: 'Acme', password: undefined });
      const xml = await idp.respond(visit, aPerson({ email }));
      const { location } = await postResponse(visit.acsUrl.replace(origin, address), xml);
      const stranger = await new TestBrowser(origin, {}, address).follow(location ?? '');
      expect(stranger.response.status).toBe(400);
      const { url } = await browser.follow(location ?? '');
      expect(url.href).toMatch(new RegExp(`^${REDIRECT_URI}\\?.*code=`));
      expect(browser.cookieNames()).toContainEqual(expect.stringMatching(/^__Host-session /));
    } finally {
      await app.close();
    }
  });
});
