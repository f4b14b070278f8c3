import type { MigrationInterface, QueryRunner } from 'typeorm';
import { NOTE_CONTAINERS } from './1763900800000-CreateMediaSearch.js';

/**
 * A container that is inserted together with its files is entered once, by the trigger of its files, instead of twice. The functions also look rows
 * up by index always: their plans are kept for as long as a connection, and a plan that was made while the tables were small read all rows of the
 * tables for each upload until the next ANALYZE.
 */
export class EnterNewMediaOnce1763900830000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(NOTE_CONTAINERS_WITHOUT_FILES);
    for (const name of FUNCTIONS) await runner.query(`ALTER FUNCTION ${name} SET enable_seqscan = off`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS) await runner.query(`ALTER FUNCTION ${name} RESET enable_seqscan`);
    await runner.query(NOTE_CONTAINERS);
  }
}

const FUNCTIONS = ['media_search_refresh(integer[])', 'media_search_note_containers()'];

/**
 * As before, but a new container whose files are already there, which the same statement inserted, is left to their trigger. `OFFSET 0` keeps
 * PostgreSQL from joining the rows with all files.
 */
const NOTE_CONTAINERS_WITHOUT_FILES = `CREATE OR REPLACE FUNCTION media_search_note_containers() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT id FROM new_rows WHERE NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = new_rows.id OFFSET 0) ORDER BY id);
    ELSE
      ids := ARRAY(SELECT id FROM (
        SELECT id, customer_id, creator_id, type, flag, doomed, name, description, tags, origin, metadata, created_at FROM new_rows EXCEPT
        SELECT id, customer_id, creator_id, type, flag, doomed, name, description, tags, origin, metadata, created_at FROM old_rows
      ) AS changed ORDER BY id);
    END IF;
    IF cardinality(ids) > 0 THEN PERFORM media_search_refresh(ids); END IF;
    RETURN NULL;
  END
$$`;
