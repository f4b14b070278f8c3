import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['formats', 'player_configurations'];

export class KeepSupportEditors1763900500200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE audit_records ADD on_behalf_of text`);
    for (const table of TABLES) {
      await runner.query(`ALTER TABLE ${table} ADD last_editor_support_user_id integer, ADD CONSTRAINT
        ${table}_last_editor_support_user_id_fkey FOREIGN KEY (last_editor_support_user_id) REFERENCES users (id) ON DELETE RESTRICT`);
      await runner.query(`CREATE INDEX ${table}_last_editor_support_user_id_idx ON ${table} (last_editor_support_user_id)
        WHERE last_editor_support_user_id IS NOT NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP last_editor_support_user_id`);
    await runner.query(`ALTER TABLE audit_records DROP on_behalf_of`);
  }
}
