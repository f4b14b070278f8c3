import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `media_items.version` is the version of the object in the storage. */
const COLUMNS = {
  customers: 'version',
  formats: 'version',
  media_containers: 'version',
  media_items: 'revision',
  embed_links: 'version',
  dropsites: 'version',
  subscriptions: 'version',
};

/** Counts the changes of every row that clients can change or destroy, for ETag and If-Match. A constant default rewrites no table. */
export class AddVersions1764005000000 implements MigrationInterface {
  /** Locks one table at a time, because requests lock several of them, and a transaction with all of these locks would deadlock with one. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of Object.entries(COLUMNS)) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} integer NOT NULL DEFAULT 1`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of Object.entries(COLUMNS)) await runner.query(`ALTER TABLE ${table} DROP COLUMN IF EXISTS ${column}`);
  }
}
