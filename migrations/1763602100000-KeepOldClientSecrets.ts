import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepOldClientSecrets1763602100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE clients
      ADD post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
      ADD previous_secret_hash text,
      ADD previous_secret_ends_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE clients DROP previous_secret_ends_at, DROP previous_secret_hash, DROP post_logout_redirect_uris`);
  }
}
