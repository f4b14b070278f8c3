import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexAuditSubjects1763600450000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX audit_records_subject_idx ON audit_records (subject, action)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_records_subject_idx`);
  }
}
