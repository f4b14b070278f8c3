import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 1_000;
const MAX_ID = 2_147_483_647;

/** The next containers behind $1, up to $2; none of them is deleted meanwhile. */
const FILL = `WITH batch AS MATERIALIZED (SELECT id FROM media_containers WHERE id > $1 AND id <= $2 ORDER BY id LIMIT ${BATCH} FOR KEY SHARE),
    refreshed AS MATERIALIZED (SELECT media_search_refresh(ARRAY(SELECT id FROM batch)))
  SELECT max(id) AS last, (SELECT count(*) FROM refreshed) FROM batch`;

/**
 * The rows of the containers that exist, some thousand a second. Each batch is a transaction of its own, so that processes of the version before
 * go on meanwhile; an interrupted run continues with the next start.
 */
export class FillMediaSearch1763900800100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (let after = 0; ; ) {
      const [{ last }] = (await runner.query(FILL, [after, MAX_ID])) as [{ last: number | null }];
      if (last === null) break;
      // A row that another transaction inserts meanwhile cannot be locked before it exists, so it may be filled with what that transaction changes. Now
      // it can, and is read anew.
      await runner.query(FILL, [after, last]);
      after = last;
    }
    await runner.query('ANALYZE media_search_entries');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM media_search_entries');
  }
}
