import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of accounts contains all records of users, not only sessions: the removal of a user counts and deletes them by it instead of reading the
 * whole table. The old index is dropped first, because its lock is the stronger one and acquiring it later could cause a deadlock; sign-ins and token
 * requests wait while the new index is built, less than a second for a million records.
 */
export class IndexOidcRecordsByAccount1763900850000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, 'account_id IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, `model = 'Session'`);
  }
}

async function replaceIndex(runner: QueryRunner, where: string): Promise<void> {
  await runner.query(`SET LOCAL lock_timeout = '5s'`);
  await runner.query('DROP INDEX oidc_records_account_idx');
  await runner.query(`CREATE INDEX oidc_records_account_idx ON oidc_records (account_id) WHERE ${where}`);
}
