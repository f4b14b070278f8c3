import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { User } from '../../src/modules/accounts/index.js';
import { AuditService } from '../../src/shared/audit/audit.service.js';
import { Database } from '../../src/shared/database/index.js';
import { type ErasedPerson, erasedAddress, PersonPattern, TextErasureRepository } from '../../src/shared/removal/index.js';
import { ReferencesRepository } from '../../src/shared/removal/references.repository.js';
import { pathToCustomer, storedTables, tablesOfCustomers } from '../../src/shared/removal/stored-tables.js';
import { SecretBoxService } from '../../src/shared/secrets/index.js';
import { aUser } from '../support/accounts/scenario.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

let process: TestContext;
let database: Database;
let texts: TextErasureRepository;
let ada: User;
let namesake: User;
let person: ErasedPerson;

beforeAll(async () => {
  process = await startTestContext();
  database = process.get(Database);
  texts = process.get(TextErasureRepository);
  const app = { app: process.context } as never;
  ada = await aUser(app, { email: 'ada@mail.example', firstname: 'Max', lastname: 'Post' });
  namesake = await aUser(app, { email: 'other@mail.example', firstname: 'Max', lastname: 'Post' });
  const pattern = new PersonPattern({ email: ada.email, names: [ada], userIds: [ada.id] }, erasedAddress(ada.id));
  person = { userIds: [ada.id], customerIds: [ada.customerId], pattern };
});
afterAll(async () => await process.close());

const aContainer = async ({ customerId, id }: User, fields: { name: string; license?: string; tags?: string[] }) => {
  const sql = `INSERT INTO media_containers (customer_id, creator_id, type, name, license, tags) VALUES ($1, $2, 'image', $3, $4, $5) RETURNING id`;
  const values = [customerId, id, fields.name, fields.license ?? null, fields.tags ?? []];
  return (await database.queryOne<{ id: number }>(sql, values))?.id ?? 0;
};
const versionOf = async (id: number) =>
  (await database.queryOne<{ version: number }>('SELECT version FROM media_containers WHERE id = $1', [id]))?.version;
const nameOf = async (id: number) =>
  (await database.queryOne<{ name: string }>('SELECT name FROM media_containers WHERE id = $1', [id]))?.name;

describe('the tables', () => {
  const known = () => storedTables(database.entities);

  it('belong to customers, apart from these', () => {
    const others = [...known().keys()].filter((name) => pathToCustomer(known(), name) === null);
    expect(others.sort()).toEqual(
      [
        'customers',
        // Of the operator; audit records outlive customers.
        ...['audit_records', 'blocked_passwords', 'converter_workers', 'mailbox', 'saml_keys', 'server_keys'],
        // They expire, and contain no names: hashes, numbers, addresses, networks.
        ...[
          'archive_downloads',
          'bandwidth_budgets',
          'login_failures',
          'oidc_records',
          'passkey_challenges',
          'playback_leases',
          'rate_limits',
          'revoked_tokens',
          'used_signatures',
        ],
      ].sort(),
    );
  });

  it('are deleted after those that refer to them', () => {
    const order = tablesOfCustomers(known());
    for (const { name, references } of known().values()) {
      const targets = references.map(({ target }) => target).filter((target) => target !== name && order.includes(target));
      for (const target of order.includes(name) ? targets : [])
        expect([name, order.indexOf(name) < order.indexOf(target)]).toEqual([name, true]);
    }
  });

  it('are searched in every column that can contain words', () => {
    const forms = new Set([...known().values()].flatMap((table) => table.texts.map(({ form }) => form)));
    expect([...forms].sort()).toEqual(['json', 'list', 'text']);
    const texts = [...known().values()].flatMap((table) => table.texts.map((one) => [`${table.name}.${one.name}`, one.mode] as const));
    expect(new Map(texts)).toEqual(
      new Map([...texts, ['media_containers.license', 'outside-urls'], ['audit_records.reason', 'everywhere']]),
    );
    expect(texts.flatMap(([name, mode]) => (mode === 'never' ? [name] : [])).sort()).toEqual([
      'archive_layout_sections.files', // expire within a day
      'clients.post_logout_redirect_uris',
      'clients.redirect_uris',
      // Of pages, classes of devices and rules, not of people.
      ...['daily_figures.device', 'daily_figures.host', 'daily_figures.rule'],
      'player_configurations.security_settings',
      'player_configurations.settings',
      ...['plays.device', 'plays.host'],
      'subscriptions.payload',
    ]);
  });
});

