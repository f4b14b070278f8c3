import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { AccessTokenIssuerService, ServerKeysService, TokenVerifierService } from '../../src/modules/access/index.js';
import { ServerKeysRepository } from '../../src/modules/access/server-keys.repository.js';
import { FakeClock } from '../../src/shared/clock.js';
import { type Config } from '../../src/shared/config/index.js';
import { Database, Notifications } from '../../src/shared/database/index.js';
import { StartupError } from '../../src/shared/errors.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { JobsRepository } from '../../src/shared/jobs/jobs.repository.js';
import { SecretBoxService } from '../../src/shared/secrets/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

/** No process hears anything. */
const silence = { connected: true, listen: () => {}, notify: async () => {} } as unknown as Notifications;

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

async function start(overrides: Partial<Config> = {}) {
  const process = await startTestContext({ database, ...overrides });
  processes.push(process);
  return { process, keys: process.get(ServerKeysService), db: process.get(Database) };
}

/** Keys on the database of a process, with a clock, configuration and hearing of their own. */
function keysOn(process: TestContext, options: { clock?: FakeClock; config?: Partial<Config>; notifications?: Notifications } = {}) {
  const config: Config = { ...process.config, ...options.config };
  const clock = options.clock ?? new FakeClock(new Date());
  const db = process.get(Database);
  const housekeeping = new HousekeepingService(process.get(JobsRepository), clock, capturedLog().log);
  const notifications = options.notifications ?? process.get(Notifications);
  const keys = new ServerKeysService(
    config,
    db,
    notifications,
    process.get(ServerKeysRepository),
    new SecretBoxService(config),
    clock,
    housekeeping,
  );
  return {
    keys,
    verifier: new TokenVerifierService(config, keys, clock),
    tokens: new AccessTokenIssuerService(config, keys, clock),
    clock,
  };
}

const aToken = { userId: 1, clientId: 'newsroom', scope: 'api', authorization: null };
const stored = async (db: Database) =>
  (await db.query<{ id: string; purpose: string; sealed: string }>('SELECT id, purpose, sealed FROM server_keys ORDER BY purpose, id'))
    .rows;

