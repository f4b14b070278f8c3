import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DescribeFiles1763901200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE media_items ADD file_description jsonb`);
    await runner.query(`ALTER TABLE media_items ADD web_vtt_key text`);
    await runner.query(`CREATE INDEX media_items_undescribed_idx ON media_items (file_extension, id)
      WHERE file_description IS NULL AND status = 'successful' AND (s3_key NOT LIKE 'renditions/%' OR file_extension = 'pdf')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX media_items_undescribed_idx`);
    await runner.query(`ALTER TABLE media_items DROP web_vtt_key`);
    await runner.query(`ALTER TABLE media_items DROP file_description`);
  }
}
