import { MAX_COUNTED_ROWS } from '../../../shared/database/index.js';
import { joinEvent } from '../../../shared/events/index.js';

// Raw SQL throughout: claims skip locked rows, batches are processed in one statement, and changes depend on the current state of a row. Neither the
// query builder nor `save` of TypeORM can express that.

/** The number of rows in a batch, small enough that locks are short and other work is not delayed. */
export const RUN_BATCH = 1_000;
/** The number of log entries that are searched for an attempt that may have been recorded before: a process has no more concurrent attempts. */
const NEWEST = 1_000;

/** Jumps from one lane to the next in the index, so that a lane costs the same whether one run or a million runs are ready. */
export const LIST_READY_LANES = `WITH RECURSIVE following (lane) AS (
    SELECT min(lane) FROM subscription_runs WHERE state = 'ready' AND lane > $1
    UNION ALL
    SELECT (SELECT min(r.lane) FROM subscription_runs r WHERE r.state = 'ready' AND r.lane > f.lane) FROM following f WHERE f.lane IS NOT NULL
  ), beginning (lane) AS (
    SELECT min(lane) FROM subscription_runs WHERE state = 'ready' AND lane <= $1
    UNION ALL
    SELECT (SELECT min(r.lane) FROM subscription_runs r WHERE r.state = 'ready' AND r.lane > b.lane AND r.lane <= $1)
      FROM beginning b WHERE b.lane IS NOT NULL
  )
  SELECT lane FROM (SELECT lane FROM following UNION ALL SELECT lane FROM beginning) AS round WHERE lane IS NOT NULL LIMIT $2`;

/**
 * Claims the oldest runs of each lane. `lane BETWEEN x AND x` is an equality that the planner does not recognise as one: with `=` it would consider
 * the order by `lane` given, and might scan all ended runs in the order of their ids.
 */
export const CLAIM_RUNS = `WITH picked AS (
    SELECT r.id FROM unnest($1::text[], $2::int[]) AS share (lane, places)
    CROSS JOIN LATERAL (
      SELECT id FROM subscription_runs WHERE state = 'ready' AND lane BETWEEN share.lane AND share.lane ORDER BY lane, id
      LIMIT share.places FOR UPDATE SKIP LOCKED
    ) AS r
  ), claimed AS (
    UPDATE subscription_runs SET state = 'running', locked_by = $3, attempts = attempts + 1, next_attempt_at = NULL
    WHERE id = ANY(ARRAY(SELECT id FROM picked)) RETURNING *
  )
  SELECT r.id, r.message_id AS "messageId", r.once, r.lane, r.instruction, r.ends_after AS "endsAfter", r.attempts,
    r.attempts_before_replay AS "attemptsBeforeReplay", r.results,
    event.id AS "eventId", event.name AS "eventName", event.method, event.payload, event.depth, event.root_id AS "rootEventId", event.traceparent,
    event.created_at AS "eventCreatedAt", s.id AS "subscriptionId", s.customer_id AS "customerId",
    s.last_editor_id AS "lastEditorId", s.instructions, s.signing_secret AS "signingSecret", s.lanes
  FROM claimed r ${joinEvent('r.event_id')} JOIN subscriptions s ON s.id = r.subscription_id ORDER BY r.id`;

/** Returns claimed runs whose attempt did not start. The attempt does not count, and no other process can claim the run meanwhile. */
export const RETURN_RUNS = `UPDATE subscription_runs SET state = 'ready', locked_by = NULL, attempts = attempts - 1
  WHERE id = ANY($1::bigint[]) AND state = 'running' AND locked_by = $2`;

/** Returns runs of a claim whose answer was lost: all runs of the worker except those that it knows. */
export const RETURN_UNKNOWN_RUNS = `UPDATE subscription_runs SET state = 'ready', locked_by = NULL, attempts = attempts - 1
  WHERE state = 'running' AND locked_by = $2 AND id <> ALL ($1::bigint[])`;

/** $1: customers. The attempts in progress. */
export const LIST_ATTEMPTS_UNDER_WAY = `SELECT r.id, r.attempts FROM subscription_runs r JOIN subscriptions s ON s.id = r.subscription_id
  WHERE r.state = 'running' AND s.customer_id = ANY($1::int[])`;

