import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A batch for which too many bytes arrive is closed, and the bytes beyond the announced ones are counted. The index contains all batches that may have
 * left something in the storage, because those whose credentials are valid are measured every minute.
 */
export class CloseUploadBatches1764010000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query(`ALTER TABLE upload_batches ADD excess_bytes jsonb NOT NULL DEFAULT '{}'`);
    await restrictStatus(runner, `'preparing', 'prepared', 'completed', 'reaped', 'closed'`);
    await indexUntidy(runner, 'tidied_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await indexUntidy(runner, `status IN ('completed', 'reaped') AND tidied_at IS NULL`);
    await runner.query(`UPDATE upload_batches SET status = 'reaped' WHERE status = 'closed'`);
    await restrictStatus(runner, `'preparing', 'prepared', 'completed', 'reaped'`);
    await runner.query('ALTER TABLE upload_batches DROP excess_bytes');
  }
}

async function restrictStatus(runner: QueryRunner, statuses: string): Promise<void> {
  await runner.query(`ALTER TABLE upload_batches DROP CONSTRAINT upload_batches_status_check,
    ADD CONSTRAINT upload_batches_status_check CHECK (status IN (${statuses}))`);
}

async function indexUntidy(runner: QueryRunner, where: string): Promise<void> {
  await runner.query('DROP INDEX upload_batches_untidy_idx');
  await runner.query(`CREATE INDEX upload_batches_untidy_idx ON upload_batches (credentials_expire_at) WHERE ${where}`);
}
