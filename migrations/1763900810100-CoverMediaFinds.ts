import type { MigrationInterface, QueryRunner } from 'typeorm';
import { groupKey } from './1763900810000-GroupMediaSearchEntries.js';

/** Rows that one statement fills. */
export const BATCH = 2_000;

/** The next entries behind $1, locked in the order in which the triggers lock them too. */
const FILL = `WITH batch AS MATERIALIZED (
    SELECT media_container_id AS id FROM media_search_entries WHERE media_container_id > $1 AND group_key = 0
    ORDER BY media_container_id LIMIT ${BATCH} FOR UPDATE
  ), filled AS (
    UPDATE media_search_entries AS e SET group_key = ${groupKey('e.type', 'e.extension', 'e.tags', `e.terms @@ (quote_literal(e.customer_id || ':strash'))::tsquery`)}
    FROM batch WHERE e.media_container_id = batch.id
  )
  SELECT max(id) AS last FROM batch`;

const INDEXES = [
  { name: 'created_at', columns: 'customer_id, created_at, media_container_id', covered: 'file_size, group_key' },
  { name: 'file_size', columns: 'customer_id, file_size, media_container_id', covered: 'created_at, group_key' },
];

/**
 * The indexes of dates and sizes contain everything that finds without other conditions need, and facets of groups. Changes of media wait while one is
 * made, some seconds for a million; finds do not. It cannot be made CONCURRENTLY, which would wait for the processes that wait for this migration. An
 * interrupted run continues with the next start.
 */
export class CoverMediaFinds1763900810100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await fillAll(runner, FILL);
    // Transactions that began before the column was there may have written rows without a key; the lock waits for them.
    await locked(runner, 'SHARE ROW EXCLUSIVE', async () => await fillAll(runner, FILL));
    for (const { name, columns, covered } of INDEXES) {
      const index = `media_search_entries_${name}_covering_idx`;
      await locked(runner, 'SHARE', async () => {
        await runner.query(`CREATE INDEX IF NOT EXISTS ${index} ON media_search_entries (${columns}) INCLUDE (${covered})`);
      });
    }
    await locked(runner, 'ACCESS EXCLUSIVE', async () => {
      for (const { name } of INDEXES) {
        await runner.query(`DROP INDEX media_search_entries_${name}_idx`);
        await runner.query(`ALTER INDEX media_search_entries_${name}_covering_idx RENAME TO media_search_entries_${name}_idx`);
      }
      await runner.query('ALTER TABLE media_search_entries ALTER COLUMN group_key DROP DEFAULT');
    });
    await runner.query('VACUUM ANALYZE media_search_entries');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE media_search_entries ALTER COLUMN group_key SET DEFAULT 0');
    for (const { name, columns } of INDEXES) {
      await runner.query(`DROP INDEX media_search_entries_${name}_idx`);
      await runner.query(`CREATE INDEX media_search_entries_${name}_idx ON media_search_entries (${columns})`);
    }
  }
}

/** In a short transaction of its own, which does not need a stronger lock later: that could cause a deadlock. */
export async function locked(runner: QueryRunner, mode: string, work: () => Promise<void>): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query(`LOCK TABLE media_search_entries IN ${mode} MODE`);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/** Runs a statement that fills the next entries behind $1, and returns the last of them, until it finds none. */
export async function fillAll(runner: QueryRunner, statement: string): Promise<void> {
  for (let after = 0; ; ) {
    const [{ last }] = (await runner.query(statement, [after])) as [{ last: number | null }];
    if (last === null) return;
    after = last;
  }
}
