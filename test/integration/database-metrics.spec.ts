import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock, FakeClock } from '../../src/shared/clock.js';
import { Database } from '../../src/shared/database/index.js';
import { startMetrics } from '../../src/shared/metrics.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.js';
import { recordStatements } from '../support/database/recorded-statements.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { eventually } from '../support/eventually.js';
import { metricNames, valueIn } from '../support/metrics.js';

const SEED = [
  `INSERT INTO customers (id, name) VALUES (7, 'Acme')`,
  `INSERT INTO users (id, customer_id, email) VALUES (7, 7, 'ada@example.org')`,
  `INSERT INTO subscriptions (id, customer_id, creator_id, last_editor_id, name, flag, instructions, lanes, signing_secret)
    SELECT n, 7, 7, 7, 'event:s3success', 0, '', '{a}', '' FROM generate_series(1, 9) AS n`,
  `INSERT INTO events (id, name, customer_id, method, payload) VALUES (1, 'event:s3success', 7, 'create', '{}')`,
  // Two wait for their first attempt, one for a place after a failure; one is not due yet, one is overdue.
  `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane, attempts, next_attempt_at, created_at, locked_by)
    VALUES (1, 1, gen_random_uuid(), false, 'ready', 'a', 0, NULL, now() - interval '30 seconds', NULL),
      (1, 2, gen_random_uuid(), false, 'ready', 'b', 0, NULL, now() - interval '90 seconds', NULL),
      (1, 3, gen_random_uuid(), false, 'ready', 'b', 1, NULL, now() - interval '5 hours', NULL),
      (1, 4, gen_random_uuid(), false, 'waiting', 'b', 1, now() + interval '1 hour', now() - interval '5 hours', NULL),
      (1, 5, gen_random_uuid(), false, 'waiting', 'b', 1, now() - interval '20 seconds', now() - interval '5 hours', NULL),
      (1, 6, gen_random_uuid(), false, 'running', 'b', 1, NULL, now(), 'worker'),
      (1, 7, gen_random_uuid(), true, 'held', 'b', 0, NULL, now(), NULL),
      (1, 8, gen_random_uuid(), false, 'succeeded', 'b', 1, NULL, now(), NULL)`,
  `INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, priority, turn, state, ready_at, locked_by)
    SELECT gen_random_uuid(), 7, n, n, 1, '{}', CASE WHEN n = 1 THEN 0 ELSE 1 END, n, CASE WHEN n = 2 THEN 'running' ELSE 'ready' END,
      now() + interval '1 minute' * (n - 4), CASE WHEN n = 2 THEN 'worker' END FROM generate_series(1, 6) AS n`,
  `SELECT graphile_worker.add_job('some_task', run_at => now() - interval '40 seconds')`,
  `SELECT graphile_worker.add_job('some_task', run_at => now() + interval '1 hour')`,
  `WITH job AS (SELECT graphile_worker.add_job('other_task', max_attempts => 1) AS added)
    SELECT graphile_worker.permanently_fail_jobs(ARRAY[(added).id], 'It failed.') FROM job`,
];

/** Of the service; that of the database goes on. */
const clock = new FakeClock(new Date());
let database: TestDatabase;
let proxy: DatabaseProxy;
let context: TestContext;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database);
  context = await startTestContext({
    database: { ...database, url: proxy.url },
    prepare: (get) => {
      get(Clock).now = () => clock.now();
    },
  });
  for (const statement of SEED) await context.get(Database).query(statement);
});
afterEach(() => {
  proxy.hold(false);
  proxy.cutOff(false);
});
afterAll(async () => {
  await context.close();
  await proxy.close();
  await database.drop();
});

const readAll = startMetrics();
/** After what was known has become old. */
async function scrape(): Promise<string> {
  clock.advance(10);
  return await readAll();
}

/** Connections break, and new ones get no answer. */
function cutThenHold(): void {
  proxy.cutOff(true);
  proxy.hold(true);
  proxy.cutOff(false);
}

