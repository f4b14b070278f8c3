import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BATCH, fillAll, locked } from './1763900810100-CoverMediaFinds.js';

/** The next entries behind $1, locked in the order in which the triggers lock them too. */
const FILL = `WITH batch AS MATERIALIZED (
    SELECT media_container_id AS id FROM media_search_entries WHERE media_container_id > $1 AND creator_id IS NULL
    ORDER BY media_container_id LIMIT ${BATCH} FOR UPDATE
  ), filled AS (
    UPDATE media_search_entries AS e SET creator_id = c.creator_id
    FROM batch JOIN media_containers AS c USING (id) WHERE e.media_container_id = batch.id
  )
  SELECT max(id) AS last FROM batch`;

const INDEXES = [
  {
    name: 'created_at',
    columns: 'customer_id, created_at, media_container_id',
    covered: 'file_size, group_key, type, extension, creator_id',
    coveredBefore: 'file_size, group_key',
  },
  {
    name: 'file_size',
    columns: 'customer_id, file_size, media_container_id',
    covered: 'created_at, group_key, type, extension, creator_id',
    coveredBefore: 'created_at, group_key',
  },
];
const BY_CREATOR =
  'media_search_entries_creator_id_idx ON media_search_entries (customer_id, creator_id, created_at, media_container_id) INCLUDE (file_size, group_key)';

/**
 * An index by creator, and types, extensions and creators in the indexes of dates and sizes: finds by these values and a period or a size read only one
 * index. Changes of media wait while an index is made, some seconds for a million; finds do not. An interrupted run continues with the next start.
 */
export class IndexMediaByCreator1763900840100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await fillAll(runner, FILL);
    // Transactions that began before the column was there may have written rows without a creator; the lock waits for them.
    await locked(runner, 'SHARE ROW EXCLUSIVE', async () => await fillAll(runner, FILL));
    await runner.query('VACUUM ANALYZE media_search_entries'); // the fill left an old version of each row, which the new indexes need not contain
    await locked(runner, 'SHARE', async () => {
      await runner.query(`CREATE INDEX IF NOT EXISTS ${BY_CREATOR}`);
    });
    for (const { name, columns, covered } of INDEXES) await makeBeside(runner, name, `(${columns}) INCLUDE (${covered})`);
    await locked(runner, 'ACCESS EXCLUSIVE', async () => {
      for (const { name } of INDEXES) await replace(runner, name);
      await runner.query('ALTER TABLE media_search_entries ALTER COLUMN creator_id SET NOT NULL');
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE media_search_entries ALTER COLUMN creator_id DROP NOT NULL');
    await runner.query('DROP INDEX media_search_entries_creator_id_idx');
    for (const { name, columns, coveredBefore } of INDEXES) {
      await makeBeside(runner, name, `(${columns}) INCLUDE (${coveredBefore})`);
      await locked(runner, 'ACCESS EXCLUSIVE', async () => await replace(runner, name));
    }
  }
}

async function makeBeside(runner: QueryRunner, name: string, definition: string): Promise<void> {
  await locked(runner, 'SHARE', async () => {
    await runner.query(`CREATE INDEX IF NOT EXISTS media_search_entries_${name}_new_idx ON media_search_entries ${definition}`);
  });
}

async function replace(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX media_search_entries_${name}_idx`);
  await runner.query(`ALTER INDEX media_search_entries_${name}_new_idx RENAME TO media_search_entries_${name}_idx`);
}
