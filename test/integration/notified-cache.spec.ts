import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { CachesService, type NotifiedCache } from '../../src/shared/caches.service.js';
import { Database, Notifications } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';

interface Thing {
  readonly name: string;
}

let database: TestDatabase;
let processes: TestContext[];

beforeEach(async () => {
  database = await createTestDatabase();
  processes = [];
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`CREATE TABLE things (key text PRIMARY KEY, name text NOT NULL);
    INSERT INTO things VALUES ('a', 'one'), ('b', 'two'), ('c', 'three')`);
  await client.end();
});
afterEach(async () => {
  await Promise.all(processes.map(async (process) => await process.close()));
  await database.drop();
});

/** A process with a cache of things; `reads` are the keys that it read. */
async function start({ limit = 100 } = {}) {
  const reads: string[] = [];
  let cache: NotifiedCache<Thing> | null = null;
  /** Held up by tests that look at what happens during a read. */
  const gate = { wait: async () => {} };
  const process = await startTestContext({
    database,
    prepare: (get) => {
      const load = async (key: string) => {
        reads.push(key);
        const thing = await get(Database).queryOne<Thing & { key: string }>('SELECT * FROM things WHERE key = $1', [key]);
        await gate.wait();
        return thing && { name: thing.name };
      };
      cache = get(CachesService).create<Thing>({ channel: 'things_changed', load, limit });
    },
  });
  processes.push(process);
  if (!cache) throw new Error('prepare makes the cache.');
  const things: NotifiedCache<Thing> = cache;
  const rename = async (key: string, name: string) =>
    await things.changing([key], async () => {
      await process.get(Database).query('UPDATE things SET name = $2 WHERE key = $1', [key, name]);
    });
  const nameOf = async (key: string) => (await things.get(key))?.value.name;
  return { things, reads, gate, rename, nameOf, process };
}

