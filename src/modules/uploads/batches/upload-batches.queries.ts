/** Raw SQL: inserts the batches of many requests, with payloads of megabytes, in one statement that also inserts their media (`together`). */
export const INSERT_PREPARED = `INSERT INTO upload_batches (customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id,
    payload, items, problems, status, credentials_expire_at, last_activity_at)
  SELECT customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id, payload, items, problems, 'prepared',
    expires_at, now
  FROM ROWS FROM (
      unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::uuid[], $8::uuid[], $9::jsonb[], $10::jsonb[],
        $11::timestamptz[], $12::timestamptz[]),
      jsonb_array_elements(convert_from($13::bytea, 'UTF8')::jsonb))
    AS batch (customer_id, creator_id, user_id, client_id, dropsite_id, session_id, upload_id, job_id, items, problems, expires_at, now, payload)`;

/** Raw SQL: concurrent requests must not move a time backwards, and TypeORM's update accepts no expression with parameters. */
export const RENEW = `UPDATE upload_batches SET credentials_expire_at = greatest(credentials_expire_at, $2),
    last_activity_at = greatest(last_activity_at, $3), session_id = $4
  WHERE id = $1 AND status = 'prepared'`;

/** Raw SQL for the same reason as RENEW. */
export const RECORD_ACTIVITY = `UPDATE upload_batches SET last_activity_at = greatest(last_activity_at, $2) WHERE id = $1 AND status <> 'closed'`;

/** Raw SQL: ends a page of batches, and skips those that another transaction has locked. */
export const MARK_REAPED = `UPDATE upload_batches SET status = 'reaped'
  WHERE id = ANY(ARRAY(SELECT id FROM upload_batches
    WHERE status IN ('preparing', 'prepared') AND last_activity_at < $1 AND credentials_expire_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING id, items`;

/** Raw SQL: the constant condition lets PostgreSQL use the partial index of batches that have not been cleaned up. */
export const LIST_FOR_CLEANUP = `SELECT id, status, customer_id AS "customerId", upload_id AS "uploadId", items,
    credentials_expire_at AS "credentialsExpireAt"
  FROM upload_batches WHERE status IN ('completed', 'reaped', 'closed') AND tidied_at IS NULL AND credentials_expire_at < $1 AND id > $2 ORDER BY id LIMIT $3`;
