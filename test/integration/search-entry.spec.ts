import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';

const FILE = new URL('../../src/modules/library/finds/search-entry.sql', import.meta.url);

/** The functions of search entries, and the triggers that call them. */
const READ = `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname LIKE 'media\\_search\\_%'
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal AND tgname LIKE 'media\\_search\\_%' ORDER BY 1`;
const DROP = `DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE proname LIKE 'media\\_search\\_%' LOOP EXECUTE 'DROP FUNCTION ' || name || ' CASCADE'; END LOOP;
  END
$$`;

describe('search-entry.sql', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** The definitions without line breaks and indentation. */
  const read = async () =>
    (await client.query<{ definition: string }>(READ)).rows.map(({ definition }) =>
      definition.replaceAll(/\s+/g, ' ').replaceAll(/(?<=\() | (?=\))/g, ''),
    );

  it('creates the functions and triggers of a migrated database', async () => {
    const migrated = await read();
    expect(migrated).toHaveLength(10);
    await client.query('BEGIN');
    await client.query(DROP);
    expect(await read()).toEqual([]);
    await client.query(readFileSync(FILE, 'utf8'));
    expect(await read()).toEqual(migrated);
    await client.query('ROLLBACK');
  });
});
