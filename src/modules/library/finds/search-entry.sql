-- The functions and triggers that write media_search_entries, as all migrations together define them; a test compares this file with the migrated database.
-- Only that test executes it: a change needs a migration with the same statements, and one that fills the entries that exist.
-- In a database that knows upper and lower case of ASCII only, migrations add a COLLATE to lower() and to the pattern of words.

-- Removes case, accents and other marks, and writes letters that Unicode does not decompose as unaccent does. Texts in ASCII, which have no accents, take
-- less time.
CREATE FUNCTION media_search_fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE
    WHEN octet_length($1) = char_length($1) THEN lower($1 COLLATE "C")
    ELSE replace(replace(replace(replace(translate(
      lower(regexp_replace(
        normalize($1, NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]', '', 'g'
      )),
      'øłđðħıς', 'olddhiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
  END
$$;

-- The words of a text: runs of letters and digits. A query has at most 200 characters, so no more of a word is needed.
CREATE FUNCTION media_search_words(text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    folded text := left(media_search_fold(left($1, 100000)), 100000);
    words text[];
  BEGIN
    IF octet_length(folded) = char_length(folded) THEN
      words := string_to_array(regexp_replace(folded COLLATE "C", '[^a-z0-9]+', ' ', 'g'), ' ');
    ELSE
      words := regexp_split_to_array(folded, '[^[:alnum:]]+');
    END IF;
    RETURN ARRAY(SELECT DISTINCT left(word, 200) FROM unnest(words) AS word WHERE word <> '' LIMIT 20000);
  END
$$;

-- Writes the entries of these containers anew. It locks them before it reads the containers and their files, so that of two transactions the later one sees
-- what the earlier one changed.
--
-- Each term begins with the customer and a letter: a word anywhere (w) or in the name (n), tag (t), type (y), extension (e), creator (c), dropsite (d),
-- format of a successful file (f), state (sactive, strash, or sincomplete if the original has not arrived), one that all containers have whose original has
-- arrived (a), and one of those whose original has a problem (p). The original is the first file without a role; a container without files has none that
-- could arrive. PostgreSQL accepts 1 MiB of terms, which the limits of words and tags do not reach.
--
-- enable_seqscan: plans are kept for as long as a connection, and one made while the tables were small would read all their rows for each upload.
-- gin_pending_list_limit: the index of terms writes a term that many rows have at once if it may collect them. Finds have to read what it has collected, so
-- it collects little, and for more than 20 containers writes all of it at the end.
--
-- group_key, renamed_by and resized_by are for processes of earlier versions.
CREATE FUNCTION media_search_refresh(ids integer[]) RETURNS void LANGUAGE plpgsql SET gin_pending_list_limit = '256kB' SET enable_seqscan = off AS $$
  BEGIN
    IF cardinality(ids) > 20 THEN PERFORM set_config('gin_pending_list_limit', '64MB', true); END IF;
    PERFORM FROM media_search_entries WHERE media_container_id = ANY(ids) ORDER BY media_container_id FOR UPDATE;
    DELETE FROM media_search_entries e USING media_containers c WHERE e.media_container_id = ANY(ids) AND c.id = e.media_container_id AND c.doomed;
    INSERT INTO media_search_entries AS e (
      media_container_id, customer_id, creator_id, created_at, name_key, file_size, type, extension, tags, terms, group_key
    )
    SELECT
      c.id,
      c.customer_id,
      c.creator_id,
      date_trunc('milliseconds', c.created_at),
      convert_to(left(media_search_fold(c.name), 200), 'UTF8'),
      coalesce(original.file_size, -1),
      c.type,
      nullif(original.file_extension, ''),
      c.tags,
      array_to_tsvector(ARRAY(
        SELECT DISTINCT c.customer_id || ':' || term FROM (
          SELECT 'w' || word FROM unnest(media_search_words(concat_ws(
            ' ', c.name, c.description, array_to_string(c.tags, ' '), files.names,
            (SELECT string_agg(concat_ws(' ', entry ->> 'title', entry ->> 'content'), ' ') FROM jsonb_path_query(c.metadata, 'lax $[*]') AS entry)
          ))) AS word
          UNION ALL SELECT 'n' || word FROM unnest(media_search_words(c.name)) AS word
          UNION ALL SELECT 't' || left(tag, 200) FROM unnest(c.tags) AS tag
          UNION ALL SELECT 'f' || format FROM unnest(files.formats) AS format
          UNION ALL VALUES
            ('y' || c.type),
            ('e' || original.file_extension),
            ('c' || c.creator_id),
            ('d' || c.origin),
            (CASE WHEN original.has_arrived IS NOT FALSE THEN 'a' END),
            (CASE WHEN original.has_problem THEN 'p' END),
            (CASE WHEN original.has_arrived IS FALSE THEN 'sincomplete' WHEN c.flag = 1 THEN 'strash' ELSE 'sactive' END)
        ) AS terms (term) WHERE term IS NOT NULL
      )),
      ((hash_record_extended(ROW(c.type, nullif(original.file_extension, ''), c.tags), 0) & 9223372036854775807) # CASE WHEN c.flag = 1 THEN -1 ELSE 0 END)
    FROM media_containers c
      LEFT JOIN LATERAL (
        SELECT
          i.file_size,
          i.file_extension,
          i.status = 'successful' AS has_arrived,
          i.status = 'successful' AND i.file_description ->> 'problem' IS NOT NULL AS has_problem
        FROM media_items i WHERE i.media_container_id = c.id AND i.role IS NULL ORDER BY i.id LIMIT 1
      ) AS original ON true
      CROSS JOIN LATERAL (
        SELECT
          string_agg(DISTINCT concat_ws('.', i.file_name, i.file_extension), ' ') AS names,
          array_agg(DISTINCT i.format_id) FILTER (WHERE i.status = 'successful' AND i.format_id IS NOT NULL) AS formats
        FROM media_items i WHERE i.media_container_id = c.id
      ) AS files
    WHERE c.id = ANY(ids) AND NOT c.doomed
    ON CONFLICT (media_container_id) DO UPDATE SET
      customer_id = excluded.customer_id,
      creator_id = excluded.creator_id,
      created_at = excluded.created_at,
      name_key = excluded.name_key,
      file_size = excluded.file_size,
      type = excluded.type,
      extension = excluded.extension,
      tags = excluded.tags,
      terms = excluded.terms,
      group_key = excluded.group_key,
      renamed_by = CASE WHEN e.name_key = excluded.name_key THEN e.renamed_by ELSE pg_current_xact_id()::text::bigint END,
      resized_by = CASE WHEN e.file_size = excluded.file_size THEN e.resized_by ELSE pg_current_xact_id()::text::bigint END
    WHERE
      (e.customer_id, e.creator_id, e.created_at, e.name_key, e.file_size, e.type, e.extension, e.tags, e.terms, e.group_key)
      IS DISTINCT FROM (
        excluded.customer_id, excluded.creator_id, excluded.created_at, excluded.name_key, excluded.file_size, excluded.type, excluded.extension,
        excluded.tags, excluded.terms, excluded.group_key
      );
    IF cardinality(ids) > 20 THEN PERFORM gin_clean_pending_list('media_search_entries_terms_idx'); END IF;
  END
$$;

-- A new container whose files the same statement inserted is left to their trigger; OFFSET 0 keeps PostgreSQL from joining the rows with all files. EXCEPT
-- compares the rows in time that is linear in their number, also where the plan was made for a single row.
CREATE FUNCTION media_search_note_containers() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT id FROM new_rows WHERE NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = new_rows.id OFFSET 0) ORDER BY id);
    ELSE
      ids := ARRAY(SELECT id FROM (
        SELECT id, customer_id, creator_id, type, flag, doomed, name, description, tags, origin, metadata, created_at FROM new_rows
        EXCEPT
        SELECT id, customer_id, creator_id, type, flag, doomed, name, description, tags, origin, metadata, created_at FROM old_rows
      ) AS changed ORDER BY id);
    END IF;
    IF cardinality(ids) > 0 THEN PERFORM media_search_refresh(ids); END IF;
    RETURN NULL;
  END
$$;

CREATE FUNCTION media_search_note_items() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ids integer[];
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM new_rows ORDER BY 1);
    ELSIF TG_OP = 'DELETE' THEN
      ids := ARRAY(SELECT DISTINCT media_container_id FROM old_rows ORDER BY 1);
    ELSE
      ids := ARRAY(SELECT DISTINCT media_container_id FROM (
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size, file_description ->> 'problem' AS problem FROM new_rows
        EXCEPT
        SELECT id, media_container_id, format_id, status, role, file_name, file_extension, file_size, file_description ->> 'problem' AS problem FROM old_rows
      ) AS changed ORDER BY 1);
    END IF;
    IF cardinality(ids) > 0 THEN PERFORM media_search_refresh(ids); END IF;
    RETURN NULL;
  END
$$;

CREATE TRIGGER media_search_insert AFTER INSERT ON media_containers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION media_search_note_containers();
CREATE TRIGGER media_search_update AFTER UPDATE ON media_containers
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION media_search_note_containers();
CREATE TRIGGER media_search_insert AFTER INSERT ON media_items
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION media_search_note_items();
CREATE TRIGGER media_search_update AFTER UPDATE ON media_items
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION media_search_note_items();
CREATE TRIGGER media_search_delete AFTER DELETE ON media_items
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION media_search_note_items();