describe('a transfer to another user', () => {
  it('counts as a change of the rows', async () => {
    const id = await aContainer(ada, { name: 'Interview' });
    await process.get(ReferencesRepository).transfer(ada.id, namesake.id);
    expect(await versionOf(id)).toBe(2);
  });
});

describe('the erasure of a person whose names are words', () => {
  it('changes the address in texts of everyone, and the full name beside it and in texts of the person', async () => {
    const metadata = '[{"title": "author", "content": "Max Post"}, {"title": "title", "content": "Max Post"}]';
    const own = await aContainer(ada, {
      name: 'Post no. 5 by Max',
      license: '{"n": 12345678901234567890, "name": "Max Post", "by": "ada@mail.example"}',
      tags: ['post', 'ada@mail.example'],
    });
    const foreign = await aContainer(namesake, { name: 'ask ada@mail.example, not Max Post', tags: ['ada@mail.example', 'max'] });
    await database.query('UPDATE media_containers SET metadata = $1 WHERE id = ANY($2)', [metadata, [own, foreign]]);

    const found = await texts.search(person, { erase: false });
    expect(found).toMatchObject({
      isClean: false,
      texts: { 'media_containers.name': 1, 'media_containers.license': 1, 'media_containers.tags': 1, 'media_containers.metadata': 1 },
      inUse: { 'media_containers.tags': 1 },
    });
    const other = await aContainer(namesake, { name: 'Max Post' });
    await texts.search(person, { erase: true });
    expect(await Promise.all([own, foreign, other].map(versionOf))).toEqual([2, 2, 1]); // so that no client writes the old texts back
    expect(await Promise.all([own, foreign, other].map(nameOf))).toEqual([
      'Post no. 5 by Max',
      `ask ${erasedAddress(ada.id)}, not [erased]`,
      'Max Post', // of a namesake
    ]);
    const { rows } = await database.query('SELECT license::text, tags, metadata FROM media_containers WHERE id = ANY($1) ORDER BY id', [
      [own, foreign],
    ]);
    const erased = ['author', 'title'].map((title) => ({ title, content: '[erased]' }));
    expect(rows).toEqual([
      {
        license: `{"n": 12345678901234567890, "by": "${erasedAddress(ada.id)}", "name": "[erased]"}`,
        tags: ['post', erasedAddress(ada.id)],
        metadata: erased,
      },
      { license: null, tags: ['ada@mail.example', 'max'], metadata: erased.map(({ title }) => ({ title, content: 'Max Post' })) },
    ]);
    expect(await texts.search(person, { erase: true })).toMatchObject({ isClean: true, texts: {} });
    await database.query('DELETE FROM media_containers WHERE id = $1', [foreign]);
  });

  it('leaves rules and URLs alone, and reports those with the address', async () => {
    const sql = `INSERT INTO formats (customer_id, blueprint_id, name, converter, settings, creator_id, last_editor_id)
      SELECT $1, id, 'Max', converter, $2, $3, $3 FROM formats WHERE customer_id IS NULL ORDER BY id LIMIT 1 RETURNING id`;
    const settings = { parameters: { preset: 'max', method: 'POST' }, url: 'https://ada@mail.example/?q=ada%40mail.example' };
    const values = [ada.customerId, JSON.stringify({ ...settings, note: 'ada@mail.example' }), ada.id];
    const { id } = (await database.queryOne<{ id: number }>(sql, values)) ?? { id: 0 };
    const rules = { matchReferer: ['max.example', 'ada@mail.example'] };
    const player = `INSERT INTO player_configurations (customer_id, name, type, template_id, security_settings, creator_id, last_editor_id)
      VALUES ($1, 'Max', 'image', 0, $2, $3, $3) RETURNING id`;
    const configuration = await database.queryOne<{ id: number }>(player, [ada.customerId, JSON.stringify(rules), ada.id]);
    const { inUse } = await texts.search(person, { erase: true });
    expect(inUse).toEqual({ 'formats.settings': 1, 'player_configurations.security_settings': 1 });
    expect(await database.queryOne('SELECT name, settings FROM formats WHERE id = $1', [id])).toEqual({
      name: 'Max',
      settings: { ...settings, note: erasedAddress(ada.id) },
    });
    const stored = await database.queryOne('SELECT name, security_settings FROM player_configurations WHERE id = $1', [configuration?.id]);
    expect(stored).toEqual({ name: 'Max', security_settings: rules });
    await database.query('DELETE FROM formats WHERE id = $1', [id]);
    await database.query('DELETE FROM player_configurations WHERE id = $1', [configuration?.id]);
  });

  it('finds more rows than it reads at a time', async () => {
    const many = `INSERT INTO events (name, customer_id, method, payload)
      SELECT 'event:releaseRequest', $1, 'create', jsonb_build_object('n', n, 'message', 'ada@mail.example') FROM generate_series(1, 1201) AS n`;
    await database.query(many, [namesake.customerId]);
    expect((await texts.search(person, { erase: true })).texts).toEqual({ 'events.payload': 1_201 });
    expect((await texts.search(person, { erase: false })).isClean).toBe(true);
  });

  it('overwrites nothing that changes meanwhile, and finds it again', async () => {
    const id = await aContainer(ada, { name: 'first ada@mail.example' });
    const writer = texts as unknown as { write(...args: unknown[]): Promise<void> };
    const write = writer.write.bind(texts);
    jest.spyOn(writer, 'write').mockImplementationOnce(async (...args) => {
      await database.query(`UPDATE media_containers SET name = 'second ada@mail.example' WHERE id = $1`, [id]);
      await write(...args);
    });
    expect((await texts.search(person, { erase: true })).isClean).toBe(false);
    expect(await nameOf(id)).toBe('second ada@mail.example');
    await texts.search(person, { erase: true });
    expect(await nameOf(id)).toBe(`second ${erasedAddress(ada.id)}`);
  });

  it('reports texts that identify a record, and those that cannot be decrypted', async () => {
    await database.query(`UPDATE customers SET name = 'Max Post, ada@mail.example' WHERE id = $1`, [ada.customerId]);
    const sealed = process.get(SecretBoxService).seal('another purpose', '[]');
    await database.query(
      `INSERT INTO subscriptions (customer_id, creator_id, last_editor_id, name, flag, instructions, lanes, signing_secret, notes)
      VALUES ($1, $2, $2, 'event:releaseRequest', 0, $3, '{}', $3, '')`,
      [ada.customerId, ada.id, sealed],
    );
    expect(await texts.search(person, { erase: true })).toEqual({
      texts: {},
      identifiers: { 'customers.name': 1 },
      inUse: {},
      unreadable: { 'subscriptions.instructions': 1, 'subscriptions.signing_secret': 1 },
      isClean: true,
    });
  });

  it('names the person by id in audit records, and erases the full name from those about the person', async () => {
    const audit = process.get(AuditService);
    await audit.record({
      action: 'user.disable',
      actor: `user:${ada.email}`,
      subject: `user:${ada.id}`,
      customerId: ada.customerId,
      reason: `Max <${ada.email}> left`,
    });
    const about = async (subject: User, reason: string) =>
      await audit.record({
        action: 'user.disable',
        actor: 'admin:x',
        subject: `user:${subject.id}`,
        customerId: subject.customerId,
        reason,
      });
    await about(ada, 'Post, Max left');
    await about(namesake, 'Max Post left');
    await audit.eraseUser(ada);
    await texts.search(person, { erase: true });
    const { rows } = await database.query(`SELECT actor, subject, reason FROM audit_records WHERE action = 'user.disable' ORDER BY id`);
    expect(rows).toEqual([
      { actor: `user:${ada.id}`, subject: `user:${ada.id}`, reason: `Max <${erasedAddress(ada.id)}> left` },
      { actor: 'admin:x', subject: `user:${ada.id}`, reason: '[erased] left' },
      { actor: 'admin:x', subject: `user:${namesake.id}`, reason: 'Max Post left' },
    ]);
  });
});
