import { NOT_SENDER } from './user.entity.js';

/** Statements on customers, users and their data that TypeORM's repositories cannot express, or that run for every request. */

const PRINCIPAL_COLUMNS = `id, customer_id AS "customerId", email, kind, firstname, lastname, admin_level AS "adminLevel"`;

/** $1: ids. Raw because it runs for every request with a token; one statement serves all requests of the same moment. */
export const FIND_PRINCIPALS = `SELECT ${PRINCIPAL_COLUMNS} FROM users WHERE id = ANY($1::int[]) AND disabled_at IS NULL`;

/** $1: customer, $2: id, $3: e-mail address. Raw because it runs for every signed request that names an identifier. */
export const FIND_PRINCIPAL_BY_IDENTIFIER = `SELECT ${PRINCIPAL_COLUMNS} FROM users
  WHERE customer_id = $1 AND (id = $2 OR email = $3) AND ${NOT_SENDER} AND disabled_at IS NULL`;

/**
 * $1: customer, $2: e-mail address, $3 and $4: names, $5: id of a new sender. Raw because TypeORM has no upsert on a partial index. Known and
 * unknown addresses cost the same statement and the same write, so that the time reveals nothing. Returns no row if the id is taken, because
 * an error would abort the surrounding transaction.
 */
export const FIND_OR_CREATE_SENDER = `INSERT INTO users (id, customer_id, email, kind, firstname, lastname)
  SELECT $5::int, $1::int, $2::text, 'sender', $3::text, $4::text WHERE NOT EXISTS (SELECT FROM users WHERE id = $5)
  ON CONFLICT (customer_id, email) WHERE kind = 'sender' DO UPDATE SET updated_at = now()
  RETURNING id, customer_id AS "customerId", email`;

/** $1: names of access keys. Raw because it runs for every signed request; one statement serves all requests of the same moment. */
export const FIND_ACCESS_KEYS = `SELECT id, access_key AS "accessKey", sealed_secret AS "sealedSecret", user_id AS "userId", created_at AS "createdAt"
  FROM access_keys WHERE access_key = ANY($1::text[])`;

/**
 * $1: member of staff, $2: user of the customer, $3: now. Members of staff are users of the operator; the customer decides until when they may
 * act for its users. Raw because the entities have no relations to join, and because it runs for every request of support staff.
 */
export const IS_SUPPORT_ACCESS_OPEN = `SELECT 1 AS open FROM users staff
  JOIN customers operator ON operator.id = staff.customer_id AND operator.operator
  JOIN users u ON u.id = $2 AND u.disabled_at IS NULL AND u.${NOT_SENDER}
  JOIN customers c ON c.id = u.customer_id AND c.support_access_until > $3
  WHERE staff.id = $1 AND staff.disabled_at IS NULL AND staff.kind = 'person'`;

const QUIET_TIME = '1 hour'; // without attempts, after which the count restarts

/** $1: now. Matches the rows that no longer delay any attempt. */
export const IS_LOGIN_FAILURE_EXPIRED = `updated_at < $1::timestamptz - interval '${QUIET_TIME}' AND wait_until < $1`;

/**
 * $1: key, $2: now, $3: attempt, $4: seconds to wait after the 1st, 2nd, … failure; the last value applies to all further ones. Counts an
 * attempt as failed before it is checked, in one statement, so that concurrent attempts are all counted; TypeORM cannot express an upsert that
 * reads the old row. An attempt during the wait is counted and refused, and does not prolong the wait. The absence of a wait is stored as the
 * epoch, not as the current time, because attempts arrive out of order from processes whose clocks differ.
 */
export const COUNT_LOGIN_ATTEMPT = `INSERT INTO login_failures AS f (key, failures, wait_until, admitted, updated_at)
  VALUES ($1, 1, coalesce($2::timestamptz + make_interval(secs => nullif(($4::int[])[1], 0)), 'epoch'), $3, $2)
  ON CONFLICT (key) DO UPDATE SET
    failures = CASE WHEN f.updated_at < $2::timestamptz - interval '${QUIET_TIME}' THEN 1 ELSE f.failures + 1 END,
    wait_until = CASE
      WHEN f.wait_until > $2 THEN f.wait_until
      WHEN f.updated_at < $2::timestamptz - interval '${QUIET_TIME}' THEN excluded.wait_until
      ELSE coalesce(
        $2::timestamptz + make_interval(secs => nullif(($4::int[])[least(f.failures + 1, cardinality($4::int[]))], 0)), 'epoch') END,
    admitted = CASE WHEN f.wait_until > $2 THEN f.admitted ELSE $3 END,
    updated_at = $2
  RETURNING wait_until AS "waitUntil", admitted`;

/** $1: key, $2: attempt. Raw because the new values are computed from the old row. */
export const UNCOUNT_LOGIN_ATTEMPT = `UPDATE login_failures SET failures = greatest(failures - 1, 0),
  wait_until = CASE WHEN admitted = $2 THEN 'epoch' ELSE wait_until END WHERE key = $1`;
