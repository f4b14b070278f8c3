import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The passwords that the operator does not allow. */
export class CreateBlockedPasswords1764400000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE blocked_passwords (fingerprint bigint CONSTRAINT blocked_passwords_pkey PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE blocked_passwords');
  }
}
