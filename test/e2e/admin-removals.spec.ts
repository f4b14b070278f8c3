import { describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { AccessKeysService, type User } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { ObjectStorage } from '../../src/shared/storage/index.js';
import { works } from '../support/accounts/oauth.js';
import { aClient, aUser, obtainTokens } from '../support/accounts/scenario.js';
import { admin, auditTrail } from '../support/app/admin.js';
import { useTestAppWithStorage } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { uploadMedia } from '../support/media/media.js';
import { call, tokenOf } from '../support/media/uploads.js';
import { subscriptionsOf } from '../support/subscriptions/subscriptions.js';

interface Printed {
  readonly dryRun: boolean;
  readonly refused?: string;
  readonly removes: Readonly<Record<string, number>>;
  readonly kept: readonly { readonly what: string; readonly why: string; readonly count?: number }[];
  readonly affectedUsers?: number;
}

const { app } = useTestAppWithStorage();

const run = async (...argv: string[]) => await admin<Printed>(app, argv);
const count = async (table: string, condition = 'true') =>
  (await app.app.get(Database).queryOne<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`))?.n;
const SECRET = 'a secret of an access key, long enough';
let customers = 0;
const aCustomer = () => {
  customers += 1;
  return `Removable ${customers}`;
};

describe('admin users list', () => {
  it('prints users without secrets, those of a customer or of a kind', async () => {
    const customer = aCustomer();
    const [ada, service] = [await aUser(app, { customer }), await aUser(app, { customer, kind: 'service' })];
    const lines = await admin<Record<string, unknown>[]>(app, ['users', 'list', '--customer', customer]);
    expect(lines.map(({ id }) => id)).toEqual([ada.id, service.id]);
    expect(Object.keys(lines[0] ?? {})).toEqual([
      'id',
      'email',
      'kind',
      'firstname',
      'lastname',
      'customerId',
      'adminLevel',
      'disabledAt',
      'createdAt',
    ]);
    const services = await admin<Record<string, unknown>[]>(app, ['users', 'list', '--kind', 'service']);
    expect(services.map(({ id }) => id)).toContain(service.id);
    expect(services.map(({ kind }) => kind)).toEqual(services.map(() => 'service'));
    await expect(admin(app, ['users', 'list', '--kind', 'robot'])).rejects.toThrow('--kind must be one of person, service, sender.');
    await expect(admin(app, ['users', 'list', '--customer', 'None'])).rejects.toThrow('There is no customer "None".');
  });

  it('prints more users than one page has', async () => {
    const { customerId } = await aUser(app);
    const many = `INSERT INTO users (customer_id, email) SELECT $1, 'many-' || n || '@example.org' FROM generate_series(1, 1200) AS n`;
    await app.app.get(Database).query(many, [customerId]);
    const lines = await admin<{ id: number }[]>(app, ['users', 'list', '--customer', String(customerId)]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1_201);
    await app.app.get(Database).query(`DELETE FROM users WHERE email LIKE 'many-%'`);
  });
});

describe('admin users end-sessions', () => {
  it('ends sessions, tokens and authorizations with --yes only', async () => {
    const user = await aUser(app);
    const browser = new TestBrowser(app.url);
    const { access_token } = await obtainTokens(app, { user, client: await aClient(app), browser });
    const shown = await admin<{ sessions: object[]; authorizations: object[] }>(app, ['users', 'show', user.email.toUpperCase()]);
    expect([shown.sessions.length, shown.authorizations.length]).toEqual([1, 1]);
    expect(JSON.stringify(shown)).not.toMatch(/argon2|passwordHash/);
    const dry = await run('users', 'end-sessions', user.email);
    expect(dry).toMatchObject({ dryRun: true, removes: { sessions: 1, 'authorizations.user_id': 1 } });
    expect(await works(app, access_token)).toBe(true);
    await run('users', 'end-sessions', user.email, '--yes');
    expect(await works(app, access_token)).toBe(false);
    expect((await browser.follow(`${app.url}/account`)).url.pathname).toMatch(/interaction/);
    expect(await auditTrail(app)).toContain(`user.end_sessions user:${user.id}`);
    expect((await run('users', 'end-sessions', user.email)).removes).toEqual({});
  });
});

describe('admin users remove', () => {
  it('deletes a user who owns nothing', async () => {
    const user = await aUser(app);
    const { access_token } = await obtainTokens(app, { user, client: await aClient(app) });
    expect(await run('users', 'remove', user.email)).toMatchObject({ dryRun: true, removes: { users: 1, 'authorizations.user_id': 1 } });
    expect(await works(app, access_token)).toBe(true);
    expect(await run('users', 'remove', user.email, '--yes')).toMatchObject({ dryRun: false });
    expect(await works(app, access_token)).toBe(false);
    expect([await count('users', `id = ${user.id}`), await count('oidc_records', `account_id = ${user.id}`)]).toEqual([0, 0]);
    expect((await auditTrail(app)).at(-1)).toBe(`user.remove user:${user.id}`);
  });

  it('needs a successor for what the customer keeps, in whose place nothing gains rights', async () => {
    const customer = aCustomer();
    const [user, heir, chief] = [
      await aUser(app, { customer, adminLevel: 3 }),
      await aUser(app, { customer, adminLevel: 3 }),
      await aUser(app, { customer, adminLevel: 9 }),
    ];
    const token = await tokenOf(app, user);
    const media = await uploadMedia(app, token);
    const subscription = await subscriptionsOf(app, token).made({
      instructions: [{ type: 'api', method: 'GET', path: 'v5/format', payload: {} }],
    });
    await aClient(app, { grantTypes: ['client_credentials'], clientSecret: 's'.repeat(32), serviceUser: user.email });

    const dry = await run('users', 'remove', user.email);
    expect(dry.refused).toContain('media_containers.creator_id: 1');
    expect(dry.kept.map(({ what }) => what)).toEqual(expect.arrayContaining(['subscriptions.last_editor_id', 'clients.service_user_id']));
    await expect(run('users', 'remove', user.email, '--yes')).rejects.toThrow('--transfer-to EMAIL');
    const stranger = await aUser(app);
    for (const [to, problem] of [
      [stranger, 'is not another enabled user of the same customer'],
      [user, 'is not another enabled user of the same customer'],
      [chief, 'has more rights (adminLevel 9)'],
    ] as const) {
      expect((await run('users', 'remove', user.email, '--transfer-to', to.email)).refused).toContain(problem);
      await expect(run('users', 'remove', user.email, '--transfer-to', to.email, '--yes')).rejects.toThrow(problem);
    }
    await run('users', 'remove', user.email, '--transfer-to', heir.email, '--yes', '--reason', 'left');
    expect((await auditTrail(app)).slice(-3)).toEqual([
      `user.hand_over user:${user.id}`,
      `user.take_over user:${heir.id}`,
      `user.remove user:${user.id}`,
    ]);
    const heirToken = await tokenOf(app, heir);
    const { body } = await call<{ creatorId: number }[]>(`${app.url}/v5/mediacontainer?id=${media.id}`, { token: heirToken });
    expect(body[0]?.creatorId).toBe(heir.id);
    expect((await subscriptionsOf(app, heirToken).get(subscription.id)).body).toMatchObject({ creatorId: heir.id, lastEditorId: heir.id });
  });

  it.each(['remove', 'erase'])('refuses to %s the last administrator of a customer', async (verb) => {
    const customer = aCustomer();
    const [chief, other] = [await aUser(app, { customer, adminLevel: 9 }), await aUser(app, { customer, adminLevel: 9 })];
    await aUser(app, { customer });
    await admin(app, ['users', 'disable', other.email]);
    expect((await run('users', verb, chief.email)).refused).toContain(`User ${chief.id} is the last administrator`);
    await expect(run('users', verb, chief.email, '--yes')).rejects.toThrow('is the last administrator');
    await admin(app, ['users', 'enable', other.email]);
    expect((await run('users', verb, chief.email, '--yes')).refused).toBeUndefined();
  });
});

describe('admin access-keys', () => {
  it('list prints no secrets, all keys or those of a customer', async () => {
    const customer = aCustomer();
    const [user, stranger] = [await aUser(app, { customer }), await aUser(app)];
    const keys = app.app.get(AccessKeysService);
    for (const { id: userId } of [user, stranger]) await keys.declare({ accessKey: `list-${userId}`, accessSecret: SECRET, userId });
    const lines = await admin<Record<string, unknown>[]>(app, ['access-keys', 'list', '--customer', customer]);
    const { id: userId, email, customerId } = user;
    expect(lines).toEqual([
      { id: expect.any(Number), accessKey: `list-${userId}`, userId, user: email, customerId, createdAt: expect.any(String) },
    ]);
    const all = await admin<Record<string, unknown>[]>(app, ['access-keys', 'list']);
    expect(all.map(({ accessKey }) => accessKey)).toEqual(expect.arrayContaining([`list-${userId}`, `list-${stranger.id}`]));
  });

  it('remove ends the signatures of a key, with --yes only', async () => {
    const { id: userId } = await aUser(app);
    const accessKey = `leaked-${userId}`;
    await app.app.get(AccessKeysService).declare({ accessKey, accessSecret: SECRET, userId });
    const signed = async () => {
      const [path, ts] = ['/v5/customer', Math.floor(Date.now() / 1_000)];
      const { hash } = acSignature.sign5({ path, payload: {}, ts, accessKey, accessSecret: SECRET });
      const headers = { 'x-service-accesskey': accessKey, 'x-service-rts': String(ts), 'x-service-hash': hash, 'x-service-version': '5' };
      return await call(`${app.url}${path}`, { headers });
    };
    expect(await run('access-keys', 'remove', accessKey)).toMatchObject({
      dryRun: true,
      accessKey: { userId },
      removes: { access_keys: 1 },
    });
    expect((await signed()).status).toBe(200);
    await run('access-keys', 'remove', accessKey, '--yes', '--reason', 'leaked');
    expect(await signed()).toMatchObject({ status: 401, body: { code: 'signature_mismatch' } });
    expect((await auditTrail(app)).at(-1)).toBe(`access_key.remove access_key:${accessKey}`);
    await expect(run('access-keys', 'remove', accessKey)).rejects.toThrow(`There is no access key "${accessKey}".`);
  });
});

describe('admin clients', () => {
  it('list prints no secrets, and how many users have authorized a client', async () => {
    const client = await aClient(app, { clientSecret: 's'.repeat(32) });
    const lines = await admin<Record<string, unknown>[]>(app, ['clients', 'list']);
    const line = lines.find(({ clientId }) => clientId === client.clientId);
    expect(line).toMatchObject({ name: client.name, confidential: true, firstParty: true, users: 0 });
    expect(JSON.stringify(lines)).not.toContain(client.secretHash);
  });

  it('remove ends the authorizations of a client', async () => {
    const client = await aClient(app);
    const users: User[] = [await aUser(app), await aUser(app)];
    const tokens = [];
    for (const user of users) tokens.push((await obtainTokens(app, { user, client })).access_token);
    expect(await run('clients', 'remove', client.clientId)).toMatchObject({
      dryRun: true,
      affectedUsers: 2,
      removes: { 'authorizations.client_id': 2 },
    });
    expect(await works(app, tokens[0] ?? '')).toBe(true);
    expect(await run('clients', 'remove', client.clientId, '--yes')).toMatchObject({ dryRun: false, affectedUsers: 2 });
    expect(await Promise.all(tokens.map(async (token) => await works(app, token)))).toEqual([false, false]);
    await expect(run('clients', 'remove', client.clientId)).rejects.toThrow(`There is no client application "${client.clientId}".`);
    expect((await auditTrail(app)).at(-1)).toBe(`client.remove client:${client.clientId}`);
  });
});

describe('admin customers', () => {
  it('remove deletes everything of a customer, with its files only when asked to', async () => {
    const name = aCustomer();
    const user = await aUser(app, { customer: name, adminLevel: 9 });
    const stranger = await aUser(app);
    const token = await tokenOf(app, user);
    const media = await uploadMedia(app, token);
    await uploadMedia(app, await tokenOf(app, stranger));
    const configuration = { name: 'Player', type: 'image', templateId: 1, formats: [] };
    const player = await call<{ id: number }>(`${app.url}/v5/playerconfiguration`, { token, body: configuration });
    const link = { playerConfigurationId: player.body.id };
    expect((await call(`${app.url}/v5/embedlink/${media.id}`, { token, body: link })).status).toBe(201);
    await subscriptionsOf(app, token).made();
    await call(`${app.url}/v5/dropsite`, { token, body: { name: 'Photos' } });
    await obtainTokens(app, { user, client: await aClient(app) });
    const list = await admin<Record<string, unknown>[]>(app, ['customers', 'list']);
    expect(list.find((one) => one.name === name)).toMatchObject({ id: user.customerId, operator: false, users: 1, storage: { items: 1 } });

    const dry = await run('customers', 'remove', name);
    expect(dry.refused).toContain('--with-media');
    expect(dry.removes).toMatchObject({ customers: 1, users: 1, media_containers: 1, embed_links: 1, subscriptions: 1, dropsites: 1 });
    await expect(run('customers', 'remove', name, '--yes')).rejects.toThrow('has 1 media containers; --with-media removes them');
    expect(await works(app, token)).toBe(true);
    const actingClient = await aClient(app, { grantTypes: ['client_credentials'], clientSecret: 's'.repeat(32), serviceUser: user.email });
    expect((await run('customers', 'remove', name, '--with-media')).refused).toContain(actingClient.clientId);
    await run('clients', 'remove', actingClient.clientId, '--yes');

    await run('customers', 'remove', String(user.customerId), '--with-media', '--yes', '--reason', 'contract ended');
    expect(await works(app, token)).toBe(false);
    expect(await app.app.get(ObjectStorage).find(media.s3Key)).toBeNull();
    const tables = [
      'users',
      'media_containers',
      'media_items',
      'subscriptions',
      'dropsites',
      'embed_links',
      'upload_batches',
      'events',
      'activities',
    ];
    expect(await Promise.all(tables.map(async (table) => await count(table, `customer_id = ${user.customerId}`)))).toEqual(
      tables.map(() => 0),
    );
    expect(await count('customers', `id = ${user.customerId}`)).toBe(0);
    expect(await count('media_containers', `customer_id = ${stranger.customerId}`)).toBe(1);
    expect((await auditTrail(app)).slice(-2)).toEqual([
      `customer.close customer:${user.customerId}`,
      `customer.remove customer:${user.customerId}`,
    ]);
  });

  it('remove refuses the operator, and unknown customers', async () => {
    await admin(app, ['apply', '-'], JSON.stringify({ customers: [{ name: 'The operator', operator: true }] }));
    expect((await run('customers', 'remove', 'The operator')).refused).toContain('is the operator of the service');
    await expect(run('customers', 'remove', 'The operator', '--yes')).rejects.toThrow('is the operator of the service');
    await expect(run('customers', 'remove', 'Unknown')).rejects.toThrow('There is no customer "Unknown".');
  });
});
