import { MAX_COUNTED_ROWS } from '../../../shared/database/index.js';
import { WORK_FOLDER } from '../tools/converter-worker.entity.js';
import { PRIORITIES } from './transcoding.entity.js';

/** A transcoding that was interrupted this often is not tried again, because it may itself be what ends its workers. */
export const MAX_FAILURES = 5;
/** The delay before the second attempt; it doubles before each further one. */
const RETRY_DELAY_SECONDS = 15;
/**
 * The pause between two attempts while the storage is down or the disk is full: either may recover at any time, and an attempt costs
 * little.
 */
export const OUTAGE_DELAY_SECONDS = 30;
/** The number of transcodings that one transaction deletes: each of them publishes an event. */
export const DELETION_BATCH = 100;
/** Leaves the operator time to install a program. */
export const UNAVAILABLE_AFTER_HOURS = 24;
const MAX_UNAVAILABLE = 1_000;

/** The columns of a ClaimedTranscoding, for RETURNING. */
const CLAIMED_COLUMNS = `id, customer_id AS "customerId", media_container_id AS "mediaContainerId", source_media_id AS "sourceMediaId",
  format_id AS "formatId", priority, attempt, failures, depth, root_event_id AS "rootEventId", traceparent`;

/**
 * The first turn of a customer without transcodings in the queue of a kind and priority: the turn of the first waiting transcoding, but after the running
 * ones. Otherwise a transcoding that cannot be claimed for a long time would give an early turn to every such customer, and a few customers that keep
 * adding one would starve the others.
 */
const HEADS = `SELECT is_long, priority, greatest(
      (SELECT turn FROM transcoding_jobs j WHERE j.state = 'ready' AND j.is_long = queue.is_long AND j.priority = queue.priority ORDER BY turn LIMIT 1),
      (SELECT max(turn) + 1 FROM transcoding_jobs j WHERE j.state = 'running' AND j.is_long = queue.is_long AND j.priority = queue.priority), 0) AS turn
    FROM (SELECT DISTINCT is_long, priority FROM wanted) AS queue`;

/** The last turn of a customer's own transcodings in the queue of a kind and priority. */
const TAILS = `SELECT customer_id, is_long, priority,
      (SELECT max(turn) FROM transcoding_jobs j WHERE j.customer_id = own.customer_id AND j.is_long = own.is_long AND j.priority = own.priority) AS turn
    FROM (SELECT DISTINCT customer_id, is_long, priority FROM wanted) AS own`;

/**
 * Raw SQL, because turns are computed from the existing rows in the statement that inserts. Transcodings of a customer are one turn apart, in the
 * order of the requests, so that customers alternate however many each has; within a turn the earlier id comes first (ids are ordered by time). An
 * existing transcoding is returned instead of a second one; it is updated, so that it is returned even while another transaction inserts it.
 */
export const ENQUEUE = `WITH wanted AS (
    SELECT DISTINCT ON (source_media_id, format_id) * FROM jsonb_to_recordset($1::jsonb) AS job (id uuid, place int, customer_id int,
      media_container_id int, source_media_id int, format_id int, programs text[], is_long boolean, priority smallint)
    ORDER BY source_media_id, format_id, place
  ), heads AS (
    ${HEADS}
  ), tails AS (
    ${TAILS}
  )
  INSERT INTO transcoding_jobs (id, customer_id, media_container_id, source_media_id, format_id, programs, is_long, priority, turn, ready_at, depth, root_event_id,
    traceparent)
  SELECT w.id, w.customer_id, w.media_container_id, w.source_media_id, w.format_id, w.programs, w.is_long, w.priority,
    greatest(h.turn, t.turn + 1) + row_number() OVER (PARTITION BY w.customer_id, w.is_long, w.priority ORDER BY w.place) - 1, $2, $3, $4, $5
  FROM wanted w JOIN heads h USING (is_long, priority) JOIN tails t USING (customer_id, is_long, priority)
  ORDER BY w.source_media_id, w.format_id
  ON CONFLICT (source_media_id, format_id) DO UPDATE SET depth = transcoding_jobs.depth
  RETURNING id AS "jobId", source_media_id AS "sourceMediaId", format_id AS "formatId"`;

/** Raw SQL, because TypeORM's count cannot stop at a limit. */
export const COUNT_UP_TO = `SELECT count(*)::int AS count FROM (SELECT FROM transcoding_jobs WHERE customer_id = $1 LIMIT $2) AS counted`;

/**
 * Raw SQL, because concurrent workers must each get a different row (SKIP LOCKED). $4: the kind of place; $5: the seconds that the work may be expected
 * to take (null: as long as it needs); $6: customers whose work is not taken.
 */
const claim = (
  condition: string,
) => `UPDATE transcoding_jobs SET state = 'running', attempt = attempt + 1, locked_by = $3, heartbeat_at = now()
  WHERE id = ANY(ARRAY(
    SELECT id FROM transcoding_jobs WHERE state = 'ready' AND ready_at <= $1 AND programs <@ $2::text[] AND is_long = $4
      AND ($5::int IS NULL OR coalesce(expected_seconds <= $5, true)) AND customer_id <> ALL($6::int[]) ${condition}
    ORDER BY priority, turn, id LIMIT 1 FOR UPDATE SKIP LOCKED))
  RETURNING ${CLAIMED_COLUMNS}`;

