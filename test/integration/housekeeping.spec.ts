import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerKeysService } from '../../src/modules/access/index.js';
import { Database } from '../../src/shared/database/index.js';
import { HousekeepingService, JobsService } from '../../src/shared/jobs/index.js';
import { JobsRepository } from '../../src/shared/jobs/jobs.repository.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

/** For every table that is tidied: how to write a row whose time was up, or will be, at the given interval from now. */
const ROWS: Readonly<Record<string, (name: string, at: string) => string>> = {
  rate_limits: (name, at) => `(key, points, expire) SELECT ${name}, 1, extract(epoch FROM ${at}) * 1000`,
  oidc_records: (name, at) => `(model, id, payload, expires_at) SELECT 'Session', ${name}, '{}', ${at}`,
  revoked_tokens: (name, at) => `(jti, expires_at) SELECT ${name}, ${at}`,
  used_signatures: (name, at) => `(signature, expires_at) SELECT ${name}, ${at}`,
  passkey_challenges: (name, at) => `(challenge, subject, expires_at) SELECT ${name}, 'sign-in', ${at}`,
  login_failures: (name, at) =>
    `(key, failures, wait_until, admitted, updated_at) SELECT ${name}, 1, ${at}, gen_random_uuid(), ${at} - interval '1 hour'`,
};

/** The columns that carry the name, where it is not `key`. */
const KEYS: Readonly<Record<string, string>> = {
  oidc_records: 'id',
  revoked_tokens: 'jti',
  used_signatures: 'signature',
  passkey_challenges: 'challenge',
};

describe('the housekeeping', () => {
  let one: TestContext;
  let two: TestContext;
  let database: Database;
  beforeAll(async () => {
    one = await startTestContext();
    two = await startTestContext({ database: one.database });
    database = one.get(Database);
  });
  afterAll(async () => {
    await two.close();
    await one.close();
  });
  beforeEach(async () => {
    await database.query(`TRUNCATE ${Object.keys(ROWS).join(', ')}`);
  });

  const write = async (table: string, count: number, offset: string) => {
    const row = ROWS[table]?.(`'${offset} ' || n`, `now() + interval '${offset}'`);
    await database.query(`INSERT INTO ${table} ${row} FROM generate_series(1, ${count}) AS n`);
  };
  const count = async (table: string) => Number((await database.queryOne<{ count: string }>(`SELECT count(*) FROM ${table}`))?.count);
  const left = async (offset: string) => {
    const counts = Object.keys(ROWS).map(async (table) => {
      const key = KEYS[table] ?? 'key';
      const row = await database.queryOne<{ count: string }>(`SELECT count(*) FROM ${table} WHERE ${key} LIKE '${offset} %'`);
      return Number(row?.count);
    });
    return await Promise.all(counts);
  };

  it('knows every table whose rows have an end', async () => {
    const { rows } = await database.query<{ table: string }>(
      `SELECT DISTINCT table_name AS "table" FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> 'dropsites' -- one that has expired stays for its owner
         AND column_name IN ('expires_at', 'expire', 'wait_until', 'retired_at')`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(5);
    expect(one.get(HousekeepingService).names).toEqual(expect.arrayContaining(rows.map(({ table }) => table)));
  });

  it('repeats failed jobs of scheduled tasks, and deletes those that a later job has replaced while they ran', async () => {
    await database.query(`SELECT graphile_worker.add_job('measure_uploads', job_key => 'measure_uploads', max_attempts => 1)`);
    for (const task of ['measure_uploads', 'another_task'])
      await database.query(`SELECT graphile_worker.add_job($1, max_attempts => 1)`, [task]);
    await database.query('UPDATE graphile_worker._private_jobs SET attempts = 1');
    await one.get(JobsRepository).settleFailed(['measure_uploads']);
    const { rows } = await database.query('SELECT task_identifier AS task, key, attempts FROM graphile_worker.jobs ORDER BY id');
    expect(rows).toEqual([
      { task: 'measure_uploads', key: 'measure_uploads', attempts: 0 },
      { task: 'another_task', key: null, attempts: 1 },
    ]);
    await database.query('DELETE FROM graphile_worker._private_jobs');
  });

  it('deletes the rows of every table whose time is up, more than a batch of them, and no other', async () => {
    for (const table of Object.keys(ROWS)) {
      await write(table, 2_345, '-1 minute');
      await write(table, 7, '1 minute');
    }
    await one.get(HousekeepingService).run();
    expect([await left('-1 minute'), await left('1 minute')]).toEqual([
      [0, 0, 0, 0, 0, 0],
      [7, 7, 7, 7, 7, 7],
    ]);
  });

  it('keeps a failed login for an hour, and as long as its delay lasts', async () => {
    await database.query(`INSERT INTO login_failures (key, failures, wait_until, admitted, updated_at) VALUES
      ('fresh', 1, now() - interval '59 minutes', gen_random_uuid(), now() - interval '59 minutes'),
      ('waiting', 9, now() + interval '1 minute', gen_random_uuid(), now() - interval '2 hours'),
      ('old', 1, now() - interval '61 minutes', gen_random_uuid(), now() - interval '61 minutes')`);
    await one.get(HousekeepingService).run();
    const { rows } = await database.query<{ key: string }>('SELECT key FROM login_failures ORDER BY key');
    expect(rows.map(({ key }) => key)).toEqual(['fresh', 'waiting']);
  });

  it('is done by two processes at once without harm', async () => {
    for (const table of Object.keys(ROWS)) await write(table, 3_000, '-1 minute');
    await Promise.all([one.get(HousekeepingService).run(), two.get(HousekeepingService).run()]);
    await one.get(HousekeepingService).run(); // what one saw locked by the other while it counted
    expect(await left('-1 minute')).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('skips locked rows, and deletes them the next time', async () => {
    await write('oidc_records', 5, '-1 minute');
    await database.transaction(async () => {
      await database.query(`SELECT FROM oidc_records WHERE id = '-1 minute 3' FOR UPDATE`);
      await two.get(HousekeepingService).run();
      expect(await database.outsideTransaction(async () => await count('oidc_records'))).toBe(1);
    });
    await two.get(HousekeepingService).run();
    expect(await count('oidc_records')).toBe(0);
  });

  it('deletes keys that were retired long ago and leaves those in force', async () => {
    const keys = one.get(ServerKeysService);
    const before = await keys.current();
    await keys.rotate();
    await database.query(`UPDATE server_keys SET retired_at = now() - interval '1 year' WHERE retired_at IS NOT NULL`);
    await one.get(HousekeepingService).run();
    const after = await keys.reload();
    expect(after.signing).toHaveLength(1);
    expect(after.cookies).toHaveLength(1);
    expect(after.signing).not.toEqual(before.signing);
  });

  it('is a job, planned once for all processes that do jobs', async () => {
    const workers = [
      await startTestContext({ database: one.database, worker: 'inline' }),
      await startTestContext({ database: one.database, worker: 'inline' }),
    ];
    await write('revoked_tokens', 3, '-1 minute');
    await one.get(JobsService).add('housekeeping', {});
    await eventually(async () => (await count('revoked_tokens')) === 0);
    const sql = `SELECT identifier FROM graphile_worker._private_known_crontabs WHERE identifier = 'housekeeping'`;
    const { rows } = await database.query(sql);
    expect(rows).toEqual([{ identifier: 'housekeeping' }]);
    for (const worker of workers) await worker.close();
  });
});
