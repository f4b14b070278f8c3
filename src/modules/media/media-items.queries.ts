/** Raw SQL: inserts the containers of many requests in one statement that also inserts their items and batches (`together`). */
export const INSERT_CONTAINERS = `INSERT INTO media_containers (id, customer_id, creator_id, origin, type, name, checksum, metadata)
  SELECT * FROM ROWS FROM (unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[]),
    jsonb_array_elements(convert_from($8::bytea, 'UTF8')::jsonb))`;

/** Raw SQL for the same reason as INSERT_CONTAINERS. */
export const INSERT_ITEMS = `INSERT INTO media_items (id, media_container_id, customer_id, bucket, format_id, type, file_name, file_extension, file_size, s3_key,
    role, language, label, is_default)
  SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::boolean[])`;

/** Raw SQL: copies the name and customer of the original in the same statement, which inserts nothing if the original is gone. */
export const INSERT_RENDITION = `INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status,
    width, height, duration, codec, bucket, s3_key, etag, version, test, streaming, storyboard, language, label, is_default)
  SELECT media_container_id, customer_id, $2, $3, file_name, $4, $5, 'successful', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::jsonb,
    $17, $18, $19
  FROM media_items WHERE id = $1 RETURNING id`;

/** Raw SQL: keeps known facts, which another format may have read more exactly; TypeORM's update takes no expressions with parameters. */
export const FILL_IN_FACTS = `UPDATE media_items SET width = coalesce(width, $2), height = coalesce(height, $3), duration = coalesce(duration, $4),
    codec = coalesce(codec, $5)
  WHERE id = $1 AND (width IS NULL OR height IS NULL OR duration IS NULL OR codec IS NULL)`;

/**
 * Raw SQL: compares NULL as equal, so that the result is recorded only for the object that was read. Keeps known facts as FILL_IN_FACTS, except the
 * size: the first bytes of a picture, which were read at its success, do not always say that it is turned.
 */
export const RECORD_DESCRIPTION = `UPDATE media_items SET file_description = $4::jsonb, scripted = $5, web_vtt_key = $6,
    width = coalesce($7, width), height = coalesce($8, height), duration = coalesce(duration, $9), codec = coalesce(codec, $10)
  WHERE id = $1 AND status = 'successful' AND etag IS NOT DISTINCT FROM $2 AND version IS NOT DISTINCT FROM $3`;

/** Raw SQL: adds a member to the description of the object that was read, comparing NULL as equal. */
export const RECORD_TIMES = `UPDATE media_items SET file_description = jsonb_set(file_description, '{times}', $4::jsonb)
  WHERE id = $1 AND etag IS NOT DISTINCT FROM $2 AND version IS NOT DISTINCT FROM $3 AND file_description IS NOT NULL`;

/** Uploads, and PDFs that a format copied. */
const IS_UNDESCRIBED = `file_description IS NULL AND status = 'successful' AND (s3_key NOT LIKE 'renditions/%' OR file_extension = 'pdf')`;

/**
 * Raw SQL: its condition is that of the partial index, in whose order each part reads. Text tracks come first, because they cannot be delivered before;
 * an id may occur twice.
 */
export const LIST_UNDESCRIBED = `SELECT id FROM (
    (SELECT id, 1 AS turn FROM media_items WHERE ${IS_UNDESCRIBED} AND file_extension = 'vtt' ORDER BY id LIMIT $1)
    UNION ALL (SELECT id, 1 FROM media_items WHERE ${IS_UNDESCRIBED} AND file_extension = 'srt' ORDER BY id LIMIT $1)
    UNION ALL (SELECT id, 2 FROM media_items WHERE ${IS_UNDESCRIBED} ORDER BY file_extension, id LIMIT $1)
  ) AS found ORDER BY turn, id LIMIT $1`;

/** Raw SQL: a page has a thousand items, for each of which TypeORM would build an entity. */
export const LIST_SUCCESSFUL = `SELECT id, customer_id AS "customerId", media_container_id AS "mediaContainerId", format_id AS "formatId", bucket,
    s3_key AS "s3Key", file_size::float8 AS "fileSize", etag, version
  FROM media_items WHERE status = 'successful' AND id > $1 ORDER BY id LIMIT $2`;

/** Raw SQL: updates one page, because the table is too large for one statement. */
export const MOVE_TO_BUCKET = `UPDATE media_items SET bucket = $1
  WHERE id IN (SELECT id FROM media_items WHERE bucket <> $1 AND id > $2 ORDER BY id LIMIT $3) RETURNING id`;

/** Raw SQL: PostgreSQL stops at the first item of each format. */
export const FIND_FORMATS_IN_USE = `SELECT id FROM unnest($1::int[]) AS formats (id)
  WHERE EXISTS (SELECT FROM media_items WHERE media_items.format_id = formats.id)`;

/** Raw SQL: two aggregates in one statement. */
export const SUM = `SELECT count(*)::int AS items, coalesce(sum(file_size), 0)::float8 AS bytes FROM media_items WHERE customer_id = $1 AND status = 'successful'`;

/** Raw SQL: returns the ids of the changed rows. */
export const SCHEDULE_REMOVAL_OF_OLDER = `UPDATE media_items SET status = 'deleted'
  WHERE media_container_id = $1 AND format_id = $2 AND id < $3 AND status <> 'deleted' RETURNING id`;

/** Raw SQL: returns the ids of the changed rows, and compares NULL as equal. */
export const SCHEDULE_REMOVAL_OF_OTHER_TRACKS = `UPDATE media_items SET status = 'deleted'
  WHERE media_container_id = $1 AND role = $2 AND language IS NOT DISTINCT FROM $3 AND id <> $4 AND status = 'successful' RETURNING id`;

/** Raw SQL: locks a batch of items in the order of their ids, to avoid deadlocks, and returns each with its previous status. */
export const SCHEDULE_REMOVAL = `WITH before AS (SELECT id, status FROM media_items WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE)
  UPDATE media_items SET status = 'deleted' FROM before WHERE media_items.id = before.id
  RETURNING media_items.id, s3_key AS "s3Key", format_id AS "formatId", version, web_vtt_key AS "webVttKey", before.status`;

/** Raw SQL: deletes the item and, if it was the last one, its container in one statement. */
export const DELETE_WITH_EMPTY_CONTAINER = `WITH deleted AS (DELETE FROM media_items WHERE id = $1 AND status = 'deleted' RETURNING id, media_container_id)
  DELETE FROM media_containers c USING deleted WHERE c.id = deleted.media_container_id
    AND NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = c.id AND i.id <> deleted.id)`;

/** Raw SQL: a page has 10,000 ids, for each of which TypeORM would build an entity. */
export const LIST_IDS_OF_CONTAINER = 'SELECT id FROM media_items WHERE media_container_id = $1 AND id > $2 ORDER BY id LIMIT $3';

/** Raw SQL for the same reason as LIST_IDS_OF_CONTAINER. */
export const LIST_IDS_OF_FORMAT = 'SELECT id FROM media_items WHERE format_id = $1 AND id > $2 ORDER BY id LIMIT $3';

/** Raw SQL: locks a container only together with its original, in one statement; readers and events are not blocked. */
export const LOCK_WITH_ORIGINAL = `SELECT FROM media_containers WHERE id = $1 AND NOT doomed
  AND EXISTS (SELECT FROM media_items WHERE id = $2 AND media_container_id = $1 AND status = 'successful') FOR NO KEY UPDATE OF media_containers`;