/** $1 and $2: runs and their attempts, as LIST_ATTEMPTS_UNDER_WAY found them. Whether one of them is still in progress. */
export const IS_ATTEMPT_UNDER_WAY = `SELECT EXISTS (
    SELECT FROM unnest($1::bigint[], $2::int[]) AS known (id, attempts)
    JOIN subscription_runs r ON r.id = known.id AND r.attempts = known.attempts AND r.state = 'running'
  ) AS found`;

export const LIST_RUN_WORKERS = `SELECT DISTINCT locked_by AS worker FROM subscription_runs WHERE state = 'running'`;

export const WAKE_DUE_RUNS = `WITH due AS (
    SELECT id FROM subscription_runs WHERE state = 'waiting' AND next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT ${RUN_BATCH} FOR UPDATE SKIP LOCKED
  )
  UPDATE subscription_runs SET state = 'ready', next_attempt_at = NULL WHERE id = ANY(ARRAY(SELECT id FROM due))`;

/** Subscriptions with held runs and none in progress. Jumps from one subscription to the next in the index, however many held runs each has. */
export const LIST_SUBSCRIPTIONS_TO_RELEASE = `WITH RECURSIVE holding (id) AS (
    SELECT min(subscription_id) FROM subscription_runs WHERE state = 'held'
    UNION ALL
    SELECT (SELECT min(r.subscription_id) FROM subscription_runs r WHERE r.state = 'held' AND r.subscription_id > h.id)
      FROM holding h WHERE h.id IS NOT NULL
  )
  SELECT id FROM holding WHERE id IS NOT NULL AND NOT EXISTS (
    SELECT FROM subscription_runs r WHERE r.subscription_id = holding.id AND r.once AND r.state IN ('ready', 'running', 'waiting')
  )`;

export const LOCK_SUBSCRIPTIONS = `SELECT id FROM subscriptions WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`;

/** Makes the oldest held run of each subscription ready, or skips its held runs if the subscription has acted. BETWEEN is used as in CLAIM_RUNS. */
export const RELEASE_HELD_RUNS = `WITH chosen AS (
    SELECT r.id, s.processed_at IS NOT NULL AS skipped
    FROM subscriptions s CROSS JOIN LATERAL (
      SELECT id FROM subscription_runs WHERE subscription_id BETWEEN s.id AND s.id AND state = 'held' ORDER BY subscription_id, id
      LIMIT CASE WHEN s.processed_at IS NULL THEN 1 ELSE ${RUN_BATCH} END
    ) AS r
    WHERE s.id = ANY($1::int[]) AND (s.processed_at IS NOT NULL OR NOT EXISTS (
      SELECT FROM subscription_runs u WHERE u.subscription_id = s.id AND u.once AND u.state IN ('ready', 'running', 'waiting')))
  )
  UPDATE subscription_runs r SET state = CASE WHEN chosen.skipped THEN 'skipped' ELSE 'ready' END,
    finished_at = CASE WHEN chosen.skipped THEN $2::timestamptz END
  FROM chosen WHERE r.id = chosen.id AND r.state = 'held'`;

/**
 * Records many attempts at once: the log entries, the new states of the runs, and the last status of the subscriptions. It is one statement
 * because all of it has to happen or none, and because at thousands of attempts per second each round trip to the database counts.
 *
 * - `ended`: the attempts, as one JSON parameter.
 * - `locked`: the subscriptions, locked first and in one order, so that two processes, or a process and a deletion, cannot deadlock.
 * - `logged`: an entry for each attempt, unless an earlier call that failed had recorded it nevertheless (`again`).
 * - `settled`: the new state of each run, only if the worker still has the run and this attempt (the fence). `(… ) IS TRUE` hides the
 *   condition from the planner, which would otherwise read all runs of the worker for each of them instead of one run by its id.
 * - `latest`: the newest status of each subscription.
 * - `updated`: the last status of each subscription, and the end of a subscription that acts once; rows without a change are not written.
 */
