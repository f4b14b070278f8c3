import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { FillMediaSearch1763900800100 } from '../../migrations/1763900800100-FillMediaSearch.js';
import type { FindOrder, FindSort } from '../../src/modules/library/finds/find-cursor.js';
import { encodeCursor } from '../../src/modules/library/finds/find-cursor.js';
import { MediaFindsService, type WantedMedia } from '../../src/modules/library/finds/media-finds.service.js';
import { DropsiteLinks } from '../../src/modules/library/index.js';
import type { Caller } from '../../src/shared/auth/index.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { eventually } from '../support/eventually.js';

/** One whose rows a sample has all, and one with more. */
const SIZES = [250, 2_300] as const;
const RUNS = 500;
const AT_A_TIME = 8;

const TYPES = ['video', 'audio', 'image', 'document'] as const;
const WORDS = ['Räiver', 'riverbank', 'Film', 'O’Neil', 'IMG_20', '漢字', 'Łódź', 'a'] as const;

/** A container as the naive filter knows it. */
interface Known {
  readonly id: number;
  readonly name: string;
  readonly texts: string;
  readonly type: string;
  readonly flag: number;
  readonly tags: readonly string[];
  readonly creatorId: number;
  readonly origin: number | null;
  readonly createdAt: Date;
  readonly fileSize: number | null;
  readonly extension: string | null;
  readonly formats: readonly number[];
  /** Whether the original has; true without files. */
  readonly hasArrived: boolean;
}

const READ = `SELECT c.id, c.name, concat_ws(' ', c.name, c.description, array_to_string(c.tags, ' '), c.metadata::text, string_agg(i.file_name || '.' || i.file_extension, ' ')) AS texts,
    c.type, c.flag, c.tags, c.creator_id AS "creatorId", c.origin, c.created_at AS "createdAt",
    (array_agg(i.file_size::float8 ORDER BY i.id) FILTER (WHERE i.role IS NULL))[1] AS "fileSize",
    (array_agg(i.file_extension ORDER BY i.id) FILTER (WHERE i.role IS NULL))[1] AS extension,
    coalesce(array_agg(i.format_id) FILTER (WHERE i.status = 'successful'), '{}') AS formats,
    coalesce((array_agg(i.status = 'successful' ORDER BY i.id) FILTER (WHERE i.role IS NULL))[1], true) AS "hasArrived"
  FROM media_containers c LEFT JOIN media_items i ON i.media_container_id = c.id WHERE c.customer_id = $1 AND NOT c.doomed GROUP BY c.id`;

/** As the documentation of the words says, by other means than the service. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const hasWords = (text: string, words: readonly string[]): boolean => {
  const own = wordsOf(text);
  return words.every((word) => own.some((one) => one.startsWith(word)));
};

function matches(one: Known, wanted: WantedMedia): boolean {
  const {
    search,
    type,
    tags = [],
    extension,
    creatorId,
    createdAfter,
    createdBefore,
    minSize,
    maxSize,
    formatId,
    missingFormatId,
  } = wanted;
  const { state = 'active' } = wanted;
  const words = search === undefined ? null : wordsOf(search);
  return (
    one.hasArrived === (state !== 'incomplete') &&
    (state === 'all' || state === 'incomplete' || (one.flag === 1) === (state === 'trash')) &&
    (words === null || (words.length > 0 && hasWords(one.texts, words))) &&
    (type === undefined || one.type === type) &&
    tags.every((tag) => one.tags.includes(tag)) &&
    (extension === undefined || one.extension === extension) &&
    (creatorId === undefined || one.creatorId === creatorId) &&
    (wanted.dropsite === undefined || String(one.origin) === wanted.dropsite) &&
    (createdAfter === undefined || one.createdAt > createdAfter) &&
    (createdBefore === undefined || one.createdAt < createdBefore) &&
    (minSize === undefined || (one.fileSize !== null && one.fileSize >= minSize)) &&
    (maxSize === undefined || (one.fileSize !== null && one.fileSize <= maxSize)) &&
    (formatId === undefined || one.formats.includes(formatId)) &&
    (missingFormatId === undefined || !one.formats.includes(missingFormatId))
  );
}

interface Wanted {
  readonly filter: WantedMedia;
  readonly sort: FindSort;
  readonly order: FindOrder;
}

/** What containers are compared by, one after the other. */
function keysOf(one: Known, { filter, sort }: Wanted): (string | number)[] {
  if (sort === 'name') return [fold(one.name), one.id];
  if (sort === 'fileSize') return [one.fileSize ?? -1, one.id];
  const inName = sort === 'relevance' && hasWords(one.name, wordsOf(filter.search ?? ''));
  return [inName ? 1 : 0, one.createdAt.getTime(), one.id];
}

