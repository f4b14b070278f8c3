/** Statements on authorizations and revoked tokens that run for every request, or that TypeORM's query builder cannot express. */

export const COLUMNS = `id, grant_id AS "grantId", user_id AS "userId", client_id AS "clientId", generation, device AS "deviceKey",
  own_device AS "ownDevice", scope, resources, parent_id AS "parentId", parent_token AS "parentToken", access_key AS "accessKey",
  ends_at AS "endsAt", ip, user_agent AS "userAgent", env, platform, version, legacy_resource AS "legacyResource",
  last_login AS "lastLogin", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** The device that the client named, as `Authorization.device`. */
const DEVICE = `CASE WHEN ends_at IS NULL THEN nullif(device, '') ELSE own_device END`;

/** $1: user, $2: client, $3: device. Raw because it runs for every authorization request. */
export const FIND_BY_KEY = `SELECT ${COLUMNS} FROM authorizations
  WHERE user_id = $1 AND client_id = $2 AND device = coalesce($3, '') AND ends_at IS NULL`;

/** $1: grant ids. Raw because it runs for every exchange of a code or refresh token; one statement serves all requests of the same moment. */
export const FIND_BY_GRANT_IDS = `SELECT ${COLUMNS} FROM authorizations WHERE grant_id = ANY($1::text[])`;

/**
 * $1: users, $2: ids to start after, $3: page sizes, $4: now. Returns a page of authorizations for each user, with one row for each client and
 * device: a derived authorization is listed only if the user granted none and no earlier one was derived. Raw because of the lateral join; one
 * statement serves all requests of the same moment.
 */
export const FIND_PAGES = `SELECT wanted.after, wanted.page_size AS "limit", found.*
  FROM unnest($1::int[], $2::bigint[], $3::int[]) AS wanted (user_id, after, page_size)
  CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM authorizations a WHERE user_id = wanted.user_id AND id > wanted.after AND (ends_at IS NULL OR ends_at > $4
      AND NOT EXISTS (SELECT FROM authorizations WHERE user_id = a.user_id AND client_id = a.client_id AND device = coalesce(a.own_device, ''))
      AND NOT EXISTS (SELECT FROM authorizations other WHERE other.user_id = a.user_id AND other.client_id = a.client_id AND other.id < a.id
        AND other.ends_at > $4 AND other.own_device IS NOT DISTINCT FROM a.own_device))
    ORDER BY id LIMIT wanted.page_size
  ) found`;

/**
 * $1: grant id, $2: user, $3: client, $4: device, $5: scope, $6: audiences. Adds scopes and audiences to earlier grants; concurrent grants
 * result in one row. Raw because the query builder has no upsert that combines the old row with the new one.
 */
export const GRANT = `INSERT INTO authorizations AS a (grant_id, user_id, client_id, device, scope, resources)
  VALUES ($1, $2, $3, coalesce($4, ''), $5, $6)
  ON CONFLICT (user_id, client_id, device) DO UPDATE SET
    scope = (SELECT coalesce(string_agg(DISTINCT s, ' ' ORDER BY s), '')
      FROM unnest(string_to_array(a.scope || ' ' || excluded.scope, ' ')) AS s WHERE s <> ''),
    resources = ARRAY(SELECT DISTINCT r FROM unnest(a.resources || excluded.resources) AS r),
    updated_at = now()
  RETURNING ${COLUMNS}`;

/**
 * $1 to $8: a list for each column of a login. Of several simultaneous logins of one grant, one is recorded; a row that another transaction has
 * locked is skipped. Values that a login does not contain stay unchanged. Raw because it writes all logins of the same moment at once.
 */
export const RECORD_LOGINS = `UPDATE authorizations a SET last_login = l.at, updated_at = l.at, ip = l.ip, user_agent = l.user_agent,
    env = coalesce(l.env, a.env),
    platform = coalesce(l.platform, a.platform), version = coalesce(l.version, a.version),
    legacy_resource = coalesce(l.legacy_resource, a.legacy_resource)
  FROM (
    SELECT found.id, login.* FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      AS login (grant_id, at, ip, user_agent, env, platform, version, legacy_resource)
    JOIN authorizations found ON found.grant_id = login.grant_id FOR UPDATE OF found SKIP LOCKED
  ) l WHERE a.id = l.id`;

/**
 * $1: user, $2: id, $3: client, $4: device; null selects all. Deletes what matches and all derived authorizations of the same client and device.
 * Raw because the query builder has no DELETE with a common table expression.
 */
export const DELETE_OF_USER = `WITH chosen AS (
    SELECT client_id AS client, ${DEVICE} AS chosen_device FROM authorizations WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2::bigint)
      AND ($3::text IS NULL OR client_id = $3) AND ($4::text IS NULL OR ${DEVICE} = $4)
  )
  DELETE FROM authorizations WHERE user_id = $1
    AND EXISTS (SELECT FROM chosen WHERE client = client_id AND chosen_device IS NOT DISTINCT FROM ${DEVICE}) RETURNING ${COLUMNS}`;

/**
 * $1: token ids, $2: authorizations, $3: generations. Returns a row for each valid token: its authorization exists in that generation, or it
 * needs none, and the token itself was not revoked. Raw because it runs for every request; one statement serves all requests of a moment.
 */
export const FIND_TOKEN_STATES = `SELECT t.jti, CASE WHEN a.ends_at IS NULL THEN nullif(a.device, '') ELSE a.own_device END AS device,
    a.ends_at AS "endsAt", a.access_key AS "accessKey"
  FROM unnest($1::text[], $2::int[], $3::int[]) AS t (jti, authorization_id, generation)
  LEFT JOIN authorizations a ON a.id = t.authorization_id AND a.generation = t.generation
  WHERE (t.authorization_id IS NULL OR a.id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM revoked_tokens r WHERE r.jti = t.jti)`;
