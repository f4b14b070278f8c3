import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BindSignaturesToMethods1763900500100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE used_signatures ADD method text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE used_signatures DROP method`);
  }
}
