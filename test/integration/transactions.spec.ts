import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Customer, PrincipalsService, User } from '../../src/modules/accounts/index.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

/** Waits until as many have come to it. */
function barrier(count: number): () => Promise<void> {
  let missing = count;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    missing -= 1;
    if (missing === 0) open();
    await opened;
  };
}

describe('the ambient transaction', () => {
  let process: TestContext;
  let database: Database;
  beforeAll(async () => {
    process = await startTestContext();
    database = process.get(Database);
  });
  afterAll(async () => await process.close());
  beforeEach(async () => {
    await database.query('TRUNCATE customers CASCADE');
  });

  const insert = async (name: string) => void (await database.query('INSERT INTO customers (name) VALUES ($1)', [name]));
  const insertByRepository = async (name: string) => void (await database.repository(Customer).insert({ name }));
  const names = async () =>
    (await database.query<{ name: string }>('SELECT name FROM customers ORDER BY name')).rows.map(({ name }) => name);
  const fail = async () => {
    throw new Error('it failed');
  };
  const transactionId = async () => (await database.queryOne<{ id: string }>('SELECT pg_current_xact_id()::text AS id'))?.id;

  it('commits the changes of repositories and queries, and returns the result of the work', async () => {
    const answer = await database.transaction(async () => {
      await insertByRepository('a');
      await insert('b');
      expect(await names()).toEqual(['a', 'b']);
      return 'done';
    });
    expect([answer, await names()]).toEqual(['done', ['a', 'b']]);
  });

  it('runs once more if a row to which it refers was deleted meanwhile, and finds the row gone', async () => {
    const find = async () => await database.queryOne<{ id: number }>('SELECT id FROM customers');
    const addUser = async (customerId: number) =>
      await database.query("INSERT INTO users (email, customer_id, firstname, lastname) VALUES ('a@example.org', $1, 'A', 'B')", [
        customerId,
      ]);
    await insert('a');
    const [seen, deleted] = [barrier(2), barrier(2)];
    let runs = 0;
    const work = database.transaction(async () => {
      runs += 1;
      const customer = await find();
      if (runs === 1) {
        await seen();
        await deleted();
      }
      if (customer) await addUser(customer.id);
      return customer;
    });
    await seen();
    await database.query('DELETE FROM customers');
    await deleted();
    expect([await work, runs]).toEqual([null, 2]);
  });

  it('rolls back the changes of repositories and queries on failure', async () => {
    const work = database.transaction(async () => {
      await insertByRepository('a');
      await insert('b');
      await fail();
    });
    await expect(work).rejects.toThrow('it failed');
    expect(await names()).toEqual([]);
  });

  it('continues after a failed savepoint, and keeps nothing of it', async () => {
    const failing = async (insertion: (name: string) => Promise<void>) => {
      await insertion('b');
      await insertion('a'); // the name is taken
    };
    const failures: string[] = [];
    const answer = await database.transaction(async () => {
      await insert('a');
      for (const insertion of [insert, insertByRepository]) {
        await database.attempt(async () => await failing(insertion)).catch(() => failures.push('taken'));
      }
      await database.attempt(fail).catch(() => failures.push('failed'));
      await database.attempt(async () => await database.attempt(async () => await insert('c')));
      return await database.attempt(async () => await names());
    });
    expect([answer, failures]).toEqual([
      ['a', 'c'],
      ['taken', 'taken', 'failed'],
    ]);
    expect(await names()).toEqual(['a', 'c']);
  });

  it('rolls back all of a failed part, including nested parts', async () => {
    await database.transaction(async () => {
      await insert('a');
      const part = database.attempt(async () => {
        await insert('b');
        await database.attempt(fail).catch(() => {});
        await insert('c');
        await fail();
      });
      await expect(part).rejects.toThrow('it failed');
    });
    expect(await names()).toEqual(['a']);
  });

  it('does not keep a part whose failure was caught inside of it', async () => {
    const half = database.transaction(async () => {
      await insert('a');
      await database.attempt(async () => await database.transaction(fail).catch(() => {}));
    });
    await expect(half).rejects.toThrow('was caught');
    expect(await names()).toEqual([]);
  });

  it('calls callbacks after the commit, and never after a rollback', async () => {
    const called: string[] = [];
    const seen = async (name: string) => void called.push(`${name} ${(await database.outsideTransaction(names)).length}`);
    database.afterCommit(() => called.push('at once'));
    await database.transaction(async () => {
      await insert('a');
      database.afterCommit(() => called.push('committed'));
      await seen('meanwhile');
    });
    const undone = database.transaction(async () => {
      database.afterCommit(() => called.push('never'));
      await fail();
    });
    await expect(undone).rejects.toThrow('it failed');
    expect(called).toEqual(['at once', 'meanwhile 0', 'committed']);
  });

  it('is shared by repositories, queries and nested calls', async () => {
    await database.transaction(async () => {
      const ids = [await transactionId(), await database.transaction(transactionId)];
      const [row] = await database.repository(Customer).query('SELECT pg_current_xact_id()::text AS id');
      expect(new Set([...ids, (row as { id: string }).id]).size).toBe(1);
    });
  });

  it('is invisible to others before its commit', async () => {
    await database.transaction(async () => {
      await insert('a');
      expect(await database.outsideTransaction(names)).toEqual([]);
    });
    expect(await names()).toEqual(['a']);
  });

  it('does not roll back changes outside of it', async () => {
    const work = database.transaction(async () => {
      await database.outsideTransaction(async () => await insert('kept'));
      await database.outsideTransaction(async () => await database.transaction(async () => await insert('kept too')));
      await insert('lost');
      await fail();
    });
    await expect(work).rejects.toThrow('it failed');
    expect(await names()).toEqual(['kept', 'kept too']);
  });

  it('never keeps one half: a nested part that failed takes all with it, even if the error is caught', async () => {
    const work = database.transaction(async () => {
      await insert('before');
      await database
        .transaction(async () => {
          await insert('inside');
          await fail();
        })
        .catch(() => {});
      await insert('after');
    });
    await expect(work).rejects.toThrow(/rolled back/);
    expect(await names()).toEqual([]);
  });

  it('throws if a statement failed and the error was caught, instead of silently losing all changes', async () => {
    await insert('taken');
    for (const again of [insert, insertByRepository]) {
      const work = database.transaction(async () => {
        await insert('lost');
        await again('taken').catch(() => {});
      });
      await expect(work).rejects.toThrow(/rolled back/);
    }
    expect(await names()).toEqual(['taken']);
  });

  it('belongs to one call chain: many at the same time do not see or spoil each other', async () => {
    const MANY = 12;
    const [written, looked] = [barrier(MANY), barrier(MANY)];
    const one = async (name: string, ends: () => Promise<void>) =>
      await database.transaction(async () => {
        const id = await transactionId();
        await insert(name);
        await database.repository(Customer).update({ name }, { operator: true });
        await written();
        const seen = await names();
        await looked();
        await ends();
        return { seen, sameTransaction: (await transactionId()) === id };
      });
    const results = await Promise.allSettled(
      Array.from({ length: MANY }, async (_, index) => await one(`customer ${index}`, index % 3 === 0 ? fail : async () => {})),
    );
    const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as Error).message));
    expect(outcomes).toEqual(
      outcomes.map((_, index) => (index % 3 === 0 ? 'it failed' : { seen: [`customer ${index}`], sameTransaction: true })),
    );
    expect(await names()).toEqual([1, 2, 4, 5, 7, 8, 10, 11].map((index) => `customer ${index}`).sort());
  });

  it('refuses statements after its end, because its connection is used by others', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let late: Promise<void> = Promise.resolve();
    await database.transaction(async () => {
      late = released.then(async () => await insert('late'));
      await insert('in time');
    });
    release();
    await expect(late).rejects.toThrow(/has ended/);
    expect(await names()).toEqual(['in time']);
  });

  it('gives its connection back, whatever happens', async () => {
    for (let round = 0; round < 40; round += 1) await database.transaction(round % 2 ? fail : async () => {}).catch(() => {});
    expect(database.pool.totalCount - database.pool.idleCount).toBe(0);
    expect(database.pool.waitingCount).toBe(0);
  });

  it('is over for good when its connection breaks, and the next one gets another', async () => {
    const work = database.transaction(async () => {
      await insert('lost');
      const row = await database.queryOne<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.outsideTransaction(async () => await database.query('SELECT pg_terminate_backend($1)', [row?.pid]));
      await insert('lost too');
    });
    await expect(work).rejects.toThrow();
    await database.transaction(async () => await insert('kept'));
    expect(await names()).toEqual(['kept']);
  });

  describe('and look-ups that many share', () => {
    const aUser = async (email: string) => {
      const { id: customerId } = await database.repository(Customer).save({ name: email });
      return (await database.repository(User).save({ customerId, email })).id;
    };

    it('sees its own uncommitted changes in a look-up, and others do not', async () => {
      const principals = process.get(PrincipalsService);
      await database.transaction(async () => {
        const id = await aUser('ada@example.org');
        expect(await principals.find(id)).toMatchObject({ id, email: 'ada@example.org' });
        expect(await database.outsideTransaction(async () => await principals.find(id))).toBeNull();
      });
    });

    it('does not carry the look-ups of others along when they arrive together', async () => {
      const principals = process.get(PrincipalsService);
      const id = await aUser('ada@example.org');
      let inside: unknown;
      const work = database.transaction(async () => {
        await database.query('UPDATE users SET firstname = $1 WHERE id = $2', ['Uncommitted', id]);
        const outside = database.outsideTransaction(async () => await Promise.all([principals.find(id), principals.find(id)]));
        inside = await principals.find(id);
        expect(await outside).toMatchObject([{ firstname: '' }, { firstname: '' }]);
        await fail();
      });
      await expect(work).rejects.toThrow('it failed');
      expect(inside).toMatchObject({ firstname: 'Uncommitted' });
      expect(await principals.find(id)).toMatchObject({ firstname: '' });
    });
  });
});
