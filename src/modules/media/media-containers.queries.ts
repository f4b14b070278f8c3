/** The tags after a change: existing ones keep their order, and each occurs once. $2: tags to add, $3: tags to remove. */
const MERGED_TAGS = `ARRAY(SELECT tag FROM unnest(tags || $2::text[]) WITH ORDINALITY AS merged (tag, place)
    WHERE tag NOT IN (SELECT unnest($3::text[])) GROUP BY tag ORDER BY min(place))`;

/**
 * Raw SQL: computes the size of the changed tags without reading them; MATERIALIZED, so that they are merged once. Locks containers in the order
 * of their ids, so that two bulk changes cannot deadlock; readers and events are not blocked. $1: ids, $4: customer.
 */
export const LOCK_FOR_CHANGE = `SELECT id, type, flag, start, "end", CASE WHEN cardinality($2::text[]) > 0 THEN (
      WITH one AS MATERIALIZED (SELECT ${MERGED_TAGS} AS tags)
      SELECT json_build_object('count', cardinality(tags), 'bytes', octet_length(array_to_json(tags)::text)) FROM one
    ) END AS "mergedTags"
  FROM media_containers WHERE customer_id = $4 AND id = ANY($1::int[]) AND NOT doomed ORDER BY id FOR NO KEY UPDATE`;

/**
 * Raw SQL: changes many containers in one statement, in which the new tags of each depend on its old ones. Unchanged containers are not written,
 * as with TypeORM. $1: ids, $4: the columns that get the same value everywhere, as JSON. The dates are in $5 and $6, because PostgreSQL cannot
 * read all years that JSON contains.
 */
export const CHANGE_MANY = `WITH wanted AS MATERIALIZED (
    SELECT id, CASE WHEN $4::jsonb ? 'flag' THEN ($4::jsonb->>'flag')::int ELSE flag END AS flag,
      CASE WHEN $4::jsonb ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text($4::jsonb->'tags'))
        WHEN cardinality($2::text[]) + cardinality($3::text[]) > 0 THEN ${MERGED_TAGS} ELSE tags END AS tags,
      CASE WHEN $4::jsonb ? 'license' THEN nullif($4::jsonb->'license', 'null') ELSE license END AS license,
      CASE WHEN $4::jsonb ? 'start' THEN $5::timestamptz ELSE start END AS start,
      CASE WHEN $4::jsonb ? 'end' THEN $6::timestamptz ELSE "end" END AS "end"
    FROM media_containers WHERE id = ANY($1::int[])
  )
  UPDATE media_containers AS container SET flag = wanted.flag, tags = wanted.tags, license = wanted.license, start = wanted.start,
    "end" = wanted."end", version = version + 1, updated_at = now()
  FROM wanted WHERE container.id = wanted.id AND (container.flag, container.tags, container.license, container.start, container."end")
    IS DISTINCT FROM (wanted.flag, wanted.tags, wanted.license, wanted.start, wanted."end")`;
