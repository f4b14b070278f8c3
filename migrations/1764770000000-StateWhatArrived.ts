import type { MigrationInterface, QueryRunner } from 'typeorm';
import { groupKey } from './1763900810000-GroupMediaSearchEntries.js';
import { REFRESH_WITH_CREATORS } from './1763900840000-AddMediaSearchCreators.js';

const BATCH = 1_000;

/** What finds need of the original of the container `c`: its first file without a role. A container without files has none that could arrive. */
const ORIGINAL = `SELECT i.file_size, i.file_extension, i.status = 'successful' AS has_arrived,
    i.status = 'successful' AND i.file_description ->> 'problem' IS NOT NULL AS has_problem
  FROM media_items i WHERE i.media_container_id = c.id AND i.role IS NULL ORDER BY i.id LIMIT 1`;

/** The next containers behind $1; the entries of those whose original has not arrived or has a problem are written anew. */
const REFRESH_SOME = `WITH batch AS MATERIALIZED (SELECT id FROM media_containers WHERE id > $1 ORDER BY id LIMIT ${BATCH} FOR KEY SHARE),
    changed AS MATERIALIZED (SELECT c.id FROM batch c LEFT JOIN LATERAL (${ORIGINAL}) AS original ON true
      WHERE original.has_arrived IS FALSE OR original.has_problem),
    refreshed AS MATERIALIZED (SELECT media_search_refresh(ARRAY(SELECT id FROM changed ORDER BY id)))
  SELECT max(id) AS last, (SELECT count(*) FROM refreshed) FROM batch`;

const BY_CONTENT = `media_items_content_idx ON media_items (customer_id, crc32, file_size, media_container_id)
  WHERE status = 'successful' AND role IS NULL AND crc32 IS NOT NULL AND s3_key NOT LIKE 'renditions/%'`;

/**
 * Finds leave out containers whose original has not arrived, and find those whose original has a problem; an index finds originals with the same
 * content; a batch can be abandoned by its sender. Each part is a transaction of its own, so that processes of the version before go on meanwhile;
 * an interrupted run continues with the next start.
 */
export class StateWhatArrived1764770000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await inTransaction(runner, [restrictStatus(`'preparing', 'prepared', 'completed', 'reaped', 'closed', 'abandoned'`)]);
    await inTransaction(runner, [`CREATE INDEX IF NOT EXISTS ${BY_CONTENT}`]);
    await inTransaction(runner, [REFRESH_WITH_ARRIVALS, noteItems(`, file_description ->> 'problem' AS problem`)]);
    await refreshEntries(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await inTransaction(runner, [noteItems(''), REFRESH_WITH_CREATORS]);
    await refreshEntries(runner);
    await inTransaction(runner, ['DROP INDEX IF EXISTS media_items_content_idx']);
    await inTransaction(runner, [
      `UPDATE upload_batches SET status = 'closed' WHERE status = 'abandoned'`,
      restrictStatus(`'preparing', 'prepared', 'completed', 'reaped', 'closed'`),
    ]);
  }
}

const restrictStatus = (statuses: string): string => `ALTER TABLE upload_batches DROP CONSTRAINT upload_batches_status_check,
  ADD CONSTRAINT upload_batches_status_check CHECK (status IN (${statuses}))`;

/** Runs statements in a short transaction, which waits for other transactions for a few seconds only. */
async function inTransaction(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    for (const statement of statements) await runner.query(statement);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/** Some thousand containers a second, of which most are only looked at. */
async function refreshEntries(runner: QueryRunner): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const [{ last }] = (await runner.query(REFRESH_SOME, [after])) as [{ last: number | null }];
    after = last;
  }
}

/** As before, with a further column whose change enters a container anew. */
const noteItems = (column: string): string => `CREATE OR REPLACE FUNCTION media_search_note_items() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM new_rows ORDER BY 1);
    ELSIF TG_OP = 'DELETE' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM old_rows ORDER BY 1);
    ELSE
      ids := ARRAY(SELECT DISTINCT media_container_id FROM (
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size${column} FROM new_rows EXCEPT
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size${column} FROM old_rows
      ) AS changed ORDER BY 1);
    END IF;
    IF cardinality(ids) > 0 THEN PERFORM media_search_refresh(ids); END IF;
    RETURN NULL;
  END
$$`;

/** More rows than this are written to the index of terms together. */
const MANY = 20;

/**
 * As before, with what has become of the original; written out again, because a migration must not change when another one does. The terms of state
 * are `sactive`, `strash` and `sincomplete` (the original has not arrived); only containers whose original has arrived have `a`, and `p` if it has a
 * problem.
 */
const REFRESH_WITH_ARRIVALS = `CREATE OR REPLACE FUNCTION media_search_refresh(ids integer[]) RETURNS void LANGUAGE plpgsql
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
          UNION ALL VALUES ('y' || c.type), ('e' || original.file_extension), ('c' || c.creator_id), ('d' || c.origin),
            (CASE WHEN original.has_arrived IS NOT FALSE THEN 'a' END), (CASE WHEN original.has_problem THEN 'p' END),
            (CASE WHEN original.has_arrived IS FALSE THEN 'sincomplete' WHEN c.flag = 1 THEN 'strash' ELSE 'sactive' END)
        ) AS terms (term) WHERE term IS NOT NULL
      )), ${groupKey('c.type', `nullif(original.file_extension, '')`, 'c.tags', 'c.flag = 1')}
    FROM media_containers c
      LEFT JOIN LATERAL (${ORIGINAL}) AS original ON true
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
