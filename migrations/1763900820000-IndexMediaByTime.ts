import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A BRIN index of creation times, less than 100 kB for a million media containers. Containers are mostly stored in the order of their creation, so it
 * tells which pages of the table have those of a period; together with the index of terms it finds the newest matches among many old ones. Changes of
 * media wait while it is made, a quarter of a second for a million. Only finds that require `shuffle >= 0`, which always holds, use it: for others,
 * PostgreSQL would prefer it to more exact indexes.
 */
export class IndexMediaByTime1763900820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query(
      `CREATE INDEX media_search_entries_time_idx ON media_search_entries USING brin (created_at)
        WITH (pages_per_range = 32, autosummarize = on) WHERE shuffle >= 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX media_search_entries_time_idx');
  }
}