export const RECORD_ATTEMPTS = `WITH ended AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS e (n int, run_id bigint, subscription_id int, tried smallint, attempt int, message_id text,
      type text, payload text, status_code int, reason text, duration_ms int, again boolean, state text, instruction smallint, lane text,
      attempts int, attempts_before_replay int, results text, next_attempt_at timestamptz, complete boolean)
  ), locked AS MATERIALIZED (
    SELECT id FROM subscriptions WHERE id = ANY(ARRAY(SELECT subscription_id FROM ended)) ORDER BY id FOR NO KEY UPDATE
  ), logged AS (
    INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, payload, status_code, reason, duration_ms)
    SELECT locked.id, e.run_id, e.tried, e.message_id, e.attempt, e.type, e.payload, e.status_code, e.reason, e.duration_ms
    FROM ended e JOIN locked ON locked.id = e.subscription_id
    WHERE e.message_id IS NOT NULL AND NOT (e.again AND EXISTS (
      SELECT FROM (SELECT l.message_id, l.attempt FROM subscription_logs l WHERE l.subscription_id = e.subscription_id ORDER BY l.id DESC LIMIT ${NEWEST}) AS newest
      WHERE newest.message_id = e.message_id AND newest.attempt = e.attempt))
    ORDER BY e.n
  ), settled AS (
    UPDATE subscription_runs r SET state = e.state, instruction = e.instruction, lane = e.lane, attempts = e.attempts,
      attempts_before_replay = e.attempts_before_replay, results = COALESCE(e.results, r.results), next_attempt_at = e.next_attempt_at,
      locked_by = NULL, finished_at = CASE WHEN e.state IN ('succeeded', 'failed') THEN $3::timestamptz END
    FROM ended e JOIN locked ON locked.id = e.subscription_id
    WHERE r.id = e.run_id AND r.attempts = e.attempt AND (r.state = 'running' AND r.locked_by = $2) IS TRUE
    RETURNING r.id, r.subscription_id, r.once AND e.complete AS processed
  ), latest AS (
    SELECT DISTINCT ON (subscription_id) subscription_id, status_code FROM ended WHERE message_id IS NOT NULL ORDER BY subscription_id, n DESC
  ), updated AS (
    UPDATE subscriptions s SET last_executed_status = COALESCE(latest.status_code, s.last_executed_status),
      processed_at = COALESCE(s.processed_at, CASE WHEN done.processed THEN $3::timestamptz END)
    FROM locked LEFT JOIN latest ON latest.subscription_id = locked.id
      LEFT JOIN (SELECT subscription_id, bool_or(processed) AS processed FROM settled GROUP BY 1) AS done ON done.subscription_id = locked.id
    WHERE s.id = locked.id AND (s.last_executed_status IS DISTINCT FROM COALESCE(latest.status_code, s.last_executed_status)
      OR (done.processed AND s.processed_at IS NULL))
  )
  SELECT id FROM settled`;

export const LOCK_SUBSCRIPTION_OF_LOG = `SELECT lanes[$2::int + 1] AS lane FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE`;

/** Counts the runs in a state by an index that does not contain ended runs, the largest part of the table. */
const countState = (state: string, age: string): string =>
  `SELECT 'subscription_runs' AS queue, '${state}' AS state, count(*)::int AS length, ${age} AS age
  FROM (SELECT * FROM subscription_runs WHERE state = '${state}' LIMIT ${MAX_COUNTED_ROWS}) AS counted`;

/** The seconds since the earliest of these times; 0 if there is none, or if it is in the future. */
const secondsSince = (earliest: string): string => `greatest(coalesce(extract(epoch FROM now() - ${earliest}), 0), 0)::float8`;

/**
 * The length and age of the queue (DatabaseMetricsService). For the age of ready runs, only runs that have waited since their event count,
 * not runs that are attempted again or were held; for the age of waiting runs, only runs whose next attempt is overdue.
 */
export const COUNT_QUEUE = [
  countState('ready', secondsSince('min(created_at) FILTER (WHERE attempts = 0 AND instruction = 0 AND NOT once)')),
  countState('waiting', secondsSince('min(next_attempt_at)')),
  countState('running', 'NULL'),
  countState('held', 'NULL'),
].join(' UNION ALL ');
