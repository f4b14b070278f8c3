import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database, selectTogether } from '../../src/shared/database/index.js';
import { recordStatements } from '../support/recorded-statements.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => await app.close());

it('selects rows of several kinds with one statement, each with its own parameters', async () => {
  const numbers = { text: 'SELECT n FROM unnest($1::int[]) AS n WHERE n > $2', values: [[1, 2, 3], 1] };
  const words = { text: `SELECT word, now() > $2::timestamptz AS late FROM unnest($1::text[]) AS word`, values: [['a'], new Date(0)] };
  const nothing = { text: 'SELECT 1 AS one WHERE $1', values: [false] };
  let found: object[][] = [];
  const statements = await recordStatements(async () => {
    found = await selectTogether(app.app.get(Database), [numbers, words, nothing]);
  });
  expect(found).toEqual([[{ n: 2 }, { n: 3 }], [{ word: 'a', late: true }], []]);
  expect(statements).toHaveLength(1);
});