describe('the metrics of the database', () => {
  it('count the rows of each queue by state, and for how long the oldest one waits', async () => {
    const text = await scrape();
    const states: Record<string, Record<string, [length: number | null, age: number | null]>> = {
      subscription_runs: { ready: [3, 90], waiting: [2, 20], running: [1, null], held: [1, null] },
      previews: { ready: [1, 180], waiting: [0, null], running: [0, null] },
      transcodings: { ready: [2, 60], waiting: [2, null], running: [1, null] },
      jobs: { ready: [1, 40], waiting: [1, null], running: [0, null], failed: [1, null] },
    };
    for (const [queue, expected] of Object.entries(states)) {
      for (const [state, [length, age]] of Object.entries(expected)) {
        const labels = `{queue="${queue}",state="${state}"}`;
        expect([labels, valueIn(text, `queue_length${labels}`)]).toEqual([labels, length]);
        const found = valueIn(text, `queue_oldest_age_seconds${labels}`);
        expect([labels, found === null, Math.abs((found ?? 0) - (age ?? 0)) < 20]).toEqual([labels, age === null, true]);
      }
    }
    expect(text.match(/^queue_length/gm)).toHaveLength(14);
    expect(['database_up', 'database_notifications_up'].map((name) => valueIn(text, name))).toEqual([1, 1]);
    // The statement of the scrape itself does not count.
    expect(['database_waiting_statements', 'database_connections{state="used"}'].map((name) => valueIn(text, name))).toEqual([0, 0]);
  });

  it('describe the pool', async () => {
    const { pool } = context.get(Database);
    const taken = await Promise.all(Array.from({ length: 16 }, async () => await pool.connect()));
    const waiting = [pool.connect(), pool.connect(), pool.connect()];
    const text = await scrape();
    for (const client of taken) client.release();
    for (const client of await Promise.all(waiting)) client.release();
    await eventually(async () => valueIn(await scrape(), 'database_up') === 1);
    const names = ['database_connections{state="used"}', 'database_connections{state="idle"}', 'database_connections_limit'];
    expect(names.map((name) => valueIn(text, name))).toEqual([16, 0, 16]);
    expect(valueIn(text, 'database_waiting_statements')).toBeGreaterThanOrEqual(3);
  });

  it('count the queues by one statement, for scrapes at the same time and for a few seconds', async () => {
    const counts = async (work: () => Promise<unknown>) =>
      (await recordStatements(work)).filter(({ text }) => text.includes("'subscription_runs' AS queue")).length;
    const many = async () => {
      await Promise.all([scrape(), readAll(), readAll()]);
      clock.advance(4);
      await readAll();
    };
    expect([await counts(many), await counts(scrape)]).toEqual([1, 1]);
  });

  it('show the last lengths for a minute while the queues cannot be counted, and that the database answers', async () => {
    const locking = await context.get(Database).pool.connect();
    await scrape();
    await locking.query('BEGIN; LOCK TABLE subscription_runs');
    const length = async () => valueIn(await readAll(), 'queue_length{queue="subscription_runs",state="ready"}');
    clock.advance(55);
    expect([await length(), valueIn(await readAll(), 'database_up')]).toEqual([3, 1]);
    clock.advance(10);
    expect([await length(), valueIn(await readAll(), 'database_up')]).toEqual([null, 1]);
    await locking.query('COMMIT');
    locking.release();
    await eventually(async () => (await length()) === 3);
  });

  it.each([
    ['refuses connections', () => proxy.cutOff(true)],
    ['does not answer', cutThenHold],
  ])('say within two seconds that it is down when it %s, beside all other metrics', async (_how, fail) => {
    const before = await scrape();
    fail();
    await eventually(() => context.get(Database).pool.totalCount === 0);
    const startedAt = performance.now();
    const text = await scrape();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(valueIn(text, 'database_up')).toBe(0);
    expect(metricNames(text)).toEqual(metricNames(before));
    expect(text).not.toMatch(/^queue_/m);
    expect(valueIn(text, 'http_request_duration_seconds_count')).toBe(valueIn(before, 'http_request_duration_seconds_count'));
    proxy.hold(false);
    proxy.cutOff(false);
    await eventually(async () => valueIn(await scrape(), 'database_up') === 1);
  });
});
