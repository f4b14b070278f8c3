import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['embed_links', 'download_links', 'dropsites'];

/** Deleted links keep when and by whom they were deleted, and audit records of bulk changes the ids of what was changed. */
export class KeepTraces1764790000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ended_at timestamptz, ADD COLUMN IF NOT EXISTS ended_by integer`);
    for (const table of ['download_links', 'dropsites'])
      await runner.query(`CREATE INDEX IF NOT EXISTS ${table}_ended_at_idx ON ${table} (ended_at) WHERE ended_at IS NOT NULL`);
    await runner.query('ALTER TABLE audit_records ADD COLUMN IF NOT EXISTS ids integer[]');
  }

  /** Version 1.0 deletes download links and dropsites for good. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE audit_records DROP COLUMN ids');
    for (const table of ['download_links', 'dropsites']) await runner.query(`DELETE FROM ${table} WHERE ended_at IS NOT NULL`);
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN ended_at, DROP COLUMN ended_by`);
  }
}