function compare(one: Known, other: Known, wanted: Wanted): number {
  const [own, others] = [keysOf(one, wanted), keysOf(other, wanted)];
  const n = own.findIndex((key, index) => key !== others[index]);
  return own.length === others.length && (own[n] ?? 0) < (others[n] ?? 0) ? -1 : 1;
}

const findNaively = (all: readonly Known[], wanted: Wanted): number[] => {
  const sorted = all.filter((one) => matches(one, wanted.filter)).sort((one, other) => compare(one, other, wanted));
  // With relevance those with the words in the name come first, and each part is in the order of the dates.
  return (wanted.order === 'asc' ? sorted : sorted.reverse()).map(({ id }) => id);
};

const START = Date.parse('2026-01-01T00:00:00Z');
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined, freq: 3 });
const time = fc.nat(60).map((hours) => new Date(START + hours * 3_600_000));
const filters = fc
  .record({
    search: maybe(
      fc
        .subarray(
          WORDS.map((word) => word.slice(0, 4)),
          { minLength: 0, maxLength: 2 },
        )
        .map((words) => words.join('-')),
    ),
    type: maybe(fc.constantFrom(...TYPES)),
    tags: maybe(fc.subarray(['news', 'New s', `it's`], { minLength: 1, maxLength: 2 })),
    extension: maybe(fc.constantFrom('mov', 'wav', 'txt')),
    creatorId: maybe(fc.constantFrom(1, 2)),
    dropsite: maybe(fc.constantFrom('7', '8')),
    createdAfter: maybe(time),
    createdBefore: maybe(time),
    minSize: maybe(fc.constantFrom(0, 100, 5_000)),
    maxSize: maybe(fc.constantFrom(99, 5_000)),
    formatId: maybe(fc.constantFrom(1, 2, 99)),
    missingFormatId: maybe(fc.constantFrom(1, 2, 99)),
    state: maybe(fc.constantFrom('active' as const, 'trash' as const, 'all' as const, 'incomplete' as const)),
  })
  .map((filter): WantedMedia => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given.slice(0, 4)); // more at once find nothing
  });
const finds: fc.Arbitrary<Wanted> = fc
  .record({
    filter: filters,
    sort: fc.constantFrom<FindSort>('createdAt', 'name', 'fileSize', 'relevance'),
    order: fc.constantFrom<FindOrder>('asc', 'desc'),
  })
  .map((wanted) => (wanted.sort === 'relevance' && wanted.filter.search === undefined ? { ...wanted, sort: 'createdAt' } : wanted));

