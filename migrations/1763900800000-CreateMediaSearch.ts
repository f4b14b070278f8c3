import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row for each media container with everything that finds filter and sort by. Triggers keep it up to date in the transaction of each change,
 * because processes of the version before also write containers and files.
 */
export class CreateMediaSearch1763900800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Items before containers, as processes of the version before; a long transaction must not keep all of them waiting, so the start fails then.
    await runner.query(`SET LOCAL lock_timeout = '5s'`);
    await runner.query('LOCK TABLE media_items, media_containers IN SHARE ROW EXCLUSIVE MODE');
    await runner.query(`CREATE TABLE media_search_entries (
      media_container_id integer NOT NULL,
      customer_id integer NOT NULL,
      created_at timestamptz NOT NULL,
      name_key bytea NOT NULL,
      file_size bigint NOT NULL,
      type text NOT NULL,
      extension text,
      tags text[] NOT NULL,
      terms tsvector NOT NULL,
      shuffle integer NOT NULL DEFAULT floor(random() * 2147483647),
      renamed_by bigint,
      resized_by bigint,
      CONSTRAINT media_search_entries_pkey PRIMARY KEY (media_container_id),
      CONSTRAINT media_search_entries_media_container_id_fkey FOREIGN KEY (media_container_id) REFERENCES media_containers (id) ON DELETE CASCADE
    )`);
    for (const index of INDEXES) await runner.query(`CREATE INDEX media_search_entries_${index}`);
    await createWords(runner, await findCollation(runner));
    await runner.query(REFRESH);
    for (const sql of [NOTE_CONTAINERS, NOTE_ITEMS, ...TRIGGERS]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [trigger, table] of TRIGGER_NAMES) await runner.query(`DROP TRIGGER ${trigger} ON ${table}`);
    for (const name of FUNCTIONS) await runner.query(`DROP FUNCTION ${name}`);
    await runner.query('DROP TABLE media_search_entries');
  }
}

const INDEXES = [
  'terms_idx ON media_search_entries USING gin (terms) WITH (gin_pending_list_limit = 256)',
  'created_at_idx ON media_search_entries (customer_id, created_at, media_container_id)',
  'name_key_idx ON media_search_entries (customer_id, name_key, media_container_id)',
  'file_size_idx ON media_search_entries (customer_id, file_size, media_container_id)',
  'shuffle_idx ON media_search_entries (customer_id, shuffle)',
  'renamed_by_idx ON media_search_entries (customer_id, renamed_by) WHERE renamed_by IS NOT NULL',
  'resized_by_idx ON media_search_entries (customer_id, resized_by) WHERE resized_by IS NOT NULL',
];

/** Of a database that knows upper and lower case of ASCII only (LC_CTYPE=C): a collation that knows Unicode, if the server has one. */
export async function findCollation(runner: QueryRunner): Promise<string> {
  const [{ knowsUnicode }] = (await runner.query(`SELECT lower('É') = 'é' AND 'é' ~ '^[[:alnum:]]$' AS "knowsUnicode"`)) as [
    { knowsUnicode: boolean },
  ];
  if (knowsUnicode) return '';
  const [found] = (await runner.query(`SELECT quote_ident(collname) AS name FROM pg_collation
    WHERE collname = ANY('{pg_c_utf8,C.utf8,C.UTF-8,und-x-icu}') AND collencoding IN (-1, 6) ORDER BY array_position('{pg_c_utf8,C.utf8,C.UTF-8,und-x-icu}', collname::text) LIMIT 1`)) as {
    name: string;
  }[];
  return found ? ` COLLATE ${found.name}` : '';
}

/**
 * Folding removes case, accents and other marks, and writes letters that Unicode does not decompose as unaccent does. A word is a run of letters and
 * digits; a query has at most 200 characters, so no more of a word is needed.
 */
export async function createWords(runner: QueryRunner, collation: string): Promise<void> {
  await runner.query(`CREATE OR REPLACE FUNCTION media_search_fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ${foldedText(collation)}
  $$`);
  await runner.query(`CREATE OR REPLACE FUNCTION media_search_words(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ARRAY(SELECT DISTINCT left(word, 200)
      FROM regexp_split_to_table(left(media_search_fold(left($1, 100000)), 100000)${collation}, '[^[:alnum:]]+') AS word WHERE word <> '' LIMIT 20000)
  $$`);
}

/** $1 without case and accents. */
export function foldedText(collation: string): string {
  const marks =
    '\\u0300-\\u036f\\u0591-\\u05bd\\u0610-\\u061a\\u064b-\\u065f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\u3099\\u309a\\ufe20-\\ufe2f';
  const folded = `lower(regexp_replace(normalize($1, NFKD), '[${marks}]', '', 'g')${collation})`;
  return `replace(replace(replace(replace(translate(${folded}, 'øłđðħıς', 'olddhiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')`;
}

