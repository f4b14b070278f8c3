import { describe, expect, it } from '@jest/globals';
import acSignature from 'ac-signature';
import { Database } from '../../src/shared/database/index.js';
import { basic, obtainCode, works } from '../support/accounts/oauth.js';
import { aUser, PASSWORD, postToken } from '../support/accounts/scenario.js';
import { admin, applyDocument, auditTrail } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';
import { call, tokenOf } from '../support/media/uploads.js';

let count = 0;

/** A valid file with unique names. */
function aFile() {
  count += 1;
  const customer = `Acme ${count}`;
  const person = { customer, firstname: 'Ada', lastname: 'Lovelace' };
  return {
    customers: [{ name: customer, supportAccessUntil: '2030-01-01T00:00:00Z' }],
    users: [
      { ...person, email: `ada${count}@example.org`, password: PASSWORD, adminLevel: 9 },
      { ...person, email: `robot${count}@example.org` },
    ],
    clients: [
      {
        clientId: `portal-${count}`,
        name: 'Portal',
        type: 'web',
        redirectUris: ['https://portal.example/callback'],
        firstParty: true,
        requirePkce: false,
      },
      {
        clientId: `robot-${count}`,
        name: 'Robot',
        type: 'web',
        redirectUris: [],
        grantTypes: ['client_credentials'],
        serviceUser: `Robot${count}@example.org`,
      },
    ],
  };
}