describe('a find of media containers', () => {
  let world: TestContext;
  let customers: readonly { readonly id: number; readonly all: readonly Known[] }[];
  const callerOf = (customerId: number) => ({ customerId }) as Caller;

  beforeAll(async () => {
    world = await startTestContext();
    const database = world.get(Database);
    Object.assign(world.get(DropsiteLinks), { findId: async (_: number, link: string) => Number(link) }); // their ids, as links
    await database.query(`INSERT INTO customers (name) VALUES ('small'), ('large')`);
    await database.query(`INSERT INTO users (customer_id, email) VALUES (1, 'one@mail.example'), (2, 'two@mail.example')`);
    for (const [n, size] of SIZES.entries()) {
      await database.query(
        `INSERT INTO media_containers (customer_id, creator_id, type, flag, name, description, tags, metadata, origin, created_at)
          SELECT $1::int, 1 + n % 2, ($3::text[])[1 + n % 4], CASE WHEN n % 7 = 0 THEN 1 ELSE 0 END,
            ($4::text[])[1 + n % 8] || ' ' || ($4::text[])[1 + n * 5 % 7], coalesce(($4::text[])[1 + n * 3 % 11], ''),
            (ARRAY['{}', '{news}', '{"New s",news}', '{it''s}']::text[])[1 + n % 4]::text[],
            CASE WHEN n % 5 = 0 THEN jsonb_build_array(jsonb_build_object('title', 'by', 'content', ($4::text[])[1 + n % 8])) ELSE '[]' END,
            CASE n % 6 WHEN 0 THEN 7 WHEN 1 THEN 8 END, '2026-01-01T00:00:00Z'::timestamptz + (n * 7919 % 3000) * interval '1 minute'
          FROM generate_series(1, $2::int) AS n`,
        [n + 1, size, TYPES, WORDS],
      );
      await database.query(
        `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
          SELECT id, customer_id, format, type, 'IMG' || id % 9, (ARRAY['mov', 'wav', 'txt'])[1 + id % 3], id * 31 % 10000, CASE WHEN id % 3 = 0 THEN 'prepared' ELSE 'successful' END,
            'media', id || '-' || format FROM media_containers, unnest(ARRAY[1, 2]) AS format WHERE customer_id = $1 AND id % 10 > 0 AND (format = 1 OR id % 4 = 0)`,
        [n + 1],
      );
    }
    customers = await Promise.all(
      SIZES.map(async (_, n) => ({ id: n + 1, all: (await database.query<Known & object>(READ, [n + 1])).rows })),
    );
  });
  afterAll(async () => await world?.close());

  /** The ids on all pages, and what is done between them. */
  async function walk(
    customerId: number,
    { filter, sort, order }: Wanted,
    limit: number,
    between: () => Promise<unknown> = async () => {},
  ) {
    const ids: number[] = [];
    const totals = new Set<number | null>();
    for (let cursor: string | undefined; ; ) {
      const { positions, total } = await world.get(MediaFindsService).find(callerOf(customerId), filter, { sort, order, limit, cursor });
      ids.push(...positions.map(({ id }) => id));
      totals.add(total);
      const last = positions[limit - 1];
      if (!last) return { ids, totals: [...totals] };
      cursor = encodeCursor({ sort, order }, last);
      await between();
    }
  }

  it('answers what a naive filter finds, in its order, on pages of any size', async () => {
    const check = async (wanted: Wanted, share: number): Promise<void> => {
      for (const { id, all } of customers) {
        const expected = findNaively(all, wanted);
        const limit = Math.max(1, Math.ceil(expected.length * share));
        expect({ wanted, id, ...(await walk(id, wanted, limit)) }).toEqual({ wanted, id, ids: expected, totals: [expected.length] });
      }
    };
    const several = fc.array(fc.tuple(finds, fc.constantFrom(0.4, 1, 2)), { minLength: AT_A_TIME, maxLength: AT_A_TIME });
    await fc.assert(
      fc.asyncProperty(several, async (some) => void (await Promise.all(some.map(async ([wanted, share]) => await check(wanted, share))))),
      { numRuns: Math.ceil(RUNS / AT_A_TIME), endOnFailure: true },
    );
  });

  it('neither repeats nor misses a container that keeps its place, while others come, go and are renamed', async () => {
    const database = world.get(Database);
    const [{ id: customerId, all } = { id: 0, all: [] }] = customers;
    const renamed = new Set<number>();
    const changes = [
      async (n: number) =>
        await database.query(`INSERT INTO media_containers (customer_id, creator_id, type, name) VALUES (1, 1, 'video', $1)`, [`New ${n}`]),
      async (n: number) => await database.query('UPDATE media_containers SET doomed = true WHERE id = $1', [all[(n * 13) % 100]?.id]),
      async (n: number) => {
        const id = all[100 + ((n * 17) % 150)]?.id ?? 0;
        renamed.add(id);
        await database.query('UPDATE media_containers SET name = $2 WHERE id = $1', [id, `${n % 2 ? 'aa' : 'zz'} renamed ${n}`]);
      },
    ];
    let n = 0;
    const change = async () => {
      n += 1;
      await changes[n % changes.length]?.(n);
    };
    for (const sort of ['name', 'createdAt', 'fileSize'] as const) {
      for (const order of ['asc', 'desc'] as const) {
        renamed.clear();
        const before = (await walk(customerId, { filter: { state: 'all' }, sort, order }, 100)).ids;
        expect(before).toEqual([...new Set(before)]);
        const { ids } = await walk(customerId, { filter: { state: 'all' }, sort, order }, 7, change);
        const after = new Set((await walk(customerId, { filter: { state: 'all' }, sort, order }, 100)).ids);
        const isFixed = (id: number) => before.includes(id) && after.has(id) && !(sort === 'name' && renamed.has(id));
        expect(ids.filter(isFixed)).toEqual(before.filter(isFixed));
        expect(renamed.size).toBeGreaterThan(5);
      }
    }
  });

  it('knows the new name of a container that was renamed while the entries of existing containers were filled in', async () => {
    const database = world.get(Database);
    const insert = `INSERT INTO media_containers (customer_id, creator_id, type, name) VALUES (1, 1, 'video', 'Before') RETURNING id`;
    const id = (await database.queryOne<{ id: number }>(insert))?.id;
    await database.query('DELETE FROM media_search_entries WHERE media_container_id = $1', [id]);
    const renamer = new pg.Client({ connectionString: world.database.url });
    await renamer.connect();
    try {
      await renamer.query('BEGIN');
      await renamer.query(`UPDATE media_containers SET name = 'Unicorn' WHERE id = $1`, [id]);
      const runner = {
        query: async (sql: string, values?: unknown[]) => (await database.query(sql, values)).rows,
      } as unknown as QueryRunner;
      const filling = new FillMediaSearch1763900800100().up(runner);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => ((await database.query(waiting)).rowCount ?? 0) > 0);
      await renamer.query('COMMIT');
      await filling;
    } finally {
      await renamer.end();
    }
    const found = await walk(1, { filter: { search: 'unicorn' }, sort: 'createdAt', order: 'desc' }, 10);
    expect(found.ids).toEqual([id]);
  });
});
