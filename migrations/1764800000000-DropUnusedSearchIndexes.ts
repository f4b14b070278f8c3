import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = [
  `media_search_entries_creator_id_idx ON media_search_entries (customer_id, creator_id, created_at, media_container_id) INCLUDE (file_size, group_key)`,
  `media_search_entries_time_idx ON media_search_entries USING brin (created_at)
    WITH (pages_per_range = 32, autosummarize = on) WHERE shuffle >= 0`,
];

/** Two indexes of search entries that are younger than version 1.0 and that no statement of 1.1.0 reads. */
export class DropUnusedSearchIndexes1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('DROP INDEX media_search_entries_creator_id_idx, media_search_entries_time_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of INDEXES) await runner.query(`CREATE INDEX ${index}`);
  }
}
