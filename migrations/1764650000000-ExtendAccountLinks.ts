import type { MigrationInterface, QueryRunner } from 'typeorm';

const purposes = (names: readonly string[]) => `CHECK (purpose IN (${names.map((name) => `'${name}'`).join(', ')}))`;

/**
 * Links remember the address that they were mailed to, which the denial of a change restores and a new address is confirmed with, and the second factor
 * that the change of a notice bound, which a denial removes. Links of before have neither.
 */
export class ExtendAccountLinks1764650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE account_links ADD COLUMN email text, ADD COLUMN second_factor_id integer
      CONSTRAINT account_links_second_factor_id_fkey REFERENCES second_factors (id) ON DELETE CASCADE`);
    await runner.query('CREATE INDEX account_links_second_factor_id_idx ON account_links (second_factor_id)');
    await runner.query(`ALTER TABLE account_links DROP CONSTRAINT account_links_purpose_check,
      ADD CONSTRAINT account_links_purpose_check ${purposes(['reset', 'invitation', 'email', 'not-me', 'factor-reset'])}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM account_links WHERE purpose = 'email'`);
    await runner.query(`ALTER TABLE account_links DROP CONSTRAINT account_links_purpose_check,
      ADD CONSTRAINT account_links_purpose_check ${purposes(['reset', 'invitation', 'not-me', 'factor-reset'])}`);
    await runner.query('ALTER TABLE account_links DROP COLUMN second_factor_id, DROP COLUMN email');
  }
}
