import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddTracksAndStreams1763900500400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE media_items
      ADD role text,
      ADD language text,
      ADD label text,
      ADD is_default boolean NOT NULL DEFAULT false,
      ADD streaming jsonb,
      ADD storyboard jsonb,
      ADD CONSTRAINT media_items_role_check CHECK (role IN ('subtitles', 'captions', 'descriptions', 'chapters', 'poster'))`);
    await runner.query(`CREATE TABLE streaming_indexes (
      media_item_id integer NOT NULL,
      header_bytes integer NOT NULL,
      segment_bytes integer[] NOT NULL,
      segment_ms integer[] NOT NULL,
      CONSTRAINT streaming_indexes_pkey PRIMARY KEY (media_item_id),
      CONSTRAINT streaming_indexes_media_item_id_fkey FOREIGN KEY (media_item_id) REFERENCES media_items (id) ON DELETE CASCADE
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE streaming_indexes`);
    await runner.query(`ALTER TABLE media_items DROP CONSTRAINT media_items_role_check,
      DROP role, DROP language, DROP label, DROP is_default, DROP streaming, DROP storyboard`);
  }
}
