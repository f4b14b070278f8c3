import { joinEvent } from '../../../shared/events/index.js';

/**
 * The number of entries that are read. More attempts of a subscription between two attempts at one mail are so rare that a repeated mail is
 * acceptable.
 */
const NEWEST = 1_000;

/**
 * The newest entries of many subscriptions, with a limit for each. Raw SQL, because the query builder has no LATERAL join. An entry without a stored
 * payload has that of the event, which exists as long as the run.
 */
export const FIND_NEWEST_LOGS = `SELECT log.subscription_id AS "subscriptionId", log.id::float8 AS id, log.message_id AS "messageId", log.attempt,
    log.type, log.payload AS sealed, log.status_code AS "statusCode", log.reason, log.duration_ms AS "durationMs",
    log.created_at AS "createdAt", event.id AS "eventId", event.name, event.customer_id AS "customerId", event.method, event.payload,
    event.created_at AS "happenedAt"
  FROM unnest($1::int[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM subscription_logs WHERE subscription_id = wanted.id AND id < $2 ORDER BY id DESC LIMIT $3
  ) AS log
  LEFT JOIN subscription_runs AS run ON log.payload IS NULL AND run.id = log.run_id
  LEFT ${joinEvent('run.event_id')}
  ORDER BY log.id DESC`;

/** Raw SQL, because only the newest entries may be read: there is no index by message id. Both orders are that of one index, so nothing is sorted. */
export const FIND_LATEST_PAYLOAD = `SELECT payload FROM (
    SELECT id, message_id, payload FROM subscription_logs WHERE subscription_id = $1 ORDER BY id DESC LIMIT ${NEWEST}
  ) AS newest WHERE message_id = $2 ORDER BY id DESC LIMIT 1`;
