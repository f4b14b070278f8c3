import type { MigrationInterface, QueryRunner } from 'typeorm';

const DISABLED = 'SELECT id FROM users WHERE disabled_at IS NOT NULL';

/**
 * Ends the sessions, codes, refresh tokens and authorizations of users who were disabled before `disable` ended them, so that `enable` brings none back.
 * The statements can be repeated, and each locks rows of one table only.
 */
export class EndAccessOfDisabledUsers1764710000000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM oidc_records WHERE account_id IN (${DISABLED})`);
    await runner.query(`DELETE FROM authorizations WHERE user_id IN (${DISABLED})
      OR access_key IN (SELECT access_key FROM access_keys WHERE user_id IN (${DISABLED}))`);
  }

  /** What has ended cannot be restored, and the version before needs none of it. */
  async down(): Promise<void> {}
}
