import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FindSort } from '../../src/modules/library/finds/find-cursor.js';
import type { MediaFilter } from '../../src/modules/library/finds/media-filter.js';
import { MediaFindsRepository } from '../../src/modules/library/finds/media-finds.repository.js';
import { FilledWorld, type Plan } from '../support/database/query-plans.js';
import { recordStatements } from '../support/database/recorded-statements.js';

const ROWS = 60_000;
/** As many as are counted or walked where every second row matches, and some reserve. */
const MAX_READ = 25_000;

interface MeasuredPlan extends Omit<Plan, 'Plans'> {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly MeasuredPlan[];
}

/** Entries as the triggers would write them, of a large customer (1) and a small one (2), without the cost of the triggers. Samples are the same in each run. */
const SEED = [
  `INSERT INTO customers (name) VALUES ('large'), ('small')`,
  `INSERT INTO users (customer_id, email) VALUES (1, 'one@mail.example'), (2, 'two@mail.example')`,
  'ALTER TABLE media_containers DISABLE TRIGGER USER',
  `INSERT INTO media_containers (id, customer_id, creator_id, type, name)
    SELECT n, CASE WHEN n % 100 = 0 THEN 2 ELSE 1 END, 1, 'video', 'Film' FROM generate_series(1, ${ROWS}) AS n`,
  'ALTER TABLE media_containers ENABLE TRIGGER USER',
  `INSERT INTO media_search_entries (media_container_id, customer_id, creator_id, created_at, name_key, file_size, type, extension, tags, group_key, shuffle, terms)
    SELECT id, customer_id, id % 5, '2026-01-01T00:00:00Z'::timestamptz + id * interval '1 minute', convert_to('film ' || id, 'UTF8'), id, 'video',
      CASE id % 3 WHEN 0 THEN 'mov' WHEN 1 THEN 'wav' END, '{}', id % 3, hashint4(id) & 2147483647,
      array_to_tsvector(ARRAY[customer_id || ':a', customer_id || ':sactive', customer_id || ':yvideo', customer_id || ':wfilm', customer_id || ':wnumber' || id, customer_id || ':c' || id % 5, customer_id || ':e' || CASE id % 3 WHEN 0 THEN 'mov' ELSE 'wav' END,
        customer_id || ':tfew' || id % 1000, customer_id || ':thalf' || id % 2, customer_id || ':t' || CASE WHEN id < ${ROWS / 2} THEN 'old' ELSE 'new' END, customer_id || ':t' || CASE WHEN id < ${ROWS / 4} THEN 'oldest' ELSE 'later' END])
    FROM media_containers`,
  'ANALYZE',
];

describe('the statements of finds', () => {
  let world: FilledWorld;
  beforeAll(async () => {
    world = await FilledWorld.start({ seed: SEED, large: ['media_search_entries'] });
  });
  afterAll(async () => await world?.close());

  const find = async (filter: Partial<MediaFilter>, sort: FindSort = 'createdAt', customerId = 1) =>
    await world.process.get(MediaFindsRepository).find(customerId, {
      filter: { state: 'active', ...filter },
      ordering: { sort, order: 'desc' },
      limit: 20,
      after: null,
    });

  it.each<[string, Partial<MediaFilter>, FindSort, number, number | null]>([
    ['nothing, sorted by date', {}, 'createdAt', 20, null],
    ['nothing, sorted by name', {}, 'name', 20, null],
    ['nothing, sorted by size', {}, 'fileSize', 20, null],
    ['a frequent word', { words: ['film'] }, 'createdAt', 20, null],
    ['half of all', { tags: ['half1'] }, 'name', 20, null],
    ['a rare tag', { tags: ['few7'] }, 'createdAt', 20, ROWS / 1_000],
    ['a rare word among frequent beginnings', { words: ['num', 'number17'] }, 'createdAt', 20, 1_100],
    ['a word that does not occur', { words: ['zeppelin'] }, 'createdAt', 0, 0],
    ['a small range', { minSize: 100, maxSize: 150 }, 'createdAt', 20, 50],
  ])('read few rows for %s', async (_, filter, sort, length, total) => {
    let found: Awaited<ReturnType<typeof find>> | null = null;
    const statements = await recordStatements(async () => {
      found = await find(filter, sort);
    });
    expect(found).toMatchObject({ total, positions: { length } });
    await world.client.query('SET enable_seqscan = off; SET random_page_cost = 1.1'); // as finds do
    for (const { text, values } of statements.filter((one) => one.text.includes('media_search_entries'))) {
      const { rows } = await world.client.query<{ 'QUERY PLAN': { Plan: MeasuredPlan }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [
        ...values,
      ]);
      const [measured] = rows[0]?.['QUERY PLAN'] ?? [];
      expect(measured && rowsRead(measured.Plan)).toBeLessThan(MAX_READ);
    }
    expect(statements.length).toBeGreaterThan(2);
  });

  it('find matches that are far behind in the order', async () => {
    const { positions, total } = await find({ tags: ['old'] });
    const ids = positions.map(({ id }) => id);
    expect([total, ids]).toEqual([null, Array.from({ length: 20 }, (_, n) => ROWS / 2 - 1 - n)]);
    const oldest = await find({ tags: ['oldest'] });
    expect(oldest.positions.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => ROWS / 4 - 1 - n));
    const createdBefore = new Date(Date.parse('2026-01-01T00:00:00Z') + 1_000 * 60_000);
    expect((await find({ createdBefore })).positions.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => 999 - n));
  });

  it('count facets', async () => {
    const ids = Array.from({ length: ROWS }, (_, n) => n + 1).filter((id) => id % 100 > 0 && id > 1_000);
    const count = (rest: number) => ids.filter((id) => id % 3 === rest).length;
    const createdAfter = new Date(Date.parse('2026-01-01T00:00:00Z') + 1_000 * 60_000);
    expect(await world.process.get(MediaFindsRepository).countFacets(1, { state: 'active', type: 'video', createdAfter })).toEqual([
      { facet: 'extension', value: 'mov', count: count(0) },
      { facet: 'extension', value: 'wav', count: count(1) },
      { facet: 'type', value: 'video', count: ids.length },
    ]);
  });

  it('do not depend on the containers of another customer', async () => {
    expect(await find({ words: ['film'] }, 'createdAt', 2)).toMatchObject({ total: ROWS / 100, positions: { length: 20 } });
    expect(await find({ tags: ['few7'] }, 'createdAt', 2)).toMatchObject({ total: 0 });
  });
});

/** How many rows of the table a plan has read; an entry of an index that is sufficient costs a tenth of a row. */
function rowsRead(plan: MeasuredPlan): number {
  if (plan['Node Type'] === 'Index Only Scan') return plan['Actual Rows'] / 10;
  const own = 'Relation Name' in plan ? plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) : 0;
  return own + (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
}
