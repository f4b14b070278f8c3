import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each customer may have one default player configuration of a type; the existing ones are not marked, and deliver what they name. */
export class AddDefaultConfigurations1764810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE player_configurations ADD COLUMN automatic_formats boolean NOT NULL DEFAULT false, ADD COLUMN is_default boolean NOT NULL DEFAULT false`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX player_configurations_default_key ON player_configurations (customer_id, type) WHERE is_default`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE player_configurations DROP COLUMN automatic_formats, DROP COLUMN is_default');
  }
}
