import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The layouts of archives are kept, so that each is made once; they are made again after a downgrade. */
export class KeepArchiveLayouts1764730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query(`CREATE TABLE archive_layouts (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT archive_layouts_pkey PRIMARY KEY,
      download_link_id integer NOT NULL CONSTRAINT archive_layouts_download_link_id_fkey REFERENCES download_links (id) ON DELETE CASCADE,
      version text NOT NULL,
      valid_from timestamptz,
      valid_until timestamptz,
      etag text NOT NULL,
      files integer NOT NULL,
      complete boolean NOT NULL,
      directory_at bigint NOT NULL,
      directory_bytes bigint NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX archive_layouts_version_idx ON archive_layouts (download_link_id, version)');
    await runner.query('CREATE INDEX archive_layouts_expires_at_idx ON archive_layouts (expires_at)');
    await runner.query(`CREATE TABLE archive_layout_sections (
      layout_id integer NOT NULL CONSTRAINT archive_layout_sections_layout_id_fkey REFERENCES archive_layouts (id) ON DELETE CASCADE,
      files_end bigint NOT NULL,
      headers_end bigint NOT NULL,
      files jsonb NOT NULL,
      CONSTRAINT archive_layout_sections_pkey PRIMARY KEY (layout_id, files_end)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE archive_layout_sections');
    await runner.query('DROP TABLE archive_layouts');
  }
}
