import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 1_000;

/**
 * The rows of the containers that exist, some thousand a second. Each batch is a transaction of its own, so that processes of the version before
 * go on meanwhile; an interrupted run continues with the next start.
 */
export class FillMediaSearch1763900800100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (let after = 0; ; ) {
      const [{ last }] = (await runner.query(
        `WITH batch AS MATERIALIZED (SELECT id FROM media_containers WHERE id > $1 ORDER BY id LIMIT ${BATCH} FOR KEY SHARE),
          refreshed AS MATERIALIZED (SELECT media_search_refresh(ARRAY(SELECT id FROM batch)))
        SELECT max(id) AS last, (SELECT count(*) FROM refreshed) FROM batch`,
        [after],
      )) as [{ last: number | null }];
      if (last === null) break;
      after = last;
    }
    await runner.query('ANALYZE media_search_entries');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM media_search_entries');
  }
}