/** Previews first. */
export const CLAIM = claim('');
export const CLAIM_BEHIND_PREVIEWS = claim(`AND priority > ${PRIORITIES.preview}`);

/** Raw SQL, because the delay is computed from the stored number of failures. $4: now. */
export const SCHEDULE_RETRY = `UPDATE transcoding_jobs SET state = 'ready', locked_by = NULL, heartbeat_at = NULL, failures = failures + 1,
    ready_at = $4::timestamptz + interval '${RETRY_DELAY_SECONDS} seconds' * 2 ^ failures
  WHERE id = $1 AND attempt = $2 AND locked_by = $3 AND failures < ${MAX_FAILURES - 1}`;

/** Raw SQL, because only one of two concurrent cancellations may get the row (RETURNING). */
export const DELETE_FOR_CUSTOMER = `DELETE FROM transcoding_jobs WHERE id = $1 AND customer_id = $2 RETURNING ${CLAIMED_COLUMNS}`;

/** Raw SQL, because TypeORM cannot delete a limited number of rows and return them. */
const deleteSome = (condition: string) => `DELETE FROM transcoding_jobs
  WHERE id = ANY(ARRAY(SELECT id FROM transcoding_jobs WHERE ${condition} ORDER BY id LIMIT ${DELETION_BATCH} FOR UPDATE))
  RETURNING ${CLAIMED_COLUMNS}`;

export const DELETE_SOME_OF_FORMAT = deleteSome('format_id = $1');
export const DELETE_SOME_OF_CONTAINER = deleteSome('media_container_id = $1');

/** How long a transcoding may wait for a worker before this is reported as a problem: longer than a worker needs to start. */
const WAITING_TOO_LONG = '1 minute';
/** The number of rows that are read; transcodings that no worker can claim stay at the head of the queue. */
export const MAX_HEAD = 1_000;

/** Raw SQL, because TypeORM cannot group a limited number of rows. Reads the head of the queue in the order of claims. */
export const LIST_WAITING_PROGRAMS = `SELECT programs, count(*)::int AS count FROM (
    SELECT programs FROM transcoding_jobs WHERE state = 'ready' AND ready_at < $1::timestamptz - interval '${WAITING_TOO_LONG}'
    ORDER BY priority, turn, id LIMIT ${MAX_HEAD}
  ) AS head GROUP BY programs`;

/** Raw SQL, because TypeORM's find has no DISTINCT. */
export const LIST_WORKERS = `SELECT DISTINCT locked_by AS worker FROM transcoding_jobs WHERE state = 'running'`;

/**
 * Raw SQL, because arrays of programs are compared with those of all workers. Selects transcodings that have waited too long and need programs that
 * no worker has together; none while no worker is able to work.
 */
const UNAVAILABLE = `FROM transcoding_jobs j
  WHERE state = 'ready' AND ready_at < $1::timestamptz - interval '${UNAVAILABLE_AFTER_HOURS} hours'
    AND EXISTS (SELECT FROM converter_workers WHERE NOT tools ? '${WORK_FOLDER}')
    AND NOT EXISTS (SELECT FROM converter_workers w WHERE j.programs <@ w.programs)`;

export const FIND_UNAVAILABLE = `SELECT id ${UNAVAILABLE} ORDER BY id LIMIT ${MAX_UNAVAILABLE}`;

export const FIND_STILL_UNAVAILABLE = `SELECT ${CLAIMED_COLUMNS}, programs, ARRAY(
    SELECT program FROM unnest(programs) AS program
    WHERE NOT EXISTS (SELECT FROM converter_workers w WHERE program = ANY(w.programs)) ORDER BY program
  ) AS missing, (SELECT bool_and(w.isolation ? 'refusal') FROM converter_workers w) AS refused ${UNAVAILABLE} AND id = ANY($2::uuid[])`;

/**
 * The length of the queue of each priority (DatabaseMetricsService). Raw SQL, because states without rows are counted too. It reads the
 * whole table: all of its rows are in a queue.
 */
export const COUNT_QUEUES = `SELECT queues.queue, states.state, count(job.state)::int AS length,
    CASE states.state WHEN 'ready' THEN coalesce(extract(epoch FROM now() - min(job.ready_at)), 0) END::float8 AS age
  FROM (VALUES ('previews', ${PRIORITIES.preview}), ('transcodings', ${PRIORITIES.transcoding})) AS queues (queue, priority)
  CROSS JOIN (VALUES ('ready'), ('waiting'), ('running')) AS states (state)
  LEFT JOIN (
    SELECT priority, ready_at, CASE WHEN state = 'ready' AND ready_at > now() THEN 'waiting' ELSE state END AS state
    FROM transcoding_jobs LIMIT ${MAX_COUNTED_ROWS}
  ) AS job USING (priority, state)
  GROUP BY queues.queue, states.state`;