describe('a cache with notifications', () => {
  it('reads a value once, marks it as cached, and reads it again on request', async () => {
    const { things, reads } = await start();
    expect(await things.get('a')).toMatchObject({ value: { name: 'one' }, fromCache: false });
    const again = await things.get('a');
    expect(again).toMatchObject({ value: { name: 'one' }, fromCache: true });
    expect(await things.get('a', { refresh: true })).toMatchObject({ fromCache: false });
    expect(reads).toEqual(['a', 'a']);
  });

  it('shares one read between concurrent calls', async () => {
    const { reads, nameOf } = await start();
    expect(await Promise.all([nameOf('a'), nameOf('a'), nameOf('a')])).toEqual(['one', 'one', 'one']);
    expect(reads).toEqual(['a']);
  });

  it('does not cache missing values or failures', async () => {
    const { things, reads, gate, nameOf } = await start();
    expect(await things.get('nothing')).toBeNull();
    gate.wait = async () => await Promise.reject(new Error('no'));
    await expect(things.get('a')).rejects.toThrow('no');
    gate.wait = async () => {};
    expect([await things.get('nothing'), await nameOf('a')]).toEqual([null, 'one']);
    expect(reads).toEqual(['nothing', 'a', 'nothing', 'a']);
  });

  it('forgets at once in the process that made the change, and within a moment in the others', async () => {
    const [one, two] = [await start(), await start()];
    expect([await one.nameOf('a'), await two.nameOf('a')]).toEqual(['one', 'one']);
    await one.rename('a', 'new');
    expect(await one.nameOf('a')).toBe('new');
    await eventually(async () => (await two.nameOf('a')) === 'new');
  });

  it('forgets everything when that is said', async () => {
    const { things, reads, nameOf } = await start();
    for (const key of ['a', 'b']) await nameOf(key);
    await things.changing([''], async () => {});
    for (const key of ['a', 'b']) await nameOf(key);
    expect(reads).toEqual(['a', 'b', 'a', 'b']);
  });

  it('does not cache a value that changed during the read', async () => {
    const { things, gate, nameOf } = await start();
    for (const name of ['a', '']) {
      let finish = () => {};
      let begun = () => {};
      const held = new Promise<void>((resolve) => (begun = resolve));
      gate.wait = async () => {
        begun();
        await new Promise<void>((resolve) => (finish = resolve));
      };
      const reading = nameOf('a');
      await held;
      await things.changing([name], async () => {});
      gate.wait = async () => {};
      finish();
      expect(await reading).toBe('one');
      expect(await things.get('a')).toMatchObject({ fromCache: false });
      await things.changing(['a'], async () => {});
    }
  });

  it('caches nothing of a change that was rolled back', async () => {
    const { things, nameOf, process } = await start();
    const sql = `UPDATE things SET name = 'never' WHERE key = 'a'`;
    const change = things.changing(['a'], async () => {
      await process.get(Database).query(sql);
      expect(await nameOf('a')).toBe('one'); // reads outside the transaction
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    expect(await nameOf('a')).toBe('one');
  });

  it('shows an uncommitted change only to its own transaction', async () => {
    const { things, rename, nameOf, process } = await start();
    const db = process.get(Database);
    expect(await nameOf('a')).toBe('one');
    await db.transaction(async () => {
      await rename('a', 'uno');
      expect(await things.get('a')).toMatchObject({ value: { name: 'uno' }, fromCache: false });
      expect(await db.outsideTransaction(async () => await nameOf('a'))).toBe('one');
    });
    expect(await nameOf('a')).toBe('uno');
    const undone = db.transaction(async () => {
      await rename('a', 'eins');
      expect(await nameOf('a')).toBe('eins');
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect(await nameOf('a')).toBe('uno');
  });

  it('is invalidated when an outer transaction has ended, including values read during it', async () => {
    const { rename, nameOf, process } = await start();
    const db = process.get(Database);
    const seen = await db.transaction(async () => {
      await rename('a', 'uno');
      return await db.outsideTransaction(async () => await nameOf('a'));
    });
    expect([seen, await nameOf('a')]).toEqual(['one', 'uno']);
  });

  it('is read by many transactions at once, which leave connections to read it with', async () => {
    const { things, process } = await start();
    const db = process.get(Database);
    const read = async (_: unknown, n: number) =>
      await db.transaction(async () => {
        await db.query('SELECT 1');
        return await things.get(`none ${n}`);
      });
    expect(await Promise.all(Array.from({ length: 40 }, read))).toEqual(Array(40).fill(null));
  });

  it('keeps at most so many, the newest', async () => {
    const { things, reads } = await start({ limit: 2 });
    for (const key of ['a', 'b', 'c', 'b', 'a']) await things.get(key);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });

  it('drops everything when the connection for notifications is lost, and caches again when it is back', async () => {
    const { things, nameOf, process } = await start();
    await nameOf('a');
    // The notification of this change is lost: the listening connection is cut.
    await process.get(Database).query(`UPDATE things SET name = 'unheard' WHERE key = 'a'`);
    expect(await nameOf('a')).toBe('one');
    await process.get(Database).query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'notifications'`);
    await eventually(async () => (await nameOf('a')) === 'unheard');
    await eventually(() => process.get(Notifications).connected);
    await nameOf('a');
    expect(await things.get('a')).toMatchObject({ value: { name: 'unheard' }, fromCache: true });
  });
});

describe('a cache by version', () => {
  it('returns the version that the caller knows, or a later one, and reads each version once', async () => {
    const reads: number[] = [];
    let stored: { version: number } | null = { version: 1 };
    const process = await startTestContext({ database });
    processes.push(process);
    const load = async (id: number) => {
      reads.push(id);
      return stored;
    };
    const cache = process.get(CachesService).createVersioned<{ version: number }>({ name: 'versions', load, limit: 2 });
    expect(await cache.get(7, 1)).toMatchObject({ value: { version: 1 }, fromCache: false });
    expect(await cache.get(7, 1)).toMatchObject({ value: { version: 1 }, fromCache: true });
    stored = { version: 3 };
    expect(await cache.get(7, 2)).toMatchObject({ value: { version: 3 }, fromCache: false });
    expect(await cache.get(7, 1)).toMatchObject({ value: { version: 3 }, fromCache: true });
    expect(await cache.get(7, 3, { refresh: true })).toMatchObject({ fromCache: false });
    stored = null;
    expect(await cache.get(7, 4)).toBeNull();
    stored = { version: 1 };
    for (const id of [8, 9]) await cache.get(id, 1);
    expect(await cache.get(7, 1)).toMatchObject({ value: { version: 1 }, fromCache: false });
    expect(reads).toEqual([7, 7, 7, 7, 8, 9, 7]);
  });
});
