import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database, Notifications } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext, type TestContextOptions } from '../support/app/test-context.js';
import { startDatabaseProxy } from '../support/database/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

const CHANNEL = 'test "channel"';
const OTHER = 'other_channel';

describe('notifications', () => {
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

  /** A process that keeps what it hears; what every process hears at its start is left out. */
  async function start(options: TestContextOptions = {}) {
    const heard: string[] = [];
    const prepare: TestContextOptions['prepare'] = (get) => {
      get(Notifications).listen(CHANNEL, (payload) => heard.push(payload));
      get(Notifications).listen(OTHER, (payload) => heard.push(`other: ${payload}`));
    };
    const process = await startTestContext({ database, prepare, ...options });
    processes.push(process);
    expect(heard.splice(0)).toEqual(['', 'other: ']);
    return { heard, notifications: process.get(Notifications), database: process.get(Database), process };
  }

  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
    await client.connect();
    const result = await client.query(sql).finally(async () => await client.end());
    return result.rows;
  };
  const name = () => new URL(database.url).pathname.slice(1);
  const listeners = async () =>
    (await admin(`SELECT pid FROM pg_stat_activity WHERE datname = '${name()}' AND application_name = 'notifications'`)).length;
  const cutListeners = async () =>
    await admin(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}' AND application_name = 'notifications'`,
    );
  const allowConnections = async (allowed: boolean) => await admin(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS ${allowed}`);

  it('reach every process, the one that sends included, each once and in order', async () => {
    const [one, two] = [await start(), await start()];
    await one.notifications.notify(CHANNEL, 'a');
    await two.notifications.notify(OTHER, 'b');
    await one.notifications.notify(CHANNEL);
    const expected = ['a', 'other: b', ''];
    await eventually(() => one.heard.length === 3 && two.heard.length === 3);
    expect([one.heard, two.heard]).toEqual([expected, expected]);
  });

  it('of a transaction come after it has committed, and never when it has not', async () => {
    const { heard, notifications, database: db } = await start();
    const failed = db.transaction(async () => {
      await notifications.notify(CHANNEL, 'never');
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await db.transaction(async () => {
      await notifications.notify(CHANNEL, 'after the commit');
      await db.outsideTransaction(async () => await notifications.notify(CHANNEL, 'before it'));
      await eventually(() => heard.length > 0);
    });
    await eventually(() => heard.length > 1);
    expect(heard).toEqual(['before it', 'after the commit']);
  });

  it('are reported as missing while the connection is down, and everything is treated as changed when it is back', async () => {
    const { heard, notifications, database: db } = await start();
    expect(notifications.connected).toBe(true);
    await allowConnections(false);
    await cutListeners();
    await eventually(() => !notifications.connected);
    await notifications.notify(CHANNEL, 'nobody hears this');
    await allowConnections(true);
    await eventually(() => notifications.connected);
    expect(heard).toEqual(['', 'other: ']);
    await db.query('SELECT 1');
    await notifications.notify(CHANNEL, 'again');
    await eventually(() => heard.length > 2);
    expect(heard.at(-1)).toBe('again');
    expect(await listeners()).toBe(1);
  });

  it('come back however often the connection breaks, over one connection', async () => {
    const { heard } = await start();
    for (let round = 1; round <= 3; round += 1) {
      await cutListeners();
      await eventually(() => heard.length === 2 * round);
    }
    expect(await listeners()).toBe(1);
  });

  it('are said to be missing when the other end vanishes without a word', async () => {
    const proxy = await startDatabaseProxy(database);
    const { heard, notifications } = await start({ databaseUrl: proxy.url });
    proxy.silence('notifications');
    proxy.hold(true); // otherwise the next connection could be established before the check
    await notifications.notify(CHANNEL, 'lost on the way');
    await eventually(() => !notifications.connected);
    proxy.hold(false);
    await eventually(() => notifications.connected);
    expect(heard).toEqual(['', 'other: ']);
    await processes.pop()?.close();
    await proxy.close();
  });

  it('do not keep a stopping process, not even one that is just connecting, and leave no connection behind', async () => {
    const proxy = await startDatabaseProxy(database);
    const { notifications, process } = await start({ databaseUrl: proxy.url });
    proxy.hold(true);
    await cutListeners();
    await eventually(() => proxy.waiting() === 1); // the next one is being made
    expect(notifications.connected).toBe(false);
    await process.close();
    processes.pop();
    proxy.hold(false);
    expect(await eventually(async () => (await listeners()) === 0)).toBe(true);
    expect(notifications.connected).toBe(false);
    await proxy.close();
  });

  it('survive a listener that fails', async () => {
    const heard: string[] = [];
    const prepare: TestContextOptions['prepare'] = (get) => {
      get(Notifications).listen(CHANNEL, () => {
        throw new Error('a listener failed');
      });
      get(Notifications).listen(CHANNEL, (payload) => heard.push(payload));
    };
    const process = await startTestContext({ database, prepare });
    processes.push(process);
    await process.get(Notifications).notify(CHANNEL, 'a');
    await eventually(() => heard.length === 2);
    expect(heard).toEqual(['', 'a']);
  });
});
