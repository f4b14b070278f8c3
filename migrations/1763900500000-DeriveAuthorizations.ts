import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeriveAuthorizations1763900500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE authorizations
      ADD own_device text,
      ADD parent_id integer,
      ADD parent_token text,
      ADD access_key text,
      ADD ends_at timestamptz,
      ADD CONSTRAINT authorizations_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES authorizations (id) ON DELETE CASCADE,
      ADD CONSTRAINT authorizations_access_key_fkey FOREIGN KEY (access_key) REFERENCES access_keys (access_key) ON DELETE CASCADE`);
    await runner.query(`CREATE INDEX authorizations_parent_id_idx ON authorizations (parent_id) WHERE parent_id IS NOT NULL`);
    await runner.query(`CREATE INDEX authorizations_parent_token_idx ON authorizations (parent_token) WHERE parent_token IS NOT NULL`);
    await runner.query(`CREATE INDEX authorizations_access_key_idx ON authorizations (access_key) WHERE access_key IS NOT NULL`);
    await runner.query(`CREATE INDEX authorizations_ends_at_idx ON authorizations (ends_at) WHERE ends_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM authorizations WHERE ends_at IS NOT NULL`);
    await runner.query(`ALTER TABLE authorizations
      DROP ends_at, DROP access_key, DROP parent_token, DROP parent_id, DROP own_device`);
  }
}
