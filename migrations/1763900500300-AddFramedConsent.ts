import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddFramedConsent1763900500300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE clients ADD framed_consent boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE clients DROP framed_consent`);
  }
}
