import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccountLinksService, type LinkPurpose, REQUIRED_PROOFS, type User } from '../../src/modules/accounts/index.js';
import { missingConfirmation } from '../../src/modules/accounts/required-proofs.js';
import { Database } from '../../src/shared/database/index.js';
import { aMetadata } from '../support/accounts/administration.js';
import { aClient, aUser, authorizeUrl, obtainTokens, PASSWORD, postToken, REDIRECT_URI, signIn } from '../support/accounts/scenario.js';
import { enrolApp } from '../support/accounts/second-factors.js';
import { admin, applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { call, tokenOf } from '../support/media/uploads.js';

const app = useTestApp();
const now = () => Math.floor(Date.now() / 1_000);
const [PASSWORD_NOW, FACTOR_NOW] = [
  () => ({ amr: ['pwd'], authTime: now() }),
  () => ({ amr: ['pwd', 'otp', 'mfa'], acr: 'mfa', authTime: now() }),
];
const LONG_AGO = () => ({ ...FACTOR_NOW(), authTime: now() - 301 });

let metadata: string;
/** An administrator without a second factor, and one with an authenticator app. */
let ada: User;
let grace: User;
/** The service user of a client application. */
let service: User;
let workerToken: string;
beforeAll(async () => {
  metadata = await aMetadata();
  ada = await aUser(app, { customer: 'Acme', adminLevel: 9 });
  grace = await aUser(app, { customer: 'Acme', adminLevel: 9 });
  const client = await aClient(app);
  await enrolApp(app, new TestBrowser(app.url), { user: grace, query: { client_id: client.clientId, redirect_uri: REDIRECT_URI } });
  service = await aUser(app, { customer: 'Acme', kind: 'service', adminLevel: 9 });
  const secret = 'a secret for tests, long enough to be accepted';
  const worker = await aClient(app, {
    clientSecret: secret,
    serviceUser: service.email,
    grantTypes: ['client_credentials'],
    redirectUris: [],
  });
  const credentials = { grant_type: 'client_credentials', client_id: worker.clientId, client_secret: secret };
  workerToken = (await postToken(app.url, credentials)).body.access_token;
});

type Request = readonly [method: string, path: string, body?: object];
const send = async (token: string, [method, path, body]: Request) => await call(`${app.url}${path}`, { method, body, token });
const colleague = async (overrides: object = {}) => await aUser(app, { customer: 'Acme', ...overrides });
const made = async (path: string, body: object): Promise<number> => {
  const answer = await send(await tokenOf(app, ada), ['POST', path, body]);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return Number(answer.body.id);
};
const aWebClient = (more: object = {}) => ({ name: 'Desk', type: 'web', redirectUris: ['https://desk.example/cb'], ...more });
const aWorker = async (more: object = {}) => {
  const serviceUserId = (await colleague({ kind: 'service' })).id;
  return { name: 'Worker', type: 'web', redirectUris: [], grantTypes: ['client_credentials'], serviceUserId, ...more };
};
const aProvider = () => ({ ssoIdentifier: `idp-${randomUUID()}`, metadata });

/** Refused by API for everyone, however they signed in. */
const atTheAccountPage = async (request: (self: User) => Request) => {
  const answer = await send(await tokenOf(app, grace, 'api', FACTOR_NOW()), request(grace));
  expect(answer).toMatchObject({ status: 403, body: { code: 'use_account_page' } });
};

/** Each request is made anew for each caller. */
const withAConfirmation = async (request: (self: User) => Promise<Request>) => {
  const refused = async (token: string, self: User, acr_values: string | null) =>
    expect(await send(token, await request(self))).toMatchObject({
      status: 403,
      body: { code: 'confirmation_required', acr_values, max_age: 300 },
    });
  await refused(await tokenOf(app, ada, 'api', { ...PASSWORD_NOW(), authTime: now() - 301 }), ada, null);
  await refused(await tokenOf(app, ada, 'api', {}), ada, null);
  await refused(await tokenOf(app, ada, 'api', { authTime: now() }), ada, null); // an identity provider, of a person with a password
  await refused(await tokenOf(app, grace, 'api', PASSWORD_NOW()), grace, 'mfa');
  await refused(await tokenOf(app, grace, 'api', LONG_AGO()), grace, 'mfa');
  await refused(workerToken, service, null);
  for (const [self, authentication] of [
    [ada, PASSWORD_NOW()],
    [grace, FACTOR_NOW()],
  ] as const) {
    expect((await send(await tokenOf(app, self, 'api', authentication), await request(self))).status).toBeLessThan(300);
  }
};

const withRights = async (request: (self: User) => Promise<Request>) => {
  expect((await send(await tokenOf(app, grace, 'api', {}), await request(grace))).status).toBeLessThan(300);
};

/** A browser in which the person signed in, now or long ago. */
const signedIn = async (user: User, { longAgo = false } = {}): Promise<TestBrowser> => {
  const browser = new TestBrowser(app.url);
  const client = await aClient(app);
  await signIn(browser, authorizeUrl(app.url, { client_id: client.clientId, redirect_uri: REDIRECT_URI }), user);
  if (longAgo) {
    const statement = `UPDATE oidc_records SET payload = jsonb_set(payload, '{loginTs}', to_jsonb(($2)::int)) WHERE model = 'Session' AND account_id = $1`;
    await app.app.get(Database).query(statement, [user.id, now() - 301]);
  }
  return browser;
};

const pageWithAConfirmation = async (path: string) => {
  const person = await colleague({ adminLevel: 9 });
  const page = await (await signedIn(person)).follow(path);
  expect([page.response.status, page.url.pathname]).toEqual([200, path]);
  const asked = await (await signedIn(person, { longAgo: true })).follow(path);
  expect(asked.url.pathname).toMatch(/^\/v4\/interaction\//);
  expect(await asked.response.text()).toContain('type="password"');
};

/** Opens a mailed link in a browser in which no one is signed in. */
const openLink = async (purpose: LinkPurpose, details: object = {}) => {
  const person = await colleague();
  const { url } = await app.app.get(AccountLinksService, { strict: false }).create(person.id, purpose, details);
  const browser = new TestBrowser(app.url);
  const page = await (await browser.follow('/account/link')).response.text();
  const opened = await browser.submit(page, '/account/link', { link: url });
  return { person, browser, status: opened.response.status, html: await opened.response.text() };
};
const linkOf =
  (purpose: LinkPurpose, details: object = {}) =>
  async () => {
    expect((await openLink(purpose, details)).status).toBe(200);
  };

type Doors<Row extends keyof typeof REQUIRED_PROOFS> = { readonly [Name in keyof (typeof REQUIRED_PROOFS)[Row]]: () => Promise<void> };

const aFile = (more: object) => ({ customers: [{ name: 'Acme' }], ...more });
const entry = (overrides: object) => ({ customer: 'Acme', firstname: 'Ada', lastname: 'Lovelace', ...overrides });

/** How each door of each row is tested; the compiler asks for those that are missing. */
const CASES: { readonly [Row in keyof typeof REQUIRED_PROOFS]: Doors<Row> } = {
  ownName: {
    page: async () => await pageWithAConfirmation('/account/name'),
    api: async () => await withRights(async ({ id }) => ['PUT', `/v5/user/${id}`, { firstname: 'Augusta' }]),
  },
  ownEmail: {
    page: async () => await pageWithAConfirmation('/account/email'),
    link: linkOf('email', { email: 'new@example.org' }),
    api: async () => {
      await atTheAccountPage(({ id }) => ['PUT', `/v5/user/${id}`, { email: 'new@evil.example' }]);
      await atTheAccountPage(({ id }) => ['PUT', '/v5/user', { id, email: 'new@evil.example' }]);
      await withRights(async ({ id, email }) => ['PUT', `/v5/user/${id}`, { email: email.toUpperCase(), lastname: 'King' }]);
    },
  },
  ownPassword: {
    page: async () => await pageWithAConfirmation('/account/password'),
    link: linkOf('reset'),
    api: async () => await atTheAccountPage(({ id }) => ['POST', `/v5/user/${id}/invite`]),
    operator: async () => void (await admin(app, ['users', 'set-password', (await colleague()).email], PASSWORD)),
  },
  ownFactors: {
    page: async () => await pageWithAConfirmation('/account/authenticator'),
    link: async () => {
      const { browser, html } = await openLink('factor-reset');
      const wrong = await browser.submit(html, '/account/link/factor-reset', { password: 'wrong' });
      expect([wrong.response.status, await wrong.response.text()]).toEqual([400, expect.stringContaining('role="alert"')]);
    },
    api: async () => await atTheAccountPage(({ id }) => ['POST', `/v5/user/${id}/resetSecondFactor`]),
    operator: async () => void (await admin(app, ['users', 'reset-second-factor', (await colleague()).email])),
  },
  ownFactorRequirement: {
    api: async () => {
      await withAConfirmation(async ({ id }) => {
        await app.app.get(Database).query('UPDATE users SET require_second_factor = true WHERE id = $1', [id]);
        return ['PUT', `/v5/user/${id}`, { requireSecondFactor: false }];
      });
      await withRights(async ({ id }) => ['PUT', `/v5/user/${id}`, { requireSecondFactor: true }]);
    },
    operator: async () =>
      void (await applyDocument(app, aFile({ users: [entry({ email: (await colleague()).email, requireSecondFactor: false })] }))),
  },
  ownLevel: {
    api: async () => {
      await atTheAccountPage(({ id }) => ['PUT', `/v5/user/${id}`, { adminLevel: 10 }]);
      const other = await colleague({ adminLevel: 9 });
      expect((await send(await tokenOf(app, other, 'api', {}), ['PUT', `/v5/user/${other.id}`, { adminLevel: 0 }])).body.adminLevel).toBe(
        0,
      );
    },
    operator: async () => void (await applyDocument(app, aFile({ users: [entry({ email: (await colleague()).email, adminLevel: 9 })] }))),
  },
  otherPerson: {
    api: async () => await withRights(async () => ['PUT', `/v5/user/${(await colleague()).id}`, { email: `${randomUUID()}@example.org` }]),
  },
  supportAccess: {
    page: async () => await pageWithAConfirmation('/account/support'),
    api: async () => await withRights(async () => ['PUT', '/v5/customer', { supportAccessUntil: '2030-01-01' }]),
    operator: async () => void (await applyDocument(app, { customers: [{ name: 'Acme', supportAccessUntil: '2030-01-01T00:00:00Z' }] })),
  },
  accessKey: {
    api: async () => await withAConfirmation(async () => ['POST', '/v5/accessKey', { userId: (await colleague()).id }]),
    operator: async () => void (await applyDocument(app, aFile({ accessKeys: [{ accessKey: randomUUID(), user: ada.email }] }))),
  },
  actingClient: {
    api: async () => {
      await withAConfirmation(async () => ['POST', '/v5/client', await aWorker()]);
      await withAConfirmation(async () => ['PUT', `/v5/client/${await made('/v5/client', await aWorker())}`, { name: 'Robot' }]);
      await withAConfirmation(async () => [
        'PUT',
        `/v5/client/${await made('/v5/client', await aWorker())}`,
        { serviceUserId: null, grantTypes: ['authorization_code'], redirectUris: ['https://desk.example/cb'] },
      ]);
      await withRights(async () => ['POST', '/v5/client', aWebClient()]);
      await withRights(async () => ['PUT', `/v5/client/${await made('/v5/client', aWebClient())}`, { name: 'Robot' }]);
    },
    operator: async () => {
      const client = {
        clientId: `robot-${randomUUID()}`,
        name: 'Robot',
        type: 'web',
        redirectUris: [],
        grantTypes: ['client_credentials'],
      };
      await applyDocument(app, aFile({ clients: [{ ...client, serviceUser: ada.email }] }));
    },
  },
  clientSecret: {
    api: async () => {
      const confidential = async () => await made('/v5/client', aWebClient({ confidential: true }));
      await withAConfirmation(async () => ['POST', `/v5/client/${await confidential()}/rotateSecret`]);
      await withAConfirmation(async () => ['PUT', `/v5/client/${await made('/v5/client', aWebClient())}`, { confidential: true }]);
    },
    operator: async () => {
      const { clientId } = await aClient(app, { clientSecret: 'a secret for tests, long enough to be accepted' });
      await admin(app, ['clients', 'rotate-secret', clientId]);
    },
  },
  identityProvider: {
    api: async () => {
      await withAConfirmation(async () => ['POST', '/v5/identityProvider', aProvider()]);
      await withAConfirmation(async () => [
        'PUT',
        `/v5/identityProvider/${await made('/v5/identityProvider', aProvider())}`,
        { linkByEmail: true },
      ]);
    },
    operator: async () => void (await applyDocument(app, aFile({ identityProviders: [{ ...aProvider(), customer: 'Acme' }] }))),
  },
  linkedIdentity: {
    identityProvider: async () => {
      const person = { passwordHash: ada.passwordHash, hasSecondFactor: false };
      const check = (amr: readonly string[] | undefined) =>
        missingConfirmation(
          REQUIRED_PROOFS.linkedIdentity.identityProvider,
          { authTime: now(), ...(amr && { amr }) },
          { person, now: new Date() },
        );
      expect([check(undefined), check(['pwd'])]).toEqual([{ acr_values: null, max_age: 300 }, null]);
    },
  },
  deletion: {
    page: async () => {
      const browser = await signedIn(await colleague(), { longAgo: true });
      const html = await (await browser.follow('/account')).response.text();
      expect((await browser.submit(html, '/account/deauthorize')).url.search).toBe('?done=revoked');
    },
    api: async () => {
      await withRights(async () => ['DELETE', `/v5/accessKey/${await made('/v5/accessKey', { userId: ada.id })}`]);
      await withRights(async () => ['DELETE', `/v5/client/${await made('/v5/client', await aWorker())}`]);
      await withRights(async () => ['DELETE', `/v5/identityProvider/${await made('/v5/identityProvider', aProvider())}`]);
      await withRights(async () => ['DELETE', `/v5/user/${(await colleague()).id}`]);
    },
    operator: async () => void (await admin(app, ['users', 'disable', (await colleague()).email])),
  },
};

const EVERY_DOOR = Object.entries(CASES).flatMap(([row, doors]) => Object.entries(doors).map(([door, test]) => [row, door, test] as const));

describe('what decides who can act as a person', () => {
  it('is tested at every door of the table', () => {
    const names = (table: object) =>
      Object.entries(table).flatMap(([row, doors]) => Object.keys(doors as object).map((door) => `${row} ${door}`));
    expect(names(CASES)).toEqual(names(REQUIRED_PROOFS));
  });

  it.each(EVERY_DOOR)('needs its proof: %s at %s', async (_row, _door, test) => {
    await test();
  });

  it('is known of a token by the time of the sign-in, which a refresh keeps and a request for a code passes on', async () => {
    const person = await colleague({ adminLevel: 9 });
    const client = await aClient(app);
    const mayMakeKeys = async (token: string) => (await send(token, ['POST', '/v5/accessKey', { userId: person.id }])).status === 201;
    const browser = await signedIn(person, { longAgo: true });
    const query = { scope: 'openid api offline_access' };
    const tokens = await obtainTokens(app, { user: person, client, browser, query });
    const refresh = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token: tokens.refresh_token };
    const refreshed = (await postToken(app.url, refresh)).body;
    const codeFor = async (headers: Record<string, string>) => {
      const body = { client_id: client.clientId, redirect_uri: REDIRECT_URI, state: 'x', scope: 'api' };
      const answer = await call<{ code: string }>(`${app.url}/v4/requestCode`, { body, headers: { ...headers, origin: app.url } });
      const form = {
        grant_type: 'authorization_code',
        client_id: client.clientId,
        code: answer.body.code,
        redirect_uri: REDIRECT_URI,
        state: 'x',
      };
      return (await postToken(app.url, form)).body.access_token;
    };
    const cookie = () => ({ cookie: browser.cookieHeader('/v4/requestCode') });
    const old = [
      tokens.access_token,
      refreshed.access_token,
      await codeFor(cookie()),
      await codeFor({ authorization: `Bearer ${tokens.access_token}` }),
    ];
    expect(await Promise.all(old.map(mayMakeKeys))).toEqual([false, false, false, false]);
    // A confirmation on the account page counts for codes of the session, not for the tokens of before.
    const asked = await browser.follow('/account/confirmation?return_to=/account/name');
    const confirmed = await browser.submit(await asked.response.text(), '/login', { email: person.email, password: PASSWORD });
    expect(confirmed.url.pathname).toBe('/account/name');
    expect(await mayMakeKeys(await codeFor(cookie()))).toBe(true);
    expect(await mayMakeKeys(tokens.access_token)).toBe(false);
    expect(
      await mayMakeKeys(
        (await admin<{ access_token: string }>(app, ['token', '--user', person.email, '--client', client.clientId])).access_token,
      ),
    ).toBe(true);
  });
});

describe('addresses of users', () => {
  it.each(['"u1"@acme.example', 'u1@acme.example.'])('%s is refused at every door', async (email) => {
    const token = await tokenOf(app, ada);
    const answers = [
      await send(token, ['POST', '/v5/user', { email }]),
      await send(token, ['PUT', `/v5/user/${(await colleague()).id}`, { email }]),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([400, 'validation_failed']));
    await expect(applyDocument(app, aFile({ users: [entry({ email })] }))).rejects.toThrow('must be an e-mail address');
    const browser = await signedIn(await colleague());
    const page = await (await browser.follow('/account/email')).response.text();
    expect((await browser.submit(page, '/account/email', { email })).response.status).toBe(400);
  });
});

describe('a disabled user', () => {
  it('has no session, token or authorization of before when enabled again', async () => {
    const person = await colleague();
    const browser = await signedIn(person);
    const client = await aClient(app);
    const { access_token, refresh_token } = await obtainTokens(app, {
      user: person,
      client,
      browser,
      query: { scope: 'api offline_access' },
    });
    const token = await tokenOf(app, ada);
    await send(token, ['POST', `/v5/user/${person.id}/disable`]);
    await send(token, ['POST', `/v5/user/${person.id}/enable`]);
    expect((await call(`${app.url}/v5/mediacontainer`, { token: access_token })).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', client_id: client.clientId, refresh_token };
    expect((await postToken(app.url, refresh)).body.error).toBe('invalid_grant');
    expect((await browser.follow('/account')).url.pathname).toMatch(/^\/v4\/interaction\//);
    const rows = await app.app.get(Database).query('SELECT FROM authorizations WHERE user_id = $1', [person.id]);
    expect(rows.rowCount).toBe(0);
  });
});
