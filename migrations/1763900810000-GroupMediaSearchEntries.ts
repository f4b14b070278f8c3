import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createWords, findCollation, foldedText, REFRESH } from './1763900800000-CreateMediaSearch.js';

/**
 * A key that containers of the same type, extension, tags and state have in common (`group_key`), by which facets are counted; and functions that write the
 * entries faster. The triggers call them for processes of the version before too.
 */
export class GroupMediaSearchEntries1763900810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    // 0: not known yet. A transaction that waits for this lock in the function of before writes it too.
    await runner.query('ALTER TABLE media_search_entries ADD COLUMN group_key bigint NOT NULL DEFAULT 0');
    // Counts read an index only, which works for pages that have been vacuumed.
    await runner.query(
      'ALTER TABLE media_search_entries SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)',
    );
    await runner.query('ALTER INDEX media_search_entries_terms_idx RESET (gin_pending_list_limit)'); // the function sets it
    await createFastWords(runner, await findCollation(runner));
    await runner.query(REFRESH_GROUPED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REFRESH);
    await runner.query('ALTER FUNCTION media_search_refresh RESET ALL');
    await createWords(runner, await findCollation(runner));
    await runner.query('ALTER INDEX media_search_entries_terms_idx SET (gin_pending_list_limit = 256)');
    await runner.query('ALTER TABLE media_search_entries RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)');
    await runner.query('ALTER TABLE media_search_entries DROP COLUMN group_key');
  }
}

/** The same results as before; texts in ASCII, which have no accents, take less time. */
async function createFastWords(runner: QueryRunner, collation: string): Promise<void> {
  await runner.query(`CREATE OR REPLACE FUNCTION media_search_fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) = char_length($1) THEN lower($1 COLLATE "C") ELSE ${foldedText(collation)} END
  $$`);
  await runner.query(`CREATE OR REPLACE FUNCTION media_search_words(text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
      folded text := left(media_search_fold(left($1, 100000)), 100000);
      words text[];
    BEGIN
      IF octet_length(folded) = char_length(folded) THEN
        words := string_to_array(regexp_replace(folded COLLATE "C", '[^a-z0-9]+', ' ', 'g'), ' ');
      ELSE
        words := regexp_split_to_array(folded${collation}, '[^[:alnum:]]+');
      END IF;
      RETURN ARRAY(SELECT DISTINCT left(word, 200) FROM unnest(words) AS word WHERE word <> '' LIMIT 20000);
    END
  $$`);
}

/** The key of type, extension and tags; its complement, which is negative, if the container is in the trash. */
export const groupKey = (type: string, extension: string, tags: string, isInTrash: string): string =>
  `((hash_record_extended(ROW(${type}, ${extension}, ${tags}), 0) & 9223372036854775807) # CASE WHEN ${isInTrash} THEN -1 ELSE 0 END)`;

/** More rows than this are written to the index of terms together. */
const MANY = 20;

/**
 * As before, with the key of the group; written out again, because a migration must not change when another one does. An index of terms writes
 * a term that many rows have at once, if it may collect them; finds have to read what it has collected, so it is told to write it before the
 * next one.
 */
export const REFRESH_GROUPED = `CREATE OR REPLACE FUNCTION media_search_refresh(ids integer[]) RETURNS void LANGUAGE plpgsql SET gin_pending_list_limit = '256kB' AS $$
  BEGIN
    IF cardinality(ids) > ${MANY} THEN PERFORM set_config('gin_pending_list_limit', '64MB', true); END IF;
    PERFORM FROM media_search_entries WHERE media_container_id = ANY(ids) ORDER BY media_container_id FOR UPDATE;
    DELETE FROM media_search_entries e USING media_containers c WHERE e.media_container_id = ANY(ids) AND c.id = e.media_container_id AND c.doomed;
    INSERT INTO media_search_entries AS e (media_container_id, customer_id, created_at, name_key, file_size, type, extension, tags, terms, group_key)
    SELECT c.id, c.customer_id, date_trunc('milliseconds', c.created_at), convert_to(left(media_search_fold(c.name), 200), 'UTF8'),
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
    ON CONFLICT (media_container_id) DO UPDATE SET customer_id = excluded.customer_id, created_at = excluded.created_at,
      name_key = excluded.name_key, file_size = excluded.file_size, type = excluded.type, extension = excluded.extension, tags = excluded.tags,
      terms = excluded.terms, group_key = excluded.group_key,
      renamed_by = CASE WHEN e.name_key = excluded.name_key THEN e.renamed_by ELSE pg_current_xact_id()::text::bigint END,
      resized_by = CASE WHEN e.file_size = excluded.file_size THEN e.resized_by ELSE pg_current_xact_id()::text::bigint END
    WHERE (e.customer_id, e.created_at, e.name_key, e.file_size, e.type, e.extension, e.tags, e.terms, e.group_key) IS DISTINCT FROM
      (excluded.customer_id, excluded.created_at, excluded.name_key, excluded.file_size, excluded.type, excluded.extension, excluded.tags, excluded.terms, excluded.group_key);
    IF cardinality(ids) > ${MANY} THEN PERFORM gin_clean_pending_list('media_search_entries_terms_idx'); END IF;
  END
$$`;
