import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NotePdfScripts1763900400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE media_items ADD scripted boolean`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE media_items DROP scripted`);
  }
}
