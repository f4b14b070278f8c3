import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivitiesService } from '../../src/modules/activity/activities.service.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { FilledWorld } from '../support/database/query-plans.js';

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
  let world: FilledWorld;
  let caller: Caller;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: LARGE });
    const { rows } = await world.client.query<{ id: number }>('SELECT max(id) AS id FROM customers');
    caller = { customerId: rows[0]?.id ?? 0 } as Caller;
  });
  afterAll(async () => await world?.close());

  const list = async (query: object) => await world.process.get(ActivitiesService).list(caller, { limit: 100, ...query });

  it.each<[string, object]>([
    ['the newest', {}],
    ['the next page', { before: 30_000 }],
    ['those that run', { status: 'running' }],
    ['those of a type', { type: 'transcoding' }],
    ['those of a container', { mediaContainerId: 17 }],
    ['a page of those of a container', { mediaContainerId: 17, before: 30_000, status: 'failed' }],
  ])('find by an index: %s', async (_name, query) => {
    expect(await world.wholeReadsOncePrepared(async () => await list(query))).toEqual([]);
  });

  it('are reported if one reads a large table completely', async () => {
    expect(await world.tablesFoundOut()).toEqual(LARGE);
  });
});
