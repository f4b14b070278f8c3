import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NewRecord, OidcRecordsRepository } from '../../src/modules/oauth/provider/oidc-records.repository.js';
import { Database } from '../../src/shared/database/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

const now = new Date();
const inAnHour = new Date(now.getTime() + 3_600_000);
const anHourAgo = new Date(now.getTime() - 3_600_000);

const record = (overrides: Partial<NewRecord> = {}): NewRecord => ({
  grantId: null,
  uid: null,
  accountId: null,
  payload: { kind: 'AuthorizationCode' },
  expiresAt: inAnHour,
  ...overrides,
});

describe('the records of oidc-provider', () => {
  let one: TestContext;
  let two: TestContext;
  let records: OidcRecordsRepository;
  let others: OidcRecordsRepository;
  let database: Database;
  beforeAll(async () => {
    one = await startTestContext();
    two = await startTestContext({ database: one.database });
    records = one.get(OidcRecordsRepository);
    others = two.get(OidcRecordsRepository);
    database = one.get(Database);
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });

  it('are found by model and identifier, which is stored as a hash only', async () => {
    const id = randomUUID();
    await records.replace('AuthorizationCode', id, record({ grantId: 'grant', payload: { scope: 'api', list: [1, { a: null }] } }));
    expect(await others.find('AuthorizationCode', id)).toEqual({
      model: 'AuthorizationCode',
      id: sha256(id),
      grantId: 'grant',
      payload: { scope: 'api', list: [1, { a: null }] },
      consumedAt: null,
      expiresAt: inAnHour,
    });
    expect([await records.find('RefreshToken', id), await records.find('AuthorizationCode', sha256(id))]).toEqual([null, null]);
    const { rows } = await database.query('SELECT oidc_records::text FROM oidc_records');
    expect(JSON.stringify(rows)).not.toContain(id);
  });

  it('are replaced as a whole, or kept if the first one has priority', async () => {
    const [session, token] = [randomUUID(), randomUUID()];
    await records.replace('Session', session, record({ payload: { a: 1, b: 2 }, accountId: 1 }));
    await records.replace('Session', session, record({ payload: { a: 3 }, accountId: 2 }));
    expect(await records.find('Session', session)).toMatchObject({ payload: { a: 3 } });
    await records.insertUnlessExists('RefreshToken', token, record({ payload: { a: 1 } }));
    await records.insertUnlessExists('RefreshToken', token, record({ payload: { a: 2 } }));
    expect(await records.find('RefreshToken', token)).toMatchObject({ payload: { a: 1 } });
  });

  it('are used up by exactly one of many at the same moment, in all processes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [id, other] = [randomUUID(), randomUUID()];
      await records.replace('AuthorizationCode', id, record());
      await records.replace('AuthorizationCode', other, record());
      const uses = await Promise.all(
        Array.from(
          { length: 40 },
          async (_, index) => await (index % 2 ? records : others).consume('AuthorizationCode', index % 4 < 2 ? id : other, now),
        ),
      );
      const wins = (which: number) => uses.filter((won, index) => won && Math.floor((index % 4) / 2) === which).length;
      expect([wins(0), wins(1)]).toEqual([1, 1]);
      expect(await records.find('AuthorizationCode', id)).toMatchObject({ consumedAt: now });
      expect(await others.consume('AuthorizationCode', id, now)).toBe(false);
    }
    expect(await records.consume('AuthorizationCode', 'unknown', now)).toBe(false);
  });

  it('stay used up when they are written again', async () => {
    const id = randomUUID();
    await records.replace('RefreshToken', id, record());
    await records.consume('RefreshToken', id, now);
    await records.replace('RefreshToken', id, record({ payload: { more: true } }));
    expect(await records.find('RefreshToken', id)).toMatchObject({ consumedAt: now, payload: { more: true } });
  });

  it('leave one successor when several make it at the same moment', async () => {
    const id = randomUUID();
    await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) => await (index % 2 ? records : others).insertUnlessExists('RefreshToken', id, record({ payload: { index } })),
      ),
    );
    const { rows } = await database.query('SELECT FROM oidc_records WHERE id = $1', [sha256(id)]);
    expect(rows).toHaveLength(1);
  });

  it('that one statement writes for many do not harm each other: one that cannot be stored fails alone', async () => {
    const ids = Array.from({ length: 6 }, () => randomUUID());
    const results = await Promise.allSettled(
      ids.map(
        async (id, index) => await records.replace('Session', id, record({ payload: index === 3 ? { broken: '\ud800' } : { index } })),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const found = await Promise.all(ids.map(async (id) => (await records.find('Session', id))?.payload ?? null));
    expect(found).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }, null, { index: 4 }, { index: 5 }]);
  });

  it('may be the same in one statement; then one after the other is written', async () => {
    const id = randomUUID();
    await Promise.all([1, 2, 3].map(async (index) => await records.replace('Session', id, record({ payload: { index } }))));
    expect(await records.find('Session', id)).toMatchObject({ payload: { index: 3 } });
  });

  it('are written after all when another transaction wanted them in another order', async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    await records.replace('Session', a, record());
    await records.replace('Session', b, record());
    const lock = async (id: string) => await database.query('SELECT FROM oidc_records WHERE id = $1 FOR UPDATE', [sha256(id)]);
    let writes: Promise<unknown> = Promise.resolve();
    await database.transaction(async () => {
      await database.query(`SET LOCAL deadlock_timeout = '30s'`); // the other side is the one that gives way
      await lock(b);
      writes = database.outsideTransaction(
        async () => await Promise.all([a, b].map(async (id) => await records.replace('Session', id, record({ payload: { id } })))),
      );
      await eventually(async () => (await database.outsideTransaction(waitingLocks)) > 0);
      await lock(a);
    });
    await writes;
    expect(await Promise.all([a, b].map(async (id) => (await records.find('Session', id))?.payload))).toEqual([{ id: a }, { id: b }]);
  });

  const waitingLocks = async () =>
    (await database.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)).rowCount ?? 0;

  it('are found when expired or used, for the library to distinguish', async () => {
    const id = randomUUID();
    await records.replace('AuthorizationCode', id, record({ expiresAt: anHourAgo }));
    await records.consume('AuthorizationCode', id, anHourAgo);
    expect(await records.find('AuthorizationCode', id)).toMatchObject({ expiresAt: anHourAgo, consumedAt: anHourAgo });
  });

  it('of sessions have a public name too', async () => {
    const [id, uid] = [randomUUID(), randomUUID()];
    await records.replace('Session', id, record({ uid }));
    expect(await records.findByUid('Session', uid)).toMatchObject({ id: sha256(id) });
    expect([await records.findByUid('Interaction', uid), await records.findByUid('Session', randomUUID())]).toEqual([null, null]);
  });

  it('take more into their payload', async () => {
    const id = randomUUID();
    await records.replace('AuthorizationCode', id, record({ payload: { a: 1, b: 1 } }));
    await records.amend('AuthorizationCode', id, { b: 2, c: undefined, d: null });
    expect((await records.find('AuthorizationCode', id))?.payload).toEqual({ a: 1, b: 2, d: null });
  });

  it('go one by one, or all of a grant', async () => {
    const [grantId, ...ids] = Array.from({ length: 4 }, () => randomUUID());
    for (const id of ids) await records.replace('RefreshToken', id, record({ grantId: id === ids[2] ? 'another' : grantId }));
    await records.delete('RefreshToken', 'unknown');
    await records.delete('AccessToken', ids[0] ?? '');
    await records.deleteByGrantId(grantId ?? '');
    expect(await Promise.all(ids.map(async (id) => (await records.find('RefreshToken', id)) !== null))).toEqual([false, false, true]);
    await records.delete('RefreshToken', ids[2] ?? '');
    expect(await records.find('RefreshToken', ids[2] ?? '')).toBeNull();
  });

  it('of the sessions of a user are listed while they last, the latest first, and ended by that user only', async () => {
    const accountId = 4_711;
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
    await records.replace('Session', ids[0] ?? '', record({ accountId, expiresAt: later(1) }));
    await records.replace('Session', ids[1] ?? '', record({ accountId, expiresAt: later(2) }));
    await records.replace('Session', ids[2] ?? '', record({ accountId, expiresAt: anHourAgo }));
    await records.replace('Session', ids[3] ?? '', record({ accountId: 4_712, expiresAt: later(1) }));
    await records.replace('Interaction', ids[4] ?? '', record({ accountId, expiresAt: later(1) }));
    const hashes = ids.map(sha256);
    const listed = async () => (await records.findSessionsOfAccount(accountId, now)).map(({ id }) => hashes.indexOf(id));
    expect(await listed()).toEqual([1, 0]);
    expect(await records.deleteSessionOfAccount(4_712, hashes[0] ?? '')).toBe(false);
    expect(await records.deleteSessionOfAccount(accountId, hashes[4] ?? '')).toBe(false);
    expect(await records.deleteSessionOfAccount(accountId, hashes[0] ?? '')).toBe(true);
    expect(await records.deleteSessionOfAccount(accountId, hashes[0] ?? '')).toBe(false);
    expect(await listed()).toEqual([1]);
  });

  it('of a user are counted by their kinds, and deleted together', async () => {
    const [accountId, other] = [4_713, 4_714];
    const owners = { Session: [accountId, accountId, other], RefreshToken: [accountId], Interaction: [null, other] };
    for (const [model, accounts] of Object.entries(owners))
      for (const owner of accounts) await records.replace(model, randomUUID(), record({ accountId: owner }));
    const counts = async (id: number) => Object.fromEntries(await records.countOfAccount(id));
    expect(await counts(accountId)).toEqual({ Session: 2, RefreshToken: 1 });
    await records.deleteOfAccount(accountId);
    expect(await counts(accountId)).toEqual({});
    expect(await counts(other)).toEqual({ Session: 1, Interaction: 1 });
  });
});
