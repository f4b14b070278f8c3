// Raw SQL, because these statements insert thousands of rows at once, or change a row in one round trip only if its job has not ended.

const IDENTITY = 'id, customer_id, client_id, type, media_container_id, format_id';
const IDENTITY_ARRAYS = '$1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[]';
const OUTCOME = 'result, sealed_result, sealed_until';

/** The number of leading parameters that identify an activity. */
export const IDENTITY_COLUMNS = 6;

export const START_ACTIVITIES = `INSERT INTO activities (${IDENTITY}, progress)
  SELECT ${IDENTITY}, CASE type WHEN 'transcoding' THEN 0 END FROM unnest(${IDENTITY_ARRAYS}) AS job (${IDENTITY})`;

export const INSERT_SUCCESSFUL_ACTIVITIES = `INSERT INTO activities (${IDENTITY}, status, finished_at, ${OUTCOME})
  SELECT ${IDENTITY}, 'successful', now(), ${OUTCOME}
  FROM unnest(${IDENTITY_ARRAYS}, $7::jsonb[], $8::text[], $9::timestamptz[]) AS job (${IDENTITY}, ${OUTCOME})`;

export const SUCCEED_ACTIVITY = `INSERT INTO activities (${IDENTITY}, status, finished_at, ${OUTCOME})
  VALUES ($1, $2, $3, $4, $5, $6, 'successful', now(), $7, $8, $9)
  ON CONFLICT (id) DO UPDATE SET status = 'successful', finished_at = now(), result = excluded.result,
    sealed_result = excluded.sealed_result, sealed_until = excluded.sealed_until, code = NULL, message = NULL, log = NULL`;

/** A failed activity keeps its progress. */
export const FINISH_ACTIVITY = `UPDATE activities SET status = $2, finished_at = now(), result = $3, code = $4, message = $5, log = $6,
    progress = CASE WHEN $2 = 'successful' AND progress IS NOT NULL THEN 100 ELSE progress END
  WHERE id = $1 AND status = 'running'`;

/** An unchanged progress is not written. */
export const ADVANCE_ACTIVITY = `UPDATE activities SET progress = $2 WHERE id = $1 AND status = 'running' AND progress IS DISTINCT FROM $2`;

/** Deletes in batches, skipping rows that others have locked. $1: now, $2: batch size. */
export const DELETE_EXPIRED_SECRETS = `UPDATE activities SET sealed_result = NULL, sealed_until = NULL
  WHERE id = ANY(ARRAY(SELECT id FROM activities WHERE sealed_result IS NOT NULL AND sealed_until < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`;

/** Raw SQL, because the find of TypeORM has no DISTINCT ON. */
export const FIND_NEWEST_TRANSCODINGS = `SELECT DISTINCT ON (media_container_id, format_id) media_container_id AS "mediaContainerId",
    customer_id AS "customerId", format_id AS "formatId", status, coalesce(progress, 0) AS progress, code,
    coalesce(result->'skipped' = 'true', false) AS "isSkipped"
  FROM activities WHERE media_container_id = ANY($1::int[]) AND type = 'transcoding' AND format_id IS NOT NULL
  ORDER BY media_container_id, format_id, sequence DESC`;
