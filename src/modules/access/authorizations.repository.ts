import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';
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

@Injectable()
export class AuthorizationsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('revoked_tokens', 'expires_at < $1');
  }

  async findByKey({ userId, clientId, device }: GrantKey): Promise<Authorization | null> {
    const sql = `SELECT ${COLUMNS} FROM authorizations WHERE user_id = $1 AND client_id = $2 AND device = coalesce($3, '')`;
    return await this.database.queryOne<Authorization>(sql, [userId, clientId, device]);
  }

  async findByGrantId(grantId: string): Promise<Authorization | null> {
    return await this.database.queryOne<Authorization>(`SELECT ${COLUMNS} FROM authorizations WHERE grant_id = $1`, [grantId]);
  }

  async findOfUser(userId: number, page: { limit: number; after: number }): Promise<Authorization[]> {
    const sql = `SELECT ${COLUMNS} FROM authorizations WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3`;
    return (await this.database.query<Authorization>(sql, [userId, page.after, page.limit])).rows;
  }

  /** Adds scopes and audiences to what was granted before; two grants at once end in one record. */
  async grant(key: GrantKey & { grantId: string; scope: string; resources: readonly string[] }): Promise<Authorization> {
    const row = await this.database.queryOne<Authorization>(
      `INSERT INTO authorizations AS a (grant_id, user_id, client_id, device, scope, resources) VALUES ($1, $2, $3, coalesce($4, ''), $5, $6)
       ON CONFLICT (user_id, client_id, device) DO UPDATE SET
         scope = (SELECT string_agg(DISTINCT s, ' ' ORDER BY s) FROM unnest(string_to_array(a.scope || ' ' || excluded.scope, ' ')) AS s),
         resources = ARRAY(SELECT DISTINCT r FROM unnest(a.resources || excluded.resources) AS r),
         updated_at = now()
       RETURNING ${COLUMNS}`,
      [key.grantId, key.userId, key.clientId, key.device, key.scope, key.resources],
    );
    if (!row) throw new Error('The statement above always answers a row.');
    return row;
  }

  async recordLogin(grantId: string, details: LoginDetails, at: Date): Promise<void> {
    await this.database.query(
      `UPDATE authorizations SET last_login = $2, updated_at = $2, ip = $3, user_agent = $4, env = $5, platform = $6, version = $7,
         legacy_resource = $8 WHERE grant_id = $1`,
      [grantId, at, details.ip, details.userAgent, details.env, details.platform, details.version, details.legacyResource],
    );
  }

  /** Deletes the user's authorizations that match every given selector, and answers them. */
  async deleteOfUser(
    userId: number,
    { id = null, clientId = null, device = null }: Nullable<AuthorizationSelector>,
  ): Promise<Authorization[]> {
    const sql = `DELETE FROM authorizations WHERE user_id = $1 AND ($2::int IS NULL OR id = $2) AND ($3::text IS NULL OR client_id = $3)
      AND ($4::text IS NULL OR device = $4) RETURNING ${COLUMNS}`;
    return (await this.database.query<Authorization>(sql, [userId, id, clientId, device])).rows;
  }

  async deleteByGrantId(grantId: string): Promise<void> {
    await this.database.query('DELETE FROM authorizations WHERE grant_id = $1', [grantId]);
  }

  async nextGeneration(grantId: string): Promise<void> {
    await this.database.query('UPDATE authorizations SET generation = generation + 1, updated_at = now() WHERE grant_id = $1', [grantId]);
  }

  async revokeToken(jti: string, expiresAt: Date): Promise<void> {
    const sql = 'INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING';
    await this.database.query(sql, [jti, expiresAt]);
  }
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };
