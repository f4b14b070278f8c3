/** Statements on oidc_records that all requests of the same moment share, or that change a value in place. */

/** $1: models, $2: ids. Raw because it runs for every authorization and token request; one statement serves all requests of a moment. */
export const FIND_RECORDS = `SELECT model, id, grant_id AS "grantId", payload, consumed_at AS "consumedAt", expires_at AS "expiresAt"
  FROM oidc_records JOIN unnest($1::text[], $2::text[]) AS wanted (model, id) USING (model, id)`;

const INSERT = `INSERT INTO oidc_records (model, id, grant_id, uid, account_id, payload, expires_at)
  SELECT model, id, grant_id, uid, account_id, payload::jsonb, expires_at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::timestamptz[])
    AS written (model, id, grant_id, uid, account_id, payload, expires_at) ORDER BY model, id`;

/**
 * $1 to $7: a list for each column. Raw because it writes the records of all requests of the same moment at once, in an order in which two such
 * statements cannot block each other.
 */
export const REPLACE_RECORDS = `${INSERT} ON CONFLICT (model, id) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid,
  account_id = excluded.account_id, payload = excluded.payload, expires_at = excluded.expires_at`;

/** The same, but keeps existing records. */
export const INSERT_MISSING_RECORDS = `${INSERT} ON CONFLICT (model, id) DO NOTHING`;

/**
 * $1: models, $2: ids, $3: times, $4: calls. Of several calls for one record in the same statement, one succeeds; `call` identifies it. Raw
 * because it runs for every exchange of a code; one statement serves all requests of the same moment.
 */
export const CONSUME_RECORDS = `UPDATE oidc_records r SET consumed_at = c.at
  FROM (SELECT DISTINCT ON (model, id) * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) AS t (model, id, at, call)) c
  WHERE r.model = c.model AND r.id = c.id AND r.consumed_at IS NULL RETURNING c.call`;

/** $1: model, $2: id, $3: members. Raw because TypeORM cannot add members to a JSON value. */
export const AMEND_RECORD = 'UPDATE oidc_records SET payload = payload || $3::jsonb WHERE model = $1 AND id = $2';
