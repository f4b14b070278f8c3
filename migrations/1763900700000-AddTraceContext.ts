import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddTraceContext1763900700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE events ADD traceparent text`);
    await runner.query(`ALTER TABLE transcoding_jobs ADD traceparent text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE transcoding_jobs DROP traceparent`);
    await runner.query(`ALTER TABLE events DROP traceparent`);
  }
}
