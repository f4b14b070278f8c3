import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Archives need the CRC-32 of each file, and count the current downloads of an address. */
export class KeepChecksums1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('ALTER TABLE media_items ADD crc32 bigint');
    await runner.query(`CREATE TABLE archive_downloads (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT archive_downloads_pkey PRIMARY KEY,
      address text NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX archive_downloads_address_idx ON archive_downloads (address)');
    await runner.query('CREATE INDEX archive_downloads_expires_at_idx ON archive_downloads (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('DROP TABLE archive_downloads');
    await runner.query('ALTER TABLE media_items DROP crc32');
  }
}
