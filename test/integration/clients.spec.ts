import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { ConsoleClientService } from '../../src/modules/console/index.js';
import { CLIENTS_CHANGED } from '../../src/modules/oauth/clients/clients.service.js';
import { Client, type ClientDeclaration, ClientsService } from '../../src/modules/oauth/index.js';
import { Database, Notifications } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

const declaration = (overrides: Partial<ClientDeclaration> = {}): ClientDeclaration => ({
  clientId: 'newsroom',
  name: 'Newsroom',
  type: 'web',
  redirectUris: ['https://newsroom.example.org/callback'],
  ...overrides,
});

describe('the registered clients', () => {
  let database: TestDatabase;
  let processes: TestContext[];
  beforeEach(async () => {
    database = await createTestDatabase();
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map(async (process) => await process.close()));
    await database.drop();
  });

  async function start() {
    const process = await startTestContext({ database, console: 'off' });
    processes.push(process);
    return { clients: process.get(ClientsService), db: process.get(Database), notifications: process.get(Notifications), process };
  }

  it('contain the console once, however many processes start at the same time', async () => {
    processes.push(...(await Promise.all([1, 2, 3].map(async () => await startTestContext({ database })))));
    await Promise.all(processes.map(async (process) => await process.get(ConsoleClientService).declare()));
    const { db } = await start();
    expect(await db.repository(Client).findBy({ clientId: 'console' })).toMatchObject([
      { firstParty: true, secretHash: null, requirePkce: true },
    ]);
  });

  it('are created as declared, and omitted fields stay unchanged', async () => {
    const { clients, process } = await start();
    await process.get(AccountsService).declareCustomer({ name: 'Acme' });
    const { id } = await process.get(AccountsService).declareUser({ email: 'bot@example.org', customer: 'Acme', kind: 'service' });
    expect(await clients.declare(declaration())).toMatchObject({
      grantTypes: ['authorization_code', 'refresh_token'],
      secretHash: null,
      firstParty: false,
      requirePkce: true,
      serviceUserId: null,
    });
    const full = {
      grantTypes: ['client_credentials'],
      clientSecret: 's3cret',
      firstParty: true,
      requirePkce: true,
      serviceUser: 'bot@example.org',
    };
    const made = await clients.declare(declaration(full));
    expect(made).toMatchObject({ grantTypes: ['client_credentials'], firstParty: true, requirePkce: true, serviceUserId: id });
    expect(made.secretHash).not.toContain('s3cret');
    const { updatedAt: _, version, ...kept } = made;
    expect(await clients.declare(declaration({ name: 'News' }))).toMatchObject({
      ...{ ...kept, name: 'News' },
      version: version + 1,
    });
  });

  it('require PKCE if they are public and newly declared, unless they set it; existing ones stay unchanged', async () => {
    const { clients } = await start();
    const requires = async (overrides: Partial<ClientDeclaration> = {}) => (await clients.declare(declaration(overrides))).requirePkce;
    expect(await requires()).toBe(true);
    expect(await requires({ clientId: 'with-secret', clientSecret: 'x'.repeat(32) })).toBe(false);
    expect(await requires({ clientId: 'with-secret', confidential: false })).toBe(true);
    expect(await requires({ clientId: 'legacy', requirePkce: false })).toBe(false);
    expect(await requires({ clientId: 'legacy', name: 'Another name' })).toBe(false);
    expect(await clients.findWithoutPkce()).toEqual(['legacy']);
  });

  it('do not contain the console before a service has declared it: commands and workers declare nothing', async () => {
    processes.push(await startTestContext({ database }));
    const { clients } = await start();
    expect(await clients.list()).toEqual([]);
  });

  /** What a level 9 administrator could register before the id was reserved, and what a version before made of it. */
  const ofCustomer = {
    type: 'web' as const,
    redirectUris: ['https://evil.example/cb'],
    grantTypes: ['authorization_code'],
    firstParty: true,
  };

  it.each(['console', 'newsroom-import'])('of a customer are never declared by the operator: %s', async (clientId) => {
    processes.push(await startTestContext({ database }));
    const { clients, db, process } = await start();
    const { id: customerId } = await process.get(AccountsService).declareCustomer({ name: 'Acme' });
    const theirs = await db.repository(Client).save({ ...ofCustomer, clientId, name: 'Theirs', customerId });
    const declare = async () =>
      clientId === 'console' ? await processes[0]?.get(ConsoleClientService).declare() : await clients.declare(declaration({ clientId }));
    await expect(declare()).rejects.toMatchObject({
      code: 'client_id_taken',
      message: expect.stringMatching(new RegExp(`belongs to customer ${customerId} \\("Acme"\\).*"clients remove ${clientId} --yes"`)),
    });
    expect(await db.repository(Client).findOneByOrFail({ clientId })).toMatchObject({ ...ofCustomer, customerId, version: theirs.version });
    await clients.remove(clientId);
    await declare();
    expect(await db.repository(Client).findOneByOrFail({ clientId })).toMatchObject({ customerId: null });
  });

  it('of rules before those of today go on to work, and are named to the operator', async () => {
    const { clients, db, process } = await start();
    const accounts = process.get(AccountsService);
    const { id: customerId } = await accounts.declareCustomer({ name: 'Acme' });
    await accounts.declareCustomer({ name: 'Other' });
    const { id: serviceUserId } = await accounts.declareUser({ email: 'bot@example.org', customer: 'Other', kind: 'service' });
    const before = { ...ofCustomer, name: 'Before', firstParty: false };
    await db.repository(Client).save([
      { ...before, clientId: 'my client', customerId: null },
      { ...before, clientId: 'Console', customerId },
      { ...before, clientId: 'import', customerId, serviceUserId },
      { ...before, clientId: 'regular', customerId },
    ]);
    expect(await clients.findIrregular()).toEqual({
      withOtherCharacters: ['my client'],
      withReservedIds: ['Console'],
      actingForOtherCustomers: ['import'],
    });
    expect(await clients.declare(declaration({ clientId: 'my client', name: 'Renamed' }))).toMatchObject({ name: 'Renamed' });
  });

  it.each<[string, Partial<ClientDeclaration>]>([
    ['client_id_reserved', { clientId: 'account' }],
    ['client_id_reserved', { clientId: 'Console' }],
    ['client_id_reserved', { clientId: `dropsite-${randomUUID()}` }],
    ['client_id_malformed', { clientId: 'cms import' }],
    ['client_id_malformed', { clientId: '.' }],
    ['client_id_malformed', { clientId: 'c\u043ensole' }],
    ['service_user_unknown', { serviceUser: 'nobody@example.org' }],
  ])('are not made in a way that cannot work: %s', async (code, overrides) => {
    const { clients, db } = await start();
    await expect(clients.declare(declaration(overrides))).rejects.toMatchObject({ code });
    expect(await db.repository(Client).count()).toBe(0);
  });

  it('are valid immediately in the declaring process, and soon in the others, despite caches', async () => {
    const [one, two] = [await start(), await start()];
    expect([await one.clients.find('newsroom'), await two.clients.find('newsroom')]).toEqual([null, null]);
    await one.clients.declare(declaration());
    expect(await one.clients.find('newsroom')).toMatchObject({ name: 'Newsroom' });
    await eventually(async () => (await two.clients.find('newsroom'))?.name === 'Newsroom');
    await two.clients.declare(declaration({ name: 'News' }));
    expect(await two.clients.find('newsroom')).toMatchObject({ name: 'News' });
    await eventually(async () => (await one.clients.find('newsroom'))?.name === 'News');
  });

  it('are read from memory while notifications come, and from the database while they do not', async () => {
    const { clients, db, notifications } = await start();
    await clients.declare(declaration());
    let told = false;
    notifications.listen(CLIENTS_CHANGED, (payload) => {
      told ||= payload === 'after the word of the declaration';
    });
    await notifications.notify(CLIENTS_CHANGED, 'after the word of the declaration');
    await eventually(() => told);
    await clients.find('newsroom');
    const rename = async (name: string) => await db.query('UPDATE clients SET name = $1', [name]); // without a notification
    await rename('in the database only');
    expect(await clients.find('newsroom')).toMatchObject({ name: 'Newsroom' });

    const admin = async (sql: string) => {
      const client = new pg.Client({ connectionString: globalThis.process.env.TEST_POSTGRES_URL });
      await client.connect();
      await client.query(sql).finally(async () => await client.end());
    };
    const name = new URL(database.url).pathname.slice(1);
    await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'notifications'`);
    await eventually(() => !notifications.connected);
    expect(await clients.find('newsroom')).toMatchObject({ name: 'in the database only' });
    await rename('changed again');
    expect(await clients.find('newsroom')).toMatchObject({ name: 'changed again' });

    await admin(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await eventually(() => notifications.connected);
    expect(await clients.find('newsroom')).toMatchObject({ name: 'changed again' });
    await rename('in the database only');
    expect(await clients.find('newsroom')).toMatchObject({ name: 'changed again' });
  });

  it('of a transaction that is rolled back never were', async () => {
    const { clients, db } = await start();
    const failed = db.transaction(async () => {
      await clients.declare(declaration());
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await clients.find('newsroom')).toBeNull();
  });

  it('are known again after the database was away', async () => {
    const { clients, db } = await start();
    await clients.declare(declaration());
    await db.query('ALTER TABLE clients RENAME TO hidden');
    await expect(clients.find('newsroom')).rejects.toThrow();
    await db.query('ALTER TABLE hidden RENAME TO clients');
    expect(await clients.find('newsroom')).not.toBeNull();
  });

  it('prove themselves by their secret, of which only a hash is kept, until it is rotated', async () => {
    const { clients, db } = await start();
    const secret = randomUUID();
    await clients.declare(declaration({ clientSecret: secret }));
    await clients.declare(declaration({ clientId: 'public' }));
    expect(await clients.authenticate('newsroom', secret)).toMatchObject({ clientId: 'newsroom' });
    for (const [clientId, given] of [
      ['newsroom', `${secret}x`],
      ['newsroom', ''],
      ['public', ''],
      ['public', 'null'],
      ['nobody', secret],
    ] as const) {
      expect(await clients.authenticate(clientId, given)).toBeNull();
    }
    const { rows } = await db.query('SELECT clients::text AS text FROM clients');
    expect(JSON.stringify(rows)).not.toContain(secret);
    const next = await clients.rotateSecret('newsroom');
    expect(next).toMatch(/^[\w-]{43}$/);
    expect([await clients.authenticate('newsroom', secret), await clients.authenticate('newsroom', next)]).toEqual([
      null,
      expect.anything(),
    ]);
    await expect(clients.rotateSecret('public')).rejects.toMatchObject({ code: 'client_is_public' });
    await expect(clients.rotateSecret('nobody')).rejects.toMatchObject({ code: 'unknown_client' });
  });

  it('keep their new secret during a concurrent declaration', async () => {
    const { clients } = await start();
    await clients.declare(declaration({ clientSecret: 'old' }));
    for (let round = 0; round < 5; round += 1) {
      const [secret] = await Promise.all([
        clients.rotateSecret('newsroom'),
        clients.declare(declaration({ name: `Newsroom ${round}` })),
        clients.declare(declaration({ name: `Newsroom ${round}` })),
      ]);
      expect(await clients.authenticate('newsroom', secret)).toMatchObject({ name: `Newsroom ${round}` });
    }
  });

  it('vouch for the origins of their redirect URIs, exactly', async () => {
    const { clients } = await start();
    await clients.declare(
      declaration({
        redirectUris: [
          'https://a.example.org/callback',
          'http://localhost:8080/cb',
          'com.example.app:/callback',
          'urn:ietf:wg:oauth:2.0:oob',
        ],
      }),
    );
    const origins = ['https://a.example.org', 'http://localhost:8080'];
    const others = [
      'https://a.example.org:8443',
      'http://a.example.org',
      'https://example.org',
      'http://localhost',
      'com.example.app:',
      'null',
      '',
      'urn:',
    ];
    for (const origin of origins) expect([origin, await clients.isRegisteredOrigin(origin)]).toEqual([origin, true]);
    for (const origin of others) expect([origin, await clients.isRegisteredOrigin(origin)]).toEqual([origin, false]);
  });
});
