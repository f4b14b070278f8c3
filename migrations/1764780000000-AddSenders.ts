import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Containers of dropsites, by the batches that they came with; a thousand batches at a time. */
const FILL = `WITH batch AS MATERIALIZED (
    SELECT id, user_id, items FROM upload_batches WHERE id > $1 AND dropsite_id IS NOT NULL AND user_id IS NOT NULL ORDER BY id LIMIT 1000
  ), filled AS (
    UPDATE media_containers AS c SET sender_id = batch.user_id FROM batch, jsonb_array_elements(batch.items) AS item
    WHERE c.id = (item->>'mediaContainerId')::int AND c.origin IS NOT NULL AND c.sender_id IS NULL
  )
  SELECT max(id) AS last FROM batch`;

/** Media containers name the sender who uploaded them to a dropsite. */
export class AddSenders1764780000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE media_containers ADD COLUMN IF NOT EXISTS sender_id integer
      CONSTRAINT media_containers_sender_id_fkey REFERENCES users (id) ON DELETE SET NULL`);
    await runner.query(
      'CREATE INDEX IF NOT EXISTS media_containers_sender_id_idx ON media_containers (sender_id) WHERE sender_id IS NOT NULL',
    );
    for (let last: number | null = 0; last !== null; ) {
      const [batch]: { last: number | null }[] = await runner.query(FILL, [last]);
      last = batch?.last ?? null;
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE media_containers DROP COLUMN sender_id');
  }
}
