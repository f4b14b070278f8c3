import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
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

const COLUMNS = `id, grant_id AS "grantId", user_id AS "userId", client_id AS "clientId", generation, nullif(device, '') AS device, scope, resources, ip, user_agent AS "userAgent",
  env, platform, version, legacy_resource AS "legacyResource", last_login AS "lastLogin", created_at AS "createdAt", updated_at AS "updatedAt"`;

const FIND_BY_GRANT_IDS = `SELECT ${COLUMNS} FROM authorizations WHERE grant_id = ANY($1::text[])`;

/** One page of authorizations for each wanted user. */
const FIND_PAGES = `SELECT wanted.after, wanted.page_size AS "limit", found.*
  FROM unnest($1::int[], $2::bigint[], $3::int[]) AS wanted (user_id, after, page_size)
  CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM authorizations WHERE user_id = wanted.user_id AND id > wanted.after ORDER BY id LIMIT wanted.page_size
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

  constructor(private readonly database: Database) {
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

  async findByKey({ userId, clientId, device }: GrantKey): Promise<Authorization | null> {
    const sql = `SELECT ${COLUMNS} FROM authorizations WHERE user_id = $1 AND client_id = $2 AND device = coalesce($3, '')`;
    return await this.database.queryOne<Authorization>(sql, [userId, clientId, device]);
  }

  /** Whether the user granted the client anything, on any device. */
  async exists(userId: number, clientId: string): Promise<boolean> {
    const sql = 'SELECT FROM authorizations WHERE user_id = $1 AND client_id = $2 LIMIT 1';
    return (await this.database.query(sql, [userId, clientId])).rowCount === 1;
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

  async recordLogin(grantId: string, details: LoginDetails, at: Date): Promise<void> {
    await this.recordOneLogin({ ...details, grantId, at });
  }

  /** Deletes the user's authorizations that match every given selector, and answers them. */
  async deleteOfUser(
    userId: number,
    { id = null, clientId = null, device = null }: Nullable<AuthorizationSelector>,
  ): Promise<Authorization[]> {
    const sql = `DELETE FROM authorizations WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2::bigint) AND ($3::text IS NULL OR client_id = $3)
      AND ($4::text IS NULL OR device = $4) RETURNING ${COLUMNS}`;
    return (await this.database.query<Authorization>(sql, [userId, id, clientId, device])).rows;
  }

  async deleteByGrantId(grantId: string): Promise<void> {
    await this.database.query('DELETE FROM authorizations WHERE grant_id = $1', [grantId]);
  }

  async nextGeneration(grantId: string): Promise<void> {
    await this.database.query('UPDATE authorizations SET generation = generation + 1, updated_at = now() WHERE grant_id = $1', [grantId]);
  }

  private async findPages(pages: readonly UserPage[]): Promise<ReadonlyMap<string, Authorization[]>> {
    const different = [...new Map(pages.map((page) => [keyOfPage(page), page])).values()];
    const values = [different.map(({ userId }) => userId), different.map(({ after }) => after), different.map(({ limit }) => limit)];
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