describe('admin apply', () => {
  const app = useTestApp();

  const storedRows = async () => {
    const tables = ['customers', 'users', 'clients', 'audit_records'];
    const rows = await Promise.all(
      tables.map(async (table) => (await app.app.get(Database).query(`SELECT * FROM ${table} ORDER BY id`)).rows),
    );
    return rows;
  };

  const statusSignedWith = async (accessKey: string, accessSecret = '') => {
    const ts = Math.floor(Date.now() / 1000);
    const { hash } = acSignature.sign5({ path: '/v4/apps', ts, accessKey, accessSecret });
    const headers = { 'x-service-accesskey': accessKey, 'x-service-rts': String(ts), 'x-service-hash': hash, 'x-service-version': '5' };
    return (await fetch(`${app.url}/v4/apps`, { headers })).status;
  };

  it('creates the records of the file, and changes nothing the second time', async () => {
    const file = aFile();
    const first = await applyDocument(app, file);
    expect(first).toEqual({
      customers: [{ id: expect.any(Number), name: file.customers[0]?.name }],
      users: file.users.map(({ email }) => ({ id: expect.any(Number), email })),
      clients: [
        { id: expect.any(Number), clientId: file.clients[0]?.clientId },
        { id: expect.any(Number), clientId: file.clients[1]?.clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) },
      ],
      accessKeys: [],
      identityProviders: [],
      dropsites: [],
    });
    const rows = await storedRows();
    const clients = first.clients.map(({ id, clientId }) => ({ id, clientId }));
    expect(await applyDocument(app, file)).toEqual({ ...first, clients });
    expect(await storedRows()).toEqual(rows);
  });

  it('replaces the secret of one access key and keeps that of the other', async () => {
    const file = aFile();
    const keyOf = (name: string, accessSecret: string) => ({ accessKey: `${name}-${count}`, accessSecret, user: file.users[0]?.email });
    const [one, two] = [keyOf('one', 'the secret of one'), keyOf('two', 'the secret of two')];
    const { accessKeys } = await applyDocument(app, { ...file, accessKeys: [one, two] });
    const changed = { ...one, accessSecret: 'a new secret of one' };
    expect((await applyDocument(app, { ...file, accessKeys: [changed] })).accessKeys).toEqual([accessKeys[0]]);
    const statuses = [one, changed, two].map(async ({ accessKey, accessSecret }) => await statusSignedWith(accessKey, accessSecret));
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it('creates access keys whose generated secret is printed once and signs requests', async () => {
    const file = aFile();
    const accessKey = `key-${file.customers[0]?.name.replace(' ', '-')}`;
    const document = { ...file, accessKeys: [{ accessKey, user: file.users[0]?.email }] };
    const [made] = (await applyDocument(app, document)).accessKeys;
    expect(made).toEqual({ id: expect.any(Number), accessKey, accessSecret: expect.stringMatching(/^[\w-]{43}$/) });
    const rows = await app.app.get(Database).query('SELECT * FROM access_keys');
    expect((await applyDocument(app, document)).accessKeys).toEqual([{ id: expect.any(Number), accessKey }]);
    expect((await app.app.get(Database).query('SELECT * FROM access_keys')).rows).toEqual(rows.rows);

    expect(await statusSignedWith(accessKey, made?.accessSecret)).toBe(200);
  });

  it('creates users who can sign in and clients that can act for their service user', async () => {
    const file = aFile();
    const { users, clients } = await applyDocument(app, file);
    const [ada, robot] = [file.users[0], clients[1]];
    const client = { clientId: clients[0]?.clientId ?? '' };
    const query = { redirect_uri: 'https://portal.example/callback' };
    expect(await obtainCode(app, { user: ada ?? { email: '' }, client, query })).toEqual(expect.any(String));
    const headers = basic(robot?.clientId ?? '', robot?.clientSecret ?? '');
    const { body } = await postToken(app.url, { grant_type: 'client_credentials' }, headers);
    expect(body.user).toMatchObject({ id: users[1]?.id });
    expect(await works(app, body.access_token)).toBe(true);
  });

  it('prints a generated secret once and a given one never', async () => {
    const file = aFile();
    const [, robot] = file.clients;
    const given = { ...file, clients: [{ ...robot, clientSecret: 'a secret of our own, long enough' }] };
    expect((await applyDocument(app, given)).clients).toEqual([{ id: expect.any(Number), clientId: robot?.clientId }]);
    const { status } = await postToken(
      app.url,
      { grant_type: 'client_credentials' },
      basic(robot?.clientId ?? '', 'a secret of our own, long enough'),
    );
    expect(status).toBe(200);
    expect((await applyDocument(app, file)).clients[1]).not.toHaveProperty('clientSecret');
  });

  it('makes one secret when two apply the same file at a time', async () => {
    const file = aFile();
    const both = await Promise.all([applyDocument(app, file), applyDocument(app, file)]);
    const secrets = both.flatMap(({ clients }) => clients.flatMap(({ clientSecret }) => clientSecret ?? []));
    expect(secrets).toHaveLength(1);
    expect(both[0]?.users).toEqual(both[1]?.users);
  });

  it('changes only differing fields, keeps omitted ones, and records each change in the audit trail', async () => {
    const file = aFile();
    const { customers, users } = await applyDocument(app, file);
    const before = (await auditTrail(app)).length;
    const { email, customer } = file.users[0] ?? { email: '', customer: '' };
    const [portal] = file.clients;
    await applyDocument(app, {
      customers: [{ name: customer, supportAccessUntil: null }],
      users: [{ email: email.toUpperCase(), customer, firstname: 'Ada', lastname: 'King', password: 'another password' }],
      clients: [{ ...portal, firstParty: undefined, requirePkce: true, redirectUris: ['https://portal.example/other'] }],
    });
    expect((await auditTrail(app)).slice(before)).toEqual([
      `customer.set_support_access_until customer:${customers[0]?.id}`,
      `user.set_lastname user:${users[0]?.id}`,
      `user.set_password user:${users[0]?.id}`,
      `client.set_redirect_uris client:${portal?.clientId}`,
      `client.set_require_pkce client:${portal?.clientId}`,
    ]);
    const row = await app.app.get(Database).queryOne<{ admin_level: number }>('SELECT admin_level FROM users WHERE email = $1', [email]);
    expect(row).toEqual({ admin_level: 9 });
  });

  it('reports every problem with its path and writes nothing', async () => {
    const taken = aFile();
    await applyDocument(app, taken);
    const rows = await storedRows();
    const file = aFile();
    const [ada, robotUser] = file.users;
    const [portal, robot] = file.clients;
    const document = {
      customers: [...file.customers, { name: 'Fine and new' }],
      users: [
        { ...ada, customer: 'Nobody', adminlevel: 9 },
        { ...robotUser, email: taken.users[0]?.email },
      ],
      clients: [
        { ...portal, redirectUris: ['https://portal.example/callback', 'https://portal.example/#top'] },
        { ...portal, clientId: 'no-redirect', redirectUris: [] },
        { ...robot, serviceUser: undefined },
        { ...robot, clientId: 'ghostly', serviceUser: 'ghost@example.org' },
      ],
      accesKeys: [],
    };
    const refusal = await applyDocument(app, document).then(String, (error: Error) => error.message);
    expect(refusal.split('\n')).toEqual([
      'stdin has 8 problems; nothing was changed:',
      '  - accesKeys: is not a known section; known are customers, users, clients, accessKeys, identityProviders, dropsites',
      '  - users.0.adminlevel: is not a known field; known are email, customer, firstname, lastname, password, adminLevel, requireSecondFactor',
      '  - users.0.customer: "Nobody" does not exist; declare it under customers',
      expect.stringMatching(
        `  - users.1.customer: is not the customer to whom ${taken.users[0]?.email} belongs; users do not move. ` +
          `It belongs to customer \\d+ \\("${taken.customers[0]?.name}"\\): use another address, or "users remove \\d+ --yes"$`,
      ),
      '  - clients.0.redirectUris.1: must be an absolute URI without fragment',
      '  - clients.1.redirectUris: must name at least one, because of the grant type authorization_code',
      '  - clients.2.serviceUser: is required, because of the grant type client_credentials',
      '  - clients.3.serviceUser: "ghost@example.org" does not exist; declare it under users',
    ]);
    expect(await storedRows()).toEqual(rows);
  });

  it('refuses the client of a customer, names the way out, and takes over neither its secret nor its redirect URIs', async () => {
    const file = aFile();
    const [, robot] = file.clients;
    const tenant = await aUser(app, { adminLevel: 9 });
    const theirs = {
      ...{ clientId: robot?.clientId, name: 'Import', type: 'web', confidential: true, serviceUserId: tenant.id },
      redirectUris: ['https://tenant.example/callback'],
    };
    const token = await tokenOf(app, tenant);
    const { body } = await call<{ clientSecret: string }>(`${app.url}/v5/client`, { method: 'POST', token, body: theirs });
    const rows = await storedRows();
    const reason = `clients.1.clientId: The client application "${robot?.clientId}" belongs to customer ${tenant.customerId} (`;
    await expect(applyDocument(app, file)).rejects.toThrow(reason);
    await expect(applyDocument(app, file)).rejects.toThrow(`Remove it with "clients remove ${robot?.clientId} --yes"`);
    expect(await storedRows()).toEqual(rows);

    await admin(app, ['clients', 'remove', robot?.clientId ?? '', '--yes']);
    const { clients } = await applyDocument(app, file);
    const grant = { grant_type: 'client_credentials' };
    expect((await postToken(app.url, grant, basic(robot?.clientId ?? '', body.clientSecret))).status).toBe(401);
    expect((await postToken(app.url, grant, basic(robot?.clientId ?? '', clients[1]?.clientSecret ?? ''))).status).toBe(200);
  });

  it('finds a customer by the name under which it was declared, never by one that a customer gave itself', async () => {
    const [ours, theirs] = [aFile(), aFile()];
    const { customers, users } = await applyDocument(app, theirs);
    const [id, theirName] = [customers[0]?.id, theirs.customers[0]?.name];
    const token = await tokenOf(app, users[0] ?? { id: 0 });
    const rename = async (name: string | undefined) => await call(`${app.url}/v5/customer`, { method: 'PUT', token, body: { name } });
    const wanted = { customers: [{ name: ours.customers[0]?.name, operator: true }], users: ours.users };
    expect((await rename(wanted.customers[0]?.name)).status).toBe(200);
    const rows = await storedRows();
    const refusal = `customers.0.name: Customer ${id}, declared as "${theirName}", gave itself the name`;
    await expect(applyDocument(app, wanted)).rejects.toThrow(refusal);
    await expect(applyDocument(app, { users: ours.users })).rejects.toThrow('does not exist; declare it under customers');
    expect(await storedRows()).toEqual(rows);
    expect((await applyDocument(app, theirs)).customers).toEqual([{ id, name: wanted.customers[0]?.name }]);

    await admin(app, ['customers', 'rename', String(id), '--to', `${theirName} Ltd`]);
    const made = await applyDocument(app, wanted);
    expect(made.customers[0]?.id).not.toBe(id);
    expect(await rename(wanted.customers[0]?.name)).toMatchObject({ status: 409, body: { code: 'customer_name_taken' } });
    expect((await applyDocument(app, { customers: [{ name: `${theirName} Ltd` }] })).customers).toMatchObject([{ id }]);
  });

  it('refuses to let an access key of another customer act as a user of the file; within a customer it may move', async () => {
    const [ours, theirs] = [aFile(), aFile()];
    const accessKey = `moving-${count}`;
    const keyOf = (email: string | undefined) => ({ accessKeys: [{ accessKey, user: email }] });
    await applyDocument(app, { ...theirs, ...keyOf(theirs.users[0]?.email) });
    const rows = await storedRows();
    const reason = `access keys do not move. It belongs to customer`;
    await expect(applyDocument(app, { ...ours, ...keyOf(ours.users[0]?.email) })).rejects.toThrow(reason);
    expect(await storedRows()).toEqual(rows);
    expect((await applyDocument(app, keyOf(theirs.users[1]?.email))).accessKeys).toMatchObject([{ accessKey }]);
  });

  it.each([
    ['account', 'is reserved for the service itself'],
    ['Demo', 'is reserved for the service itself'],
    ['cms import', 'must consist of ASCII letters, digits and ._~-'],
  ])('refuses the client id %j', async (clientId, problem) => {
    const [portal] = aFile().clients;
    const refusal = `clients.0.clientId: The client_id "${clientId}" ${problem}`;
    await expect(applyDocument(app, { clients: [{ ...portal, clientId }] })).rejects.toThrow(refusal);
  });

  it('takes the grant types and the service user that are stored into account', async () => {
    const file = aFile();
    await applyDocument(app, file);
    const [portal, robot] = file.clients;
    const stored = { ...robot, grantTypes: undefined, serviceUser: undefined };
    await expect(applyDocument(app, { clients: [stored] })).resolves.toMatchObject({ clients: [{ clientId: robot?.clientId }] });
    await expect(applyDocument(app, { clients: [{ ...portal, grantTypes: ['client_credentials'] }] })).rejects.toThrow(
      'clients.0.serviceUser: is required',
    );
  });

  it('gives a client that was public a secret when it may act for itself from now on', async () => {
    const file = aFile();
    await applyDocument(app, file);
    const [portal, robot] = file.clients;
    const grantTypes = ['authorization_code', 'client_credentials'];
    const { clients } = await applyDocument(app, { clients: [{ ...portal, grantTypes, serviceUser: robot?.serviceUser }] });
    expect(clients).toEqual([{ id: expect.any(Number), clientId: portal?.clientId, clientSecret: expect.any(String) }]);
  });

  it('reads YAML as well', async () => {
    const yaml =
      'customers:\n  - name: From YAML # a comment\nusers:\n  - { email: yaml@localhost, customer: From YAML, firstname: "", lastname: "" }\n';
    expect(await admin(app, ['apply', '-'], yaml)).toEqual({
      customers: [{ id: expect.any(Number), name: 'From YAML' }],
      users: [{ id: expect.any(Number), email: 'yaml@localhost' }],
      clients: [],
      accessKeys: [],
      identityProviders: [],
      dropsites: [],
    });
  });

  it.each([
    ['web', 'https://portal.example/callback?tenant=1'],
    ['web', 'http://localhost:8080/callback'],
    ['web', 'http://portal.example/callback'],
    ['mobile', 'com.example.app:/callback'],
    ['mobile', 'exampleapp://callback'],
    ['mobile', 'com.example.app:callback'],
    ['mobile', 'https://app.example/callback'],
    ['desktop', 'http://127.0.0.1:49152/callback'],
    ['desktop', 'http://[::1]:49152/callback'],
    ['desktop', 'http://localhost:49152/callback'],
  ])('accepts for a %s client a redirect URI that then works: %s', async (type, redirectUri) => {
    const file = aFile();
    const [portal] = file.clients;
    await applyDocument(app, { ...file, clients: [{ ...portal, type, redirectUris: [redirectUri] }] });
    const client = { clientId: portal?.clientId ?? '' };
    const user = { email: file.users[0]?.email ?? '' };
    const code = await obtainCode(app, { user, client, query: { redirect_uri: redirectUri }, browser: new TestBrowser(app.url) });
    const form = { grant_type: 'authorization_code', client_id: client.clientId, code, redirect_uri: redirectUri };
    expect(await postToken(app.url, form)).toMatchObject({ status: 200 });
  });

  it('creates clients whose origins may call the API immediately', async () => {
    const file = aFile();
    const origin = `https://new-${count}.example`;
    const preflight = async () =>
      (await call(`${app.url}/v4/apps`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } })).headers;
    expect((await preflight()).get('access-control-allow-origin')).toBeNull();
    await applyDocument(app, { ...file, clients: [{ ...file.clients[0], redirectUris: [`${origin}/callback`] }] });
    expect((await preflight()).get('access-control-allow-origin')).toBe(origin);
  });
});