/**
 * Writes the rows of these containers anew. It locks the rows before it reads the containers and their files, so that of two transactions the later
 * one sees what the earlier one changed. Each term begins with the customer and a letter: a word anywhere (w) or in the name (n), tag (t), type (y),
 * extension (e), creator (c), dropsite (d), format of a successful file (f), state (s), and one that all containers of the customer have (a).
 * PostgreSQL accepts 1 MiB of terms, which the limits of words and tags do not reach.
 */
export const REFRESH = `CREATE OR REPLACE FUNCTION media_search_refresh(ids integer[]) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM media_search_entries WHERE media_container_id = ANY(ids) ORDER BY media_container_id FOR UPDATE;
    DELETE FROM media_search_entries e USING media_containers c WHERE e.media_container_id = ANY(ids) AND c.id = e.media_container_id AND c.doomed;
    INSERT INTO media_search_entries AS e (media_container_id, customer_id, created_at, name_key, file_size, type, extension, tags, terms)
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
      ))
    FROM media_containers c
      LEFT JOIN LATERAL (SELECT i.file_size, i.file_extension FROM media_items i WHERE i.media_container_id = c.id AND i.role IS NULL
        ORDER BY i.id LIMIT 1) AS original ON true
      CROSS JOIN LATERAL (SELECT string_agg(DISTINCT concat_ws('.', i.file_name, i.file_extension), ' ') AS names,
        array_agg(DISTINCT i.format_id) FILTER (WHERE i.status = 'successful' AND i.format_id IS NOT NULL) AS formats
        FROM media_items i WHERE i.media_container_id = c.id) AS files
    WHERE c.id = ANY(ids) AND NOT c.doomed
    ON CONFLICT (media_container_id) DO UPDATE SET customer_id = excluded.customer_id, created_at = excluded.created_at,
      name_key = excluded.name_key, file_size = excluded.file_size, type = excluded.type, extension = excluded.extension, tags = excluded.tags,
      terms = excluded.terms,
      renamed_by = CASE WHEN e.name_key = excluded.name_key THEN e.renamed_by ELSE pg_current_xact_id()::text::bigint END,
      resized_by = CASE WHEN e.file_size = excluded.file_size THEN e.resized_by ELSE pg_current_xact_id()::text::bigint END
    WHERE (e.customer_id, e.created_at, e.name_key, e.file_size, e.type, e.extension, e.tags, e.terms) IS DISTINCT FROM
      (excluded.customer_id, excluded.created_at, excluded.name_key, excluded.file_size, excluded.type, excluded.extension, excluded.tags, excluded.terms);
  END
$$`;

/** EXCEPT compares the rows in time that is linear in their number, also where the plan was made for a single row. */
export const NOTE_CONTAINERS = `CREATE OR REPLACE FUNCTION media_search_note_containers() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT id FROM new_rows ORDER BY id);
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

const NOTE_ITEMS = `CREATE FUNCTION media_search_note_items() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM new_rows ORDER BY 1);
    ELSIF TG_OP = 'DELETE' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM old_rows ORDER BY 1);
    ELSE
      ids := ARRAY(SELECT DISTINCT media_container_id FROM (
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size FROM new_rows EXCEPT
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size FROM old_rows
      ) AS changed ORDER BY 1);
    END IF;
    IF cardinality(ids) > 0 THEN PERFORM media_search_refresh(ids); END IF;
    RETURN NULL;
  END
$$`;

const TRIGGER_NAMES = [
  ['media_search_insert', 'media_containers'],
  ['media_search_update', 'media_containers'],
  ['media_search_insert', 'media_items'],
  ['media_search_update', 'media_items'],
  ['media_search_delete', 'media_items'],
] as const;

const TRIGGERS = TRIGGER_NAMES.map(([trigger, table]) => {
  const event = trigger.replace('media_search_', '').toUpperCase();
  const rows = [...(event === 'INSERT' ? [] : ['OLD TABLE AS old_rows']), ...(event === 'DELETE' ? [] : ['NEW TABLE AS new_rows'])];
  const work = table === 'media_items' ? 'media_search_note_items' : 'media_search_note_containers';
  return `CREATE TRIGGER ${trigger} AFTER ${event} ON ${table} REFERENCING ${rows.join(' ')} FOR EACH STATEMENT EXECUTE FUNCTION ${work}()`;
});

const FUNCTIONS = [
  'media_search_note_items()',
  'media_search_note_containers()',
  'media_search_refresh(integer[])',
  'media_search_words(text)',
  'media_search_fold(text)',
];
