import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ActivitiesService } from '../../src/modules/activity/activities.service.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { explain, readWhole } from '../support/query-plans.js';
import { recordStatements } from '../support/recorded-statements.js';
import { startTestContext, type TestContext } from '../support/test-context.js';

const CUSTOMERS = 200;
const SEED = [
  `INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, ${CUSTOMERS}) AS n`,
  `INSERT INTO activities (id, customer_id, type, status, media_container_id)
    SELECT gen_random_uuid(), 1 + n % ${CUSTOMERS}, CASE n % 3 WHEN 0 THEN 'upload' ELSE 'transcoding' END,
      CASE n % 50 WHEN 0 THEN 'running' ELSE 'successful' END, CASE n % 3 WHEN 0 THEN NULL ELSE n / 3 END
    FROM generate_series(1, 60000) AS n`,
  `INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, priority, turn, ready_at)
    SELECT id, customer_id, media_container_id, media_container_id, sequence, '{ffmpeg}', 1, sequence, now() FROM activities
    WHERE type = 'transcoding'`,
  'ANALYZE',
];
const LARGE = ['activities', 'transcoding_jobs'];

describe('the statements on jobs that callers see', () => {
  let process: TestContext;
  let client: pg.Client;
  let caller: Caller;
  beforeAll(async () => {
    process = await startTestContext();
    client = new pg.Client({ connectionString: process.database.url });
    await client.connect();
    for (const sql of SEED) await client.query(sql);
    const { rows } = await client.query<{ id: number }>('SELECT max(id) AS id FROM customers');
    caller = { customerId: rows[0]?.id ?? 0 } as Caller;
    await client.query('SET plan_cache_mode = force_generic_plan'); // what a prepared statement may get at any time
  });
  afterAll(async () => {
    await client?.end();
    await process?.close();
  });

  const list = async (query: object) => await process.get(ActivitiesService).list(caller, { limit: 100, ...query });

  it.each<[string, object]>([
    ['the newest', {}],
    ['the next page', { before: 30_000 }],
    ['those that run', { status: 'running' }],
    ['those of a type', { type: 'transcoding' }],
    ['those of a container', { mediaContainerId: 17 }],
    ['a page of those of a container', { mediaContainerId: 17, before: 30_000, status: 'failed' }],
  ])('find by an index: %s', async (_name, query) => {
    const statements = await recordStatements(async () => await list(query));
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, values } of statements) {
      const literals = values.map((value) => pg.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value)));
      await client.query('DEALLOCATE ALL');
      await client.query(`PREPARE it AS ${text}`);
      const plan = await explain(client, `EXECUTE it(${literals.join(', ')})`);
      expect({ text, readWhole: readWhole(plan).filter((table) => LARGE.includes(table)) }).toEqual({ text, readWhole: [] });
    }
  });

  it('would be told of, if one read a large table whole', async () => {
    for (const table of LARGE)
      expect(readWhole(await explain(client, `SELECT count(*) FROM ${table} WHERE ${table}::text LIKE '%x%'`))).toEqual([table]);
  });
});
