import { INSTRUCTION_TYPES } from '../instructions/instruction-kinds.js';
import { RUNS_CHANNEL } from './runs-channel.js';

// Raw SQL throughout: an event and its runs are written in one transaction, and thousands of subscriptions may match, so PostgreSQL compares
// and inserts them in one statement. FOR KEY SHARE waits for a concurrent deletion of a subscription, which then gets no run, so that the
// foreign key does not fail.

/** The number of refusals that are logged for one subscription in an hour, so that the log does not grow instead of the queue. */
const MAX_REFUSALS_LOGGED = 20;

/**
 * Selects the subscriptions that match an event: jsonb must contain the payload of their conditions, at any depth and with lists compared by their
 * elements (contract section 9).
 */
const MATCHES = `customer_id = $2 AND name = $3 AND processed_at IS NULL
  AND (methods IS NULL OR $4 = ANY(methods)) AND (payload IS NULL OR $5::jsonb @> payload)`;

/** $1 is not used for counting, but bound because all of these statements share their first five parameters. */
export const COUNT_MATCHING = `SELECT count(*)::int AS count, $1::bigint AS event FROM subscriptions WHERE ${MATCHES}`;

const insertRuns = (
  subscriptions: string,
): string => `INSERT INTO subscription_runs (event_id, subscription_id, message_id, once, state, lane)
  SELECT $1, id, gen_random_uuid(), flag = 2, CASE flag WHEN 2 THEN 'held' ELSE 'ready' END, lanes[1] FROM ${subscriptions}`;

const NOTIFY = `SELECT pg_notify('${RUNS_CHANNEL}', CASE WHEN bool_or(once) THEN 'held' ELSE 'ready' END) FROM planned HAVING count(*) > 0`;

export const PLAN_RUNS = `WITH matching AS (SELECT id, flag, lanes FROM subscriptions WHERE ${MATCHES} FOR KEY SHARE),
  planned AS (${insertRuns('matching ORDER BY id LIMIT $6')} RETURNING once),
  notified AS (${NOTIFY})
  SELECT (SELECT count(*) FROM matching)::int AS matching, (SELECT count(*) FROM planned)::int AS planned, (SELECT count(*) FROM notified)`;

export const PLAN_ONE_RUN = `WITH planned AS (${insertRuns('subscriptions')} WHERE id = $2 AND customer_id = $3 AND processed_at IS NULL
    AND NOT EXISTS (SELECT FROM subscription_runs WHERE subscription_id = $2) FOR KEY SHARE OF subscriptions RETURNING once) ${NOTIFY}`;

/** The type of the first instruction is part of its lane (laneOf); all other targets are hosts of https instructions. */
const FIRST_TYPE = `split_part(lanes[1], ' ', 2)`;
const TYPES = INSTRUCTION_TYPES.map((type) => `'${type}'`).join(', ');

/**
 * Logs a refusal for matching subscriptions that get no run (run 0). Refusals are counted separately from the entries of runs, which continue between
 * them.
 */
export const LOG_REFUSED = `INSERT INTO subscription_logs (subscription_id, run_id, instruction, message_id, attempt, type, status_code, reason, duration_ms)
  SELECT id, 0, 0, gen_random_uuid()::text, 1, CASE WHEN ${FIRST_TYPE} IN (${TYPES}) THEN ${FIRST_TYPE} ELSE 'https' END,
    $6, $7, 0
  FROM subscriptions s WHERE ${MATCHES} AND ($8::int IS NULL OR id = $8)
    AND NOT EXISTS (SELECT FROM subscription_runs r WHERE r.event_id = $1 AND r.subscription_id = s.id)
    AND (SELECT count(*) FROM subscription_logs l WHERE l.subscription_id = s.id AND l.run_id = 0 AND l.reason = $7
      AND l.created_at > now() - interval '1 hour') < ${MAX_REFUSALS_LOGGED}
  ORDER BY id FOR KEY SHARE OF s`;

export const COUNT_UNFINISHED_RUNS = `SELECT count(*)::int AS count FROM (SELECT FROM subscriptions s JOIN subscription_runs r ON r.subscription_id = s.id
  WHERE s.customer_id = $1 AND r.finished_at IS NULL LIMIT $2) AS unfinished`;