describe('the keys of the service', () => {
  it('are made once by processes that start together on an empty database', async () => {
    const started = await Promise.all([start(), start(), start()]);
    const sets = await Promise.all(started.map(async ({ keys }) => await keys.current()));
    expect(sets[0]).toMatchObject({ signing: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', d: expect.any(String) }] });
    expect(sets[0]?.cookies).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    expect(sets).toEqual([sets[0], sets[0], sets[0]]);
    expect((await stored(started[0].db)).map(({ purpose }) => purpose)).toEqual(['cookie', 'signing']);
  });

  it('are made once, however many look for them at the same moment', async () => {
    const { process, db } = await start();
    await db.query('DELETE FROM server_keys');
    const sets = await Promise.all(Array.from({ length: 5 }, async () => await keysOn(process).keys.current()));
    expect(new Set(sets.map((set) => JSON.stringify(set))).size).toBe(1);
    expect(await stored(db)).toHaveLength(2);
  });

  it('are kept encrypted', async () => {
    const { keys, db } = await start();
    const { signing, cookies } = await keys.current();
    const text = (await stored(db)).map(({ sealed }) => Buffer.from(sealed, 'base64').toString('latin1') + sealed).join();
    for (const secret of [signing[0]?.d, cookies[0]]) expect(text).not.toContain(secret);
  });

  it('of another APP_SECRET stop the start with instructions, and stay unchanged', async () => {
    const { process, db } = await start();
    const before = await stored(db);
    const { keys } = keysOn(process, { config: { appSecret: 'another secret of another installation' } });
    await expect(keys.current()).rejects.toBeInstanceOf(StartupError);
    await expect(keys.rotate()).rejects.toBeInstanceOf(StartupError);
    expect(await stored(db)).toEqual(before);
  });

  it('are those of the environment if set, in that order, and nothing is stored', async () => {
    const make = async (kid: string) => ({ ...(await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)), kid });
    const given = [await make('new'), await make('old')];
    const { keys, db } = await start({ signingKeys: JSON.stringify({ keys: given }), cookieKeys: ['first', 'second'] });
    expect(await keys.current()).toEqual({
      signing: given.map((key) => ({ ...key, alg: 'ES256', use: 'sig' })),
      cookies: ['first', 'second'],
    });
    expect(await stored(db)).toEqual([]);
    await expect(keys.rotate()).rejects.toThrow(/SIGNING_KEYS or COOKIE_KEYS/);
  });

  it('are read from the database if the environment sets only some', async () => {
    const { keys, db } = await start({ cookieKeys: ['first'] });
    expect(await keys.current()).toMatchObject({ signing: [expect.anything()], cookies: ['first'] });
    expect((await stored(db)).map(({ purpose }) => purpose)).toEqual(['signing']);
    await expect(keys.rotate()).rejects.toBeInstanceOf(StartupError);
  });
});

describe('a rotation', () => {
  it('puts new keys first and keeps the old ones for verifying, in every process', async () => {
    const [one, two] = [await start(), await start()];
    const old = await one.keys.current();
    const { signing: kid } = await one.keys.rotate();
    const current = await one.keys.current();
    expect(current.signing.map((key) => key.kid)).toEqual([kid, old.signing[0]?.kid]);
    expect(current.cookies.slice(1)).toEqual(old.cookies);
    expect(new Set(current.cookies).size).toBe(2);
    await eventually(async () => (await two.keys.current()).signing[0]?.kid === kid);
    expect(await two.keys.current()).toEqual(current);
  });

  it('keeps tokens of the time before it good, and signs with the new key', async () => {
    const { process, keys } = await start();
    const [tokens, verifier] = [process.get(AccessTokenIssuerService), process.get(TokenVerifierService)];
    const { accessToken: before } = await tokens.issue(aToken);
    const { signing: kid } = await keys.rotate();
    const { accessToken: after } = await tokens.issue(aToken);
    expect(JSON.parse(Buffer.from(after.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({ kid, typ: 'at+jwt', alg: 'ES256' });
    expect([await verifier.verify(before), await verifier.verify(after)]).toMatchObject([{ claims: {} }, { claims: {} }]);
  });

  it('is noticed by a process without the notification when it meets a token of the new key', async () => {
    const { process } = await start();
    const deaf = keysOn(process, { notifications: silence });
    await deaf.keys.current();
    const other = keysOn(process, { notifications: silence });
    await other.keys.rotate();
    expect(await deaf.verifier.verify((await other.tokens.issue(aToken)).accessToken)).toMatchObject({ claims: { clientId: 'newsroom' } });
    expect((await deaf.keys.current()).signing).toHaveLength(2);
  });

  it('is checked at most once a second, so that invented tokens cost little', async () => {
    const { process } = await start();
    const deaf = keysOn(process, { notifications: silence });
    const other = keysOn(process, { notifications: silence });
    const { accessToken: made } = await other.tokens.issue(aToken);
    const [, ...rest] = made.split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'made-up' })).toString('base64url');
    expect(await deaf.verifier.verify([header, ...rest].join('.'))).toEqual({ refused: 'invalid' });
    await other.keys.rotate();
    const { accessToken: unheard } = await other.tokens.issue(aToken);
    expect(await deaf.verifier.verify(unheard)).toEqual({ refused: 'invalid' });
    deaf.clock.advance(1);
    expect(await deaf.verifier.verify(unheard)).toMatchObject({ claims: {} });
  });

  it('keeps the key in force first, even if a clock was wrong when it was made', async () => {
    const { process, keys, db } = await start();
    const { signing: kid } = await keys.rotate();
    await db.query(`UPDATE server_keys SET created_at = now() - interval '1 day' WHERE retired_at IS NULL`);
    expect((await keysOn(process).keys.current()).signing[0]?.kid).toBe(kid);
  });

  it('leaves the newest first, also of keys that were retired at the same moment', async () => {
    const { process } = await start();
    const { keys } = keysOn(process, { clock: new FakeClock(new Date()) });
    const made = [(await keys.current()).signing[0]?.kid];
    for (let times = 0; times < 6; times += 1) made.unshift((await keys.rotate()).signing);
    expect((await keys.current()).signing.map(({ kid }) => kid)).toEqual(made);
  });

  it('completes when nothing that the old keys signed can be valid any more', async () => {
    const { process } = await start();
    const clock = new FakeClock(new Date());
    const { keys, verifier, tokens } = keysOn(process, { clock, config: { sessionTtlSeconds: 86_400, accessTokenTtlSeconds: 10_000 } });
    const { accessToken: token } = await tokens.issue(aToken);
    await keys.rotate();
    expect(await keys.deleteExpired()).toBe(0);
    clock.advance(9_999);
    expect([await keys.deleteExpired(), await verifier.verify(token)]).toMatchObject([0, { claims: {} }]);
    clock.advance(10_002); // twice the lifetime of a token has passed
    expect(await keys.deleteExpired()).toBe(1);
    const left = await keys.reload();
    expect([left.signing.length, left.cookies.length]).toEqual([1, 2]);
    expect(await verifier.verify(token)).toEqual({ refused: 'invalid' });
    clock.advance(86_400);
    expect([await keys.deleteExpired(), (await keys.reload()).cookies.length]).toEqual([1, 1]);
    expect([await keys.deleteExpired(), (await keys.reload()).signing.length]).toEqual([0, 1]);
  });

  it('of two processes at once leaves one key in force', async () => {
    const [one, two] = [await start(), await start()];
    await Promise.all([one.keys.rotate(), two.keys.rotate()]);
    const { rows } = await one.db.query('SELECT purpose FROM server_keys WHERE retired_at IS NULL ORDER BY purpose');
    expect(rows).toEqual([{ purpose: 'cookie' }, { purpose: 'signing' }]);
    expect((await one.keys.reload()).signing[0]).toEqual((await two.keys.reload()).signing[0]);
  });

  it('that is rolled back never happened', async () => {
    const { keys, db } = await start();
    const before = await keys.current();
    const failed = db.transaction(async () => {
      await keys.rotate();
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await keys.current()).toEqual(before);
    expect(await keys.reload()).toEqual(before);
  });
});
