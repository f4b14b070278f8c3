import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';
import { Clock } from '../../shared/time/index.js';
import { Authorization } from './authorization.entity.js';

/** Where and by what a user signed in; kept with the authorization. */
export interface LoginDetails {
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly env: string | null;
  readonly platform: string | null;
  readonly version: string | null;
  readonly legacyResource: string | null;
}

export interface GrantKey {
  readonly userId: number;
  readonly clientId: string;
  readonly device: string | null;
}

export interface AuthorizationSelector {
  readonly id?: number;
  readonly clientId?: string;
  readonly device?: string;
}

/** What a derived authorization comes from: a token and the authorization behind it, or an access key. */
export interface Origin {
  readonly parent: { readonly id: number; readonly generation: number } | null;
  readonly parentToken: string | null;
  readonly accessKey: string | null;
  /** It never outlives the one that it was derived from; else it ends then. */
  readonly endsAt: Date;
}

/** The device as the client named it. */
const DEVICE = `CASE WHEN ends_at IS NULL THEN nullif(device, '') ELSE own_device END`;

const COLUMNS = `id, grant_id AS "grantId", user_id AS "userId", client_id AS "clientId", generation, ${DEVICE} AS device, scope, resources,
  parent_id AS "parentId", parent_token AS "parentToken", access_key AS "accessKey", ends_at AS "endsAt", ip, user_agent AS "userAgent", env, platform, version, legacy_resource AS "legacyResource", last_login AS "lastLogin", created_at AS "createdAt", updated_at AS "updatedAt"`;

const FIND_BY_GRANT_IDS = `SELECT ${COLUMNS} FROM authorizations WHERE grant_id = ANY($1::text[])`;

/**
 * One page of authorizations for each wanted user, one for each client and device: a derived one stands for itself only where the user
 * granted none and no earlier one was derived.
 */
const FIND_PAGES = `SELECT wanted.after, wanted.page_size AS "limit", found.*
  FROM unnest($1::int[], $2::bigint[], $3::int[]) AS wanted (user_id, after, page_size)
  CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM authorizations a WHERE user_id = wanted.user_id AND id > wanted.after AND (ends_at IS NULL OR ends_at > $4
      AND NOT EXISTS (SELECT FROM authorizations WHERE user_id = a.user_id AND client_id = a.client_id AND device = coalesce(a.own_device, ''))
      AND NOT EXISTS (SELECT FROM authorizations other WHERE other.user_id = a.user_id AND other.client_id = a.client_id AND other.id < a.id
        AND other.ends_at > $4 AND other.own_device IS NOT DISTINCT FROM a.own_device))
    ORDER BY id LIMIT wanted.page_size
  ) found`;

/**
 * Several logins of one grant at the same moment leave one of them, and a row that somebody else is writing is not waited for. What a
 * login does not tell stays as it was told before.
 */
const RECORD_LOGINS = `UPDATE authorizations a SET last_login = l.at, updated_at = l.at, ip = l.ip, user_agent = l.user_agent,
    env = coalesce(l.env, a.env),
    platform = coalesce(l.platform, a.platform), version = coalesce(l.version, a.version),
    legacy_resource = coalesce(l.legacy_resource, a.legacy_resource)
  FROM (
    SELECT found.id, login.* FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
      AS login (grant_id, at, ip, user_agent, env, platform, version, legacy_resource)
    JOIN authorizations found ON found.grant_id = login.grant_id FOR UPDATE OF found SKIP LOCKED
  ) l WHERE a.id = l.id`;

