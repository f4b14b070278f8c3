import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Remembers what decides whether mailed links and passwords still prove anything: when an administrator last assigned the address, and whether its earlier
 * owner disputes that; when all links were withdrawn; when a password was last chosen with a mailed link. A sign-in at an identity provider remembers the
 * NameID that is linked once the person has confirmed it.
 */
export class ProtectAccounts1764720000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN IF NOT EXISTS email_assigned_at timestamptz, ADD COLUMN IF NOT EXISTS email_disputed_at timestamptz,
      ADD COLUMN IF NOT EXISTS links_withdrawn_at timestamptz, ADD COLUMN IF NOT EXISTS password_reset_at timestamptz`);
    await runner.query(
      'ALTER TABLE saml_requests ADD COLUMN IF NOT EXISTS link_name_id text, ADD COLUMN IF NOT EXISTS link_name_id_format text',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE saml_requests DROP COLUMN IF EXISTS link_name_id_format, DROP COLUMN IF EXISTS link_name_id');
    await runner.query(`ALTER TABLE users DROP COLUMN IF EXISTS password_reset_at, DROP COLUMN IF EXISTS links_withdrawn_at,
      DROP COLUMN IF EXISTS email_disputed_at, DROP COLUMN IF EXISTS email_assigned_at`);
  }
}
