import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { PreviewProgressService } from '../../src/modules/converter/index.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { explain, readWhole } from '../support/database/query-plans.js';
import { recordStatements } from '../support/database/recorded-statements.js';

const [CONTAINERS, FORMATS, TRIES] = [5_000, 3, 2];
/** Each container was transcoded twice into each format: the first time it failed. */
const SEED = `INSERT INTO activities (id, customer_id, type, status, progress, media_container_id, format_id)
  SELECT gen_random_uuid(), $1, 'transcoding', CASE try WHEN 1 THEN 'failed' ELSE 'running' END, format * 10, container, format
  FROM generate_series(1, ${TRIES}) AS try, generate_series(1, ${CONTAINERS}) AS container, generate_series(1, ${FORMATS}) AS format
  ORDER BY try`;

let process: TestContext;
let client: pg.Client;

beforeAll(async () => {
  process = await startTestContext();
  client = new pg.Client({ connectionString: process.database.url });
  await client.connect();
  const { rows } = await client.query<{ id: number }>(`INSERT INTO customers (name) VALUES ('one') RETURNING id`);
  await client.query(SEED, [rows[0]?.id]);
  await client.query('ANALYZE');
});
afterAll(async () => {
  await client?.end();
  await process?.close();
});

const find = async (id: number) => await process.get(PreviewProgressService).find(id);
const insert = async (values: string) =>
  await process.get(Database).query(
    `INSERT INTO activities (id, customer_id, type, status, progress, media_container_id, format_id)
      SELECT '${randomUUID()}', customer_id, ${values} FROM activities LIMIT 1`,
  );

it('is that of the newest transcoding into each format', async () => {
  const found = await find(17);
  expect(found.map(({ formatId, status, progress }) => [formatId, status, progress])).toEqual([
    [1, 'running', 10],
    [2, 'running', 20],
    [3, 'running', 30],
  ]);
  await insert(`'transcoding', 'successful', 100, 17, 2`);
  expect((await find(17))[1]).toMatchObject({ formatId: 2, status: 'successful', progress: 100 });
});

it('is of no concern to jobs of other kinds', async () => {
  await insert(`'formatDestruction', 'running', NULL, 6001, 1`);
  await insert(`'upload', 'running', NULL, 6001, NULL`);
  expect(await find(6_001)).toEqual([]);
});

it('is read in one statement for many containers, and found by the index', async () => {
  const statements = await recordStatements(
    async () => void (await process.get(PreviewProgressService).findMany(Array.from({ length: 50 }, (_, n) => 100 + n))),
  );
  const asked = statements.filter(({ text }) => text.includes('activities'));
  expect(asked.length).toBe(1);
  await client.query('SET plan_cache_mode = force_generic_plan');
  await client.query(`PREPARE it AS ${asked[0]?.text}`);
  expect(readWhole(await explain(client, `EXECUTE it('{17,18}')`))).toEqual([]);
});