@Injectable()
export class AuthorizationsRepository {
  private readonly findOneByGrantId: (grantId: string) => Promise<Authorization | null>;
  private readonly findPageOfUser: (page: UserPage) => Promise<Authorization[] | null>;
  private readonly recordOneLogin: (login: Login) => Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('authorizations', 'ends_at < $1');
    this.findOneByGrantId = database.batched(String, async (grantIds: readonly string[]) => {
      const { rows } = await database.query<Authorization>(FIND_BY_GRANT_IDS, [grantIds]);
      return new Map(rows.map((row) => [row.grantId, row]));
    });
    this.findPageOfUser = database.batched(keyOfPage, async (pages) => await this.findPages(pages));
    this.recordOneLogin = database.batched(
      ({ grantId }: Login) => grantId,
      async (logins) => await this.recordLogins(logins),
    );
  }

  /** What the user granted; never a derived one, which lacks a consent of its own. */
  async findByKey({ userId, clientId, device }: GrantKey): Promise<Authorization | null> {
    const sql = `SELECT ${COLUMNS} FROM authorizations WHERE user_id = $1 AND client_id = $2 AND device = coalesce($3, '') AND ends_at IS NULL`;
    return await this.database.queryOne<Authorization>(sql, [userId, clientId, device]);
  }

  /** Whether the user granted the client anything, on any device. */
  async exists(userId: number, clientId: string): Promise<boolean> {
    const sql = 'SELECT FROM authorizations WHERE user_id = $1 AND client_id = $2 AND (ends_at IS NULL OR ends_at > $3) LIMIT 1';
    return (await this.database.query(sql, [userId, clientId, this.clock.now()])).rowCount === 1;
  }

  async findByGrantId(grantId: string): Promise<Authorization | null> {
    return await this.findOneByGrantId(grantId);
  }

  async findOfUser(userId: number, page: { limit: number; after: number }): Promise<Authorization[]> {
    return (await this.findPageOfUser({ userId, ...page })) ?? [];
  }

  /** Adds scopes and audiences to what was granted before; two grants at once end in one record. */
  async grant(key: GrantKey & { grantId: string; scope: string; resources: readonly string[] }): Promise<Authorization> {
    const row = await this.database.queryOne<Authorization>(
      `INSERT INTO authorizations AS a (grant_id, user_id, client_id, device, scope, resources) VALUES ($1, $2, $3, coalesce($4, ''), $5, $6)
       ON CONFLICT (user_id, client_id, device) DO UPDATE SET
         scope = (SELECT coalesce(string_agg(DISTINCT s, ' ' ORDER BY s), '') FROM unnest(string_to_array(a.scope || ' ' || excluded.scope, ' ')) AS s WHERE s <> ''),
         resources = ARRAY(SELECT DISTINCT r FROM unnest(a.resources || excluded.resources) AS r),
         updated_at = now()
       RETURNING ${COLUMNS}`,
      [key.grantId, key.userId, key.clientId, key.device, key.scope, key.resources],
    );
    if (!row) throw new Error('The statement above always answers a row.');
    return row;
  }

  /**
   * Makes a derived authorization; null when what it comes from has ended. The locks keep a revocation of the same moment from missing it:
   * that of the parent excludes `nextGeneration`, that of the token excludes `deleteByParentToken`.
   */
  async derive(
    key: GrantKey & { grantId: string; scope: string; resources: readonly string[] },
    origin: Origin,
  ): Promise<Authorization | null> {
    const { parent, parentToken, accessKey, endsAt } = origin;
    return await this.database.transaction(async () => {
      if (parentToken !== null && (await this.isRevoked(parentToken))) return null;
      const lock = 'SELECT ends_at AS "endsAt" FROM authorizations WHERE id = $1 AND generation = $2 FOR SHARE';
      const found = parent && (await this.database.queryOne<{ endsAt: Date | null }>(lock, [parent.id, parent.generation]));
      if (parent && !found) return null;
      return await this.database.queryOne<Authorization>(
        `INSERT INTO authorizations
           (grant_id, user_id, client_id, device, own_device, scope, resources, parent_id, parent_token, access_key, ends_at)
         VALUES ($1, $2, $3, 'derived ' || $1, $4, $5, $6, $7, $8, $9, least($10::timestamptz, $11::timestamptz)) RETURNING ${COLUMNS}`,
        [
          key.grantId,
          key.userId,
          key.clientId,
          key.device,
          key.scope,
          key.resources,
          parent?.id ?? null,
          parentToken,
          accessKey,
          endsAt,
          found?.endsAt ?? null,
        ],
      );
    });
  }

  /** Binds a derived authorization to the device that its code could not name. */
  async bindToDevice(grantId: string, device: string): Promise<Authorization | null> {
    const sql = `UPDATE authorizations SET own_device = $2, updated_at = now() WHERE grant_id = $1 AND ends_at IS NOT NULL RETURNING ${COLUMNS}`;
    return await this.database.queryOne<Authorization>(sql, [grantId, device]);
  }

  private async isRevoked(token: string): Promise<boolean> {
    await this.database.query(LOCK_TOKEN, [token]);
    return (await this.database.queryOne('SELECT 1 AS found FROM revoked_tokens WHERE jti = $1', [token])) !== null;
  }

  async recordLogin(grantId: string, details: LoginDetails, at: Date): Promise<void> {
    await this.recordOneLogin({ ...details, grantId, at });
  }

  /** Deletes the user's authorizations that match every given selector, with all derived ones of the same client and device, and answers them. */
  async deleteOfUser(
    userId: number,
    { id = null, clientId = null, device = null }: Nullable<AuthorizationSelector>,
  ): Promise<Authorization[]> {
    const sql = `WITH chosen AS (
        SELECT client_id AS client, ${DEVICE} AS place FROM authorizations WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2::bigint)
          AND ($3::text IS NULL OR client_id = $3) AND ($4::text IS NULL OR ${DEVICE} = $4)
      )
      DELETE FROM authorizations WHERE user_id = $1
        AND EXISTS (SELECT FROM chosen WHERE client = client_id AND place IS NOT DISTINCT FROM ${DEVICE}) RETURNING ${COLUMNS}`;
    const { rows } = await this.database.query<Authorization>(sql, [userId, id, clientId, device]);
    return withoutRepeats(rows);
  }

  async deleteByGrantId(grantId: string): Promise<void> {
    await this.database.query('DELETE FROM authorizations WHERE grant_id = $1', [grantId]);
  }

  /** Ends the tokens of an authorization, and what was derived from it. */
  async nextGeneration(grantId: string): Promise<void> {
    const count = 'UPDATE authorizations SET generation = generation + 1, updated_at = now() WHERE grant_id = $1 RETURNING id';
    await this.database.transaction(async () => {
      const changed = await this.database.queryOne<{ id: number }>(count, [grantId]);
      if (changed) await this.database.query('DELETE FROM authorizations WHERE parent_id = $1', [changed.id]);
    });
  }

  /** Ends what was derived from an access token; part of the transaction that revokes it, which therefore takes the lock first. */
  async deleteByParentToken(token: string): Promise<void> {
    await this.database.query('DELETE FROM authorizations WHERE parent_token = $1', [token]);
  }

  private async findPages(pages: readonly UserPage[]): Promise<ReadonlyMap<string, Authorization[]>> {
    const different = [...new Map(pages.map((page) => [keyOfPage(page), page])).values()];
    const users = different.map(({ userId }) => userId);
    const values = [users, different.map(({ after }) => after), different.map(({ limit }) => limit), this.clock.now()];
    const found = new Map<string, Authorization[]>(different.map((page) => [keyOfPage(page), []]));
    const { rows } = await this.database.query<Authorization & UserPage>(FIND_PAGES, values);
    for (const { after, limit, ...row } of rows) found.get(keyOfPage({ userId: row.userId, after, limit }))?.push(row);
    return found;
  }

  private async recordLogins(logins: readonly Login[]): Promise<ReadonlyMap<string, true>> {
    await this.database.query(RECORD_LOGINS, [
      logins.map(({ grantId }) => grantId),
      logins.map(({ at }) => at),
      logins.map(({ ip }) => ip),
      logins.map(({ userAgent }) => userAgent),
      logins.map(({ env }) => env),
      logins.map(({ platform }) => platform),
      logins.map(({ version }) => version),
      logins.map(({ legacyResource }) => legacyResource),
    ]);
    return new Map();
  }
}

/** Serialises the derivation from an access token with its revocation. */
export const LOCK_TOKEN = `SELECT pg_advisory_xact_lock(hashtextextended('access token ' || $1, 0))`;

/** One for each client and device, the user's own before derived ones. */
function withoutRepeats(found: readonly Authorization[]): Authorization[] {
  const sorted = found.toSorted((left, right) => Number(left.endsAt !== null) - Number(right.endsAt !== null) || left.id - right.id);
  const first = new Map<string, Authorization>();
  for (const one of sorted) {
    const key = JSON.stringify([one.clientId, one.device]);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()].sort((left, right) => left.id - right.id);
}

interface UserPage {
  readonly userId: number;
  readonly after: number;
  readonly limit: number;
}

const keyOfPage = ({ userId, after, limit }: UserPage): string => `${userId} ${after} ${limit}`;

interface Login extends LoginDetails {
  readonly grantId: string;
  readonly at: Date;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };
