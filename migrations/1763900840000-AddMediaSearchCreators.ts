import type { MigrationInterface, QueryRunner } from 'typeorm';
import { groupKey, REFRESH_GROUPED } from './1763900810000-GroupMediaSearchEntries.js';

/**
 * The creator of a container as a column of its entry, which indexes can contain; the next migration fills it in and makes them. The triggers call
 * the function that writes it for processes of the version before too.
 */
export class AddMediaSearchCreators1763900840000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    // Null: not known yet. A transaction that waits for this lock in the function of before writes it too.
    await runner.query('ALTER TABLE media_search_entries ADD COLUMN creator_id integer');
    await runner.query(REFRESH_WITH_CREATORS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REFRESH_GROUPED);
    await runner.query('ALTER FUNCTION media_search_refresh(integer[]) SET enable_seqscan = off');
    await runner.query('ALTER TABLE media_search_entries DROP COLUMN creator_id');
  }
}

/** More rows than this are written to the index of terms together. */
const MANY = 20;

/** As before, with the creator; written out again, because a migration must not change when another one does. */
export const REFRESH_WITH_CREATORS = `CREATE OR REPLACE FUNCTION media_search_refresh(ids integer[]) RETURNS void LANGUAGE plpgsql
  SET gin_pending_list_limit = '256kB' SET enable_seqscan = off AS $$
  BEGIN
    IF cardinality(ids) > ${MANY} THEN PERFORM set_config('gin_pending_list_limit', '64MB', true); END IF;
    PERFORM FROM media_search_entries WHERE media_container_id = ANY(ids) ORDER BY media_container_id FOR UPDATE;
    DELETE FROM media_search_entries e USING media_containers c WHERE e.media_container_id = ANY(ids) AND c.id = e.media_container_id AND c.doomed;
    INSERT INTO media_search_entries AS e (media_container_id, customer_id, creator_id, created_at, name_key, file_size, type, extension, tags, terms, group_key)
    SELECT c.id, c.customer_id, c.creator_id, date_trunc('milliseconds', c.created_at), convert_to(left(media_search_fold(c.name), 200), 'UTF8'),
      coalesce(original.file_size, -1), c.type, nullif(original.file_extension, ''), c.tags, array_to_tsvector(ARRAY(
        SELECT DISTINCT c.customer_id || ':' || term FROM (
          SELECT 'w' || word FROM unnest(media_search_words(concat_ws(' ', c.name, c.description, array_to_string(c.tags, ' '), files.names,
            (SELECT string_agg(concat_ws(' ', entry ->> 'title', entry ->> 'content'), ' ') FROM jsonb_path_query(c.metadata, 'lax $[*]') AS entry)
          ))) AS word
          UNION ALL SELECT 'n' || word FROM unnest(media_search_words(c.name)) AS word
          UNION ALL SELECT 't' || left(tag, 200) FROM unnest(c.tags) AS tag
          UNION ALL SELECT 'f' || format FROM unnest(files.formats) AS format
          UNION ALL VALUES ('a'), ('y' || c.type), ('e' || original.file_extension), ('c' || c.creator_id), ('d' || c.origin),
            (CASE c.flag WHEN 1 THEN 'strash' ELSE 'sactive' END)
        ) AS terms (term) WHERE term IS NOT NULL
      )), ${groupKey('c.type', `nullif(original.file_extension, '')`, 'c.tags', 'c.flag = 1')}
    FROM media_containers c
      LEFT JOIN LATERAL (SELECT i.file_size, i.file_extension FROM media_items i WHERE i.media_container_id = c.id AND i.role IS NULL
        ORDER BY i.id LIMIT 1) AS original ON true
      CROSS JOIN LATERAL (SELECT string_agg(DISTINCT concat_ws('.', i.file_name, i.file_extension), ' ') AS names,
        array_agg(DISTINCT i.format_id) FILTER (WHERE i.status = 'successful' AND i.format_id IS NOT NULL) AS formats
        FROM media_items i WHERE i.media_container_id = c.id) AS files
    WHERE c.id = ANY(ids) AND NOT c.doomed
    ON CONFLICT (media_container_id) DO UPDATE SET customer_id = excluded.customer_id, creator_id = excluded.creator_id, created_at = excluded.created_at,
      name_key = excluded.name_key, file_size = excluded.file_size, type = excluded.type, extension = excluded.extension, tags = excluded.tags,
      terms = excluded.terms, group_key = excluded.group_key,
      renamed_by = CASE WHEN e.name_key = excluded.name_key THEN e.renamed_by ELSE pg_current_xact_id()::text::bigint END,
      resized_by = CASE WHEN e.file_size = excluded.file_size THEN e.resized_by ELSE pg_current_xact_id()::text::bigint END
    WHERE (e.customer_id, e.creator_id, e.created_at, e.name_key, e.file_size, e.type, e.extension, e.tags, e.terms, e.group_key) IS DISTINCT FROM
      (excluded.customer_id, excluded.creator_id, excluded.created_at, excluded.name_key, excluded.file_size, excluded.type, excluded.extension, excluded.tags, excluded.terms, excluded.group_key);
    IF cardinality(ids) > ${MANY} THEN PERFORM gin_clean_pending_list('media_search_entries_terms_idx'); END IF;
  END
$$`;
