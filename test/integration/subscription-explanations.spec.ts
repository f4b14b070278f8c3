import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explainMatch } from '../../src/modules/subscriptions/explain-match.js';
import { Database } from '../../src/shared/database/index.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';

let context: TestContext;
beforeAll(async () => {
  context = await startTestContext();
});
afterAll(async () => {
  await context?.close();
});

type Payload = Record<string, unknown>;

/** Few names and values, so that one is often contained in another. */
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, '', '1', 'a', 'ä', 'null');
const name = fc.constantFrom('a', 'b', 'a.b', '0', '', '__proto__', 'constructor');
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const payload = fc.dictionary(name, tree, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Payload>;

/** A part of a value, as a condition would be: members and elements left out, elements in another order, twice. */
const partOf = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) return fc.subarray(value).chain((kept) => fc.tuple(...[...kept, ...kept.slice(0, 1)].reverse().map(partOf)));
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  return fc
    .subarray(Object.entries(value))
    .chain((kept) => fc.tuple(...kept.map(([key, inner]) => partOf(inner).map((part) => [key, part] as const))))
    .map((members) => Object.fromEntries(members));
};

const cases = fc.oneof(
  fc.tuple(payload, payload),
  payload.chain((event) => fc.tuple(fc.constant(event), partOf(event) as fc.Arbitrary<Payload>)),
);

/** What the planner of runs asks PostgreSQL, for many at once. */
async function contains(pairs: readonly (readonly [Payload, Payload])[]): Promise<boolean[]> {
  const sql = `SELECT (pair->0) @> (pair->1) AS contains FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS pairs (pair, at) ORDER BY at`;
  const { rows } = await context.get(Database).query<{ contains: boolean }>(sql, [JSON.stringify(pairs)]);
  return rows.map((row) => row.contains);
}

const explained = ([event, condition]: readonly [Payload, Payload]): boolean =>
  explainMatch(
    { name: 'event:s3success', methods: null, payload: condition, processedAt: null },
    { name: 'event:s3success', method: 'create', payload: event },
  ).length === 0;

describe('the explanation of a match', () => {
  it('agrees with PostgreSQL', async () => {
    const pairs = fc.sample(cases, 20_000);
    const expected = await contains(pairs);
    expect(new Set(expected)).toEqual(new Set([true, false]));
    const different = pairs.filter((pair, index) => explained(pair) !== expected[index]);
    expect(different.slice(0, 3)).toEqual([]);
  });

  it('agrees in edge cases', async () => {
    const pairs: [Payload, Payload][] = [
      [{ a: [1, 2, 3] }, { a: [3, 1, 1] }],
      [{ a: [1] }, { a: 1 }],
      [{ a: 1 }, { a: [1] }],
      [{ a: [[1, 2]] }, { a: [[2]] }],
      [{ a: [1, 2] }, { a: [[1]] }],
      [{ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2 }] }],
      [{ a: [{ b: 1 }, { c: 2 }] }, { a: [{ b: 1, c: 2 }] }],
      [{ a: {} }, { a: {} }],
      [{ a: [] }, { a: {} }],
      [{ a: null }, {}],
      [{}, { a: null }],
      [{ a: 1.0 }, { a: 1 }],
      [{ a: -0 }, { a: 0 }],
      [{ a: '1' }, { a: 1 }],
    ];
    expect(pairs.map(explained)).toEqual(await contains(pairs));
  });
});
