import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { BlockedPasswordsService } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { authorize, basic, bearer, call, request, tryPassword, works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens, PASSWORD, postToken } from '../support/accounts/scenario.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { startTestApp, type TestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { eventually } from '../support/eventually.js';

interface Token {
  readonly access_token: string;
  readonly expires_in: number;
}

describe('the administration of a running service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ console: 'off' });
  });
  afterAll(async () => await app.close());

  const aToken = async (email: string, ...options: string[]) => await admin<Token>(app, ['token', '--user', email, ...options]);

  const lastRecord = async () =>
    await app.app.get(Database).queryOne('SELECT action, actor, subject, reason FROM audit_records ORDER BY id DESC LIMIT 1');

  describe('admin token', () => {
    it('needs a client that needs no consent, or one by name', async () => {
      const user = await aUser(app);
      const { clientId } = await aClient(app, { firstParty: false });
      await expect(aToken(user.email)).rejects.toThrow('name one with --client ID, or declare one (admin apply, firstParty: true)');
      expect(await works(app, (await aToken(user.email, '--client', clientId)).access_token)).toBe(true);
    });

    it('prints a token that the user sees among their applications and can revoke', async () => {
      const user = await aUser(app);
      const { clientId } = await aClient(app);
      const token = await aToken(user.email.toUpperCase(), '--client', clientId, '--scope', 'openid api');
      expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 900, scope: 'openid api' });
      const headers = bearer(token.access_token);
      const { body } = await call(`${app.url}/v4/apps`, { headers });
      expect(body).toMatchObject([{ client_id: clientId, scope: 'openid api', device: null }]);
      await call(`${app.url}/v4/deauthorize`, { method: 'POST', headers, json: { id: body[0].id } });
      expect(await works(app, token.access_token)).toBe(false);
      expect(await lastRecord()).toMatchObject({ action: 'token.issue', subject: `user:${user.id}` });
    });

    it('goes through the demo client, else through the first-party client that was registered first', async () => {
      const user = await aUser(app);
      const clientOf = async () =>
        (await call(`${app.url}/v4/apps`, { headers: bearer((await aToken(user.email)).access_token) })).body.at(-1).client_id;
      const row = await app.app
        .get(Database)
        .queryOne<{ client_id: string }>('SELECT client_id FROM clients WHERE first_party ORDER BY id LIMIT 1');
      expect(await clientOf()).toBe(row?.client_id);
      await aClient(app, { clientId: 'demo', firstParty: false });
      expect(await clientOf()).toBe('demo');
    });

    it('is refused in production', async () => {
      const production = { ...app, config: { ...app.config, nodeEnv: 'production' as const } };
      await expect(admin(production, ['token', '--user', 'ada@example.org'])).rejects.toThrow('admin token is for development');
    });

    it.each([
      [['token'], 'Name the user'],
      [['token', '--user', 'nobody@example.org'], 'There is no user nobody@example.org.'],
      [['token', '--user', 'nobody@example.org', '--scope', 'api everything'], '--scope must name scopes'],
      [['token', '--user', 'nobody@example.org', '--scope', ''], '--scope must name scopes'],
    ])('is refused for %j', async (argv, problem) => {
      await expect(admin(app, argv)).rejects.toThrow(problem);
    });

    it('is refused for an unknown client and for a disabled user', async () => {
      const user = await aUser(app);
      await expect(aToken(user.email, '--client', 'unknown')).rejects.toThrow('There is no client application "unknown".');
      await admin(app, ['users', 'disable', user.email]);
      await expect(aToken(user.email)).rejects.toThrow(`${user.email} is disabled`);
    });
  });

  it('refuses the tokens of a disabled user at once and for good, also when the user is enabled', async () => {
    const user = await aUser(app);
    const { access_token } = await obtainTokens(app, { user, client: await aClient(app) });
    expect(await works(app, access_token)).toBe(true);
    const disabled = await admin(app, ['users', 'disable', user.email, '--reason', 'left the company']);
    expect(disabled).toEqual({ id: user.id, email: user.email, disabledAt: expect.stringMatching(/^\d{4}-/) });
    expect(await works(app, access_token)).toBe(false);
    expect(await lastRecord()).toEqual({
      action: 'user.disable',
      actor: expect.stringMatching(/^admin:./),
      subject: `user:${user.id}`,
      reason: 'left the company',
    });
    expect(await admin(app, ['users', 'enable', user.email])).toEqual({ id: user.id, email: user.email, disabledAt: null });
    expect(await works(app, access_token)).toBe(false);
  });

  it('records only the first of two requests to disable a user', async () => {
    const user = await aUser(app);
    const first = await admin(app, ['users', 'disable', user.email]);
    expect(await admin(app, ['users', 'disable', user.email])).toEqual(first);
    expect((await auditTrail(app)).filter((line) => line === `user.disable user:${user.id}`)).toHaveLength(1);
  });

  describe('admin passwords blocklist', () => {
    it('adds passwords that are refused in any case of letters, and can replace all of them', async () => {
      const lines = `Correct Zebra Stapler\r\n\n${'x'.repeat(100_000)}\nanother one`;
      expect(await admin(app, ['passwords', 'blocklist', '-'], lines)).toEqual({ lines: 2, added: 2 });
      expect(await admin(app, ['passwords', 'blocklist', '-'], 'CORRECT ZEBRA STAPLER\nnew')).toEqual({ lines: 2, added: 1 });
      expect(await lastRecord()).toMatchObject({ action: 'password_blocklist.import' });
      const blocked = app.app.get(BlockedPasswordsService);
      expect(await Promise.all(['correct zebra stapler', 'ANOTHER one', 'another'].map((one) => blocked.includes(one)))).toEqual([
        true,
        true,
        false,
      ]);
      expect(await admin(app, ['passwords', 'blocklist', '-', '--replace'], 'only')).toEqual({ lines: 1, added: 1 });
      expect(await blocked.includes('new')).toBe(false);
    });
  });

  describe('admin users set-password', () => {
    const signIn = async (email: string, password: string) => {
      const browser = new TestBrowser(app.url);
      const first = await authorize(app, request(await aClient(app)), browser);
      const page = await browser.open(first.location?.href ?? '');
      return (await tryPassword(browser, await page.text(), email, password)).status;
    };

    it('invalidates only the old password', async () => {
      const user = await aUser(app);
      const { access_token } = await obtainTokens(app, { user, client: await aClient(app) });
      expect(await admin(app, ['users', 'set-password', user.email], 'a new password\n')).toEqual({ id: user.id, email: user.email });
      expect(await signIn(user.email, PASSWORD)).toBe(401);
      expect(await signIn(user.email, 'a new password')).not.toBe(401);
      expect(await works(app, access_token)).toBe(true);
      expect(await lastRecord()).toMatchObject({ action: 'user.set_password', subject: `user:${user.id}` });
    });

    it('makes one and prints it, without reading standard input', async () => {
      const user = await aUser(app);
      const argv = ['users', 'set-password', user.email, '--generate'];
      const { password } = await admin<{ password: string }>(app, argv, 'not this one\n');
      expect(password).toMatch(/^[\w-]{24}$/);
      expect(await signIn(user.email, password)).not.toBe(401);
    });
  });

  it('rotates the secret of a confidential client: the new one works, the old one does not', async () => {
    const service = await aUser(app);
    const { clientId } = await aClient(app, {
      clientSecret: 'the first secret',
      grantTypes: ['client_credentials'],
      serviceUser: service.email,
    });
    const statusOf = async (secret: string) =>
      (await postToken(app.url, { grant_type: 'client_credentials' }, basic(clientId, secret))).status;
    expect(await statusOf('the first secret')).toBe(200);
    const printed = await admin<{ clientSecret: string }>(app, ['clients', 'rotate-secret', clientId]);
    expect(printed).toEqual({ clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await statusOf(printed.clientSecret)).toBe(200);
    expect(await statusOf('the first secret')).toBe(401);
    expect(await lastRecord()).toMatchObject({ action: 'client.rotate_secret', subject: `client:${clientId}` });
  });

  it('has no secret to rotate for a public client', async () => {
    const { clientId } = await aClient(app);
    await expect(admin(app, ['clients', 'rotate-secret', clientId])).rejects.toThrow('is a public client and has no secret');
    await expect(admin(app, ['clients', 'rotate-secret', 'unknown'])).rejects.toThrow('There is no client application "unknown".');
  });

  it('rotates the keys: an old token stays valid, a new one has the new key, and both keys are published', async () => {
    const user = await aUser(app);
    const client = await aClient(app);
    const { access_token: old } = await obtainTokens(app, { user, client });
    const { signing } = await admin<{ signing: string }>(app, ['keys', 'rotate']);
    const published = async () => (await call(`${app.url}/v4/jwks`)).body.keys.map(({ kid }: { kid: string }) => kid);
    await eventually(async () => (await published()).includes(signing));
    expect(await published()).toEqual([signing, decodeProtectedHeader(old).kid]);
    const { access_token: fresh } = await obtainTokens(app, { user, client });
    expect(decodeProtectedHeader(fresh).kid).toBe(signing);
    expect([await works(app, old), await works(app, fresh)]).toEqual([true, true]);
    expect(await lastRecord()).toMatchObject({ action: 'keys.rotate', subject: `signing-key:${signing}` });
  });

  it('leaves keys alone that come from the environment', async () => {
    const configured = await startTestApp({ cookieKeys: ['a key of the environment'] });
    try {
      await expect(admin(configured, ['keys', 'rotate'])).rejects.toThrow('SIGNING_KEYS or COOKIE_KEYS');
      expect(await auditTrail(configured)).toEqual([]);
    } finally {
      await configured.close();
    }
  });

  it('lists the audit trail, the oldest record first', async () => {
    const before = await admin<object[]>(app, ['audit']);
    const { customers } = await applyDocument(app, { customers: [{ name: 'Audited' }] }, '--reason', 'a new contract');
    const after = await admin<object[]>(app, ['audit']);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        action: 'customer.create',
        actor: expect.stringMatching(/^admin:./),
        subject: `customer:${customers[0]?.id}`,
        reason: 'a new contract',
      },
    ]);
  });
});
