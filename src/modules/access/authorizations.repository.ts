import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../shared/clock.js';
import { Database, insertIfAbsent } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import type { AccessTokenClaims } from './access-token-claims.js';
import { Authorization } from './authorization.entity.js';
import { RevokedToken } from './revoked-token.entity.js';

/** The address and program with which a user signed in; stored with the authorization. */
export type LoginDetails = Readonly<Pick<Authorization, 'ip' | 'userAgent' | 'env' | 'platform' | 'version' | 'legacyResource'>>;

export type GrantKey = Readonly<Pick<Authorization, 'userId' | 'clientId' | 'device'>>;

/** The scopes and audiences to grant, and who receives them. */
export interface RequestedGrant extends GrantKey {
  readonly scope: string;
  readonly resources: readonly string[];
}

export interface AuthorizationSelector {
  readonly id?: number;
  readonly clientId?: string;
  readonly device?: string;
}

/** A derived authorization to insert. */
interface DerivedGrant extends RequestedGrant, Readonly<Pick<Authorization, 'parentId' | 'parentToken' | 'accessKey'>> {
  readonly endsAt: Date;
}

/** The authorization of a token that is not revoked; every field is null if the token needs none. */
export type TokenAuthorization = Readonly<Pick<Authorization, 'device' | 'endsAt' | 'accessKey'>>;

type TokenKey = Pick<AccessTokenClaims, 'jti' | 'authorizationId' | 'generation'>;

/** A row of COLUMNS. */
type Row = Omit<Authorization, 'device'>;

/** The columns of a Row. */
const COLUMNS = `id, grant_id AS "grantId", user_id AS "userId", client_id AS "clientId", generation, device AS "deviceKey",
  own_device AS "ownDevice", scope, resources, parent_id AS "parentId", parent_token AS "parentToken", access_key AS "accessKey",
  ends_at AS "endsAt", ip, user_agent AS "userAgent", env, platform, version, legacy_resource AS "legacyResource",
  last_login AS "lastLogin", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** The device that the client named, as `Authorization.device`. */
const DEVICE = `CASE WHEN ends_at IS NULL THEN nullif(device, '') ELSE own_device END`;

/** Owns `authorizations` and `revoked_tokens`, and batches the statement that every request needs. */
@Injectable()
export class AuthorizationsRepository {
  private readonly findOneOfToken: (token: TokenKey) => Promise<TokenAuthorization | null>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('authorizations', 'ends_at < $1');
    housekeeping.expire('revoked_tokens', 'expires_at < $1');
    this.findOneOfToken = database.batched(
      ({ jti }: TokenKey) => jti,
      async (tokens) => await this.findOfTokens(tokens),
    );
  }

  /** Finds what the user granted to this client on this device, or null; never a derived authorization. */
  async findGranted({ userId, clientId, device }: GrantKey): Promise<Authorization | null> {
    return await this.authorizations.findOneBy({ userId, clientId, deviceKey: device ?? '', endsAt: IsNull() });
  }

  /** Whether the user has an authorization for the client that has not expired, on any device. */
  async existsUnexpired(userId: number, clientId: string): Promise<boolean> {
    const key = { userId, clientId };
    return await this.authorizations.existsBy([
      { ...key, endsAt: IsNull() },
      { ...key, endsAt: MoreThan(this.clock.now()) },
    ]);
  }

  /** Finds the authorization of a grant, even if it has expired. */
  async findByGrantId(grantId: string): Promise<Authorization | null> {
    return await this.authorizations.findOneBy({ grantId });
  }

  /** Returns the authorization of a grant that exists; throws if another request has deleted it. */
  async getByGrantId(grantId: string): Promise<Authorization> {
    return await this.authorizations.findOneByOrFail({ grantId });
  }

  /** One page of the user's authorizations that have not expired, with one for each client and device, in the order of their creation. */
  async findPageOfUser(userId: number, { limit, after }: { limit: number; after: number }): Promise<Authorization[]> {
    // Raw, because a derived authorization is listed only if the user granted none to the same client and device, and no earlier one was
    // derived: TypeORM has no EXISTS.
    const { rows } = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM authorizations a WHERE user_id = $1 AND id > $2::bigint AND (ends_at IS NULL OR ends_at > $4
          AND NOT EXISTS (SELECT FROM authorizations WHERE user_id = a.user_id AND client_id = a.client_id AND device = coalesce(a.own_device, ''))
          AND NOT EXISTS (SELECT FROM authorizations other WHERE other.user_id = a.user_id AND other.client_id = a.client_id AND other.id < a.id
            AND other.ends_at > $4 AND other.own_device IS NOT DISTINCT FROM a.own_device))
        ORDER BY id LIMIT $3`,
      [userId, after, limit, this.clock.now()],
    );
    return rows.map(toAuthorization);
  }

  /** Finds the authorization of a token, even if it has expired; null if the token was revoked, alone or with all tokens of its authorization. */
  async findOfToken(token: TokenKey): Promise<TokenAuthorization | null> {
    return await this.findOneOfToken(token);
  }

  /** Counts the users with an authorization, by client. */
  async countUsersByClient(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.authorizations
      .createQueryBuilder('a')
      .select('a.clientId', 'clientId')
      .addSelect('count(DISTINCT a.userId)::int', 'users')
      .groupBy('a.clientId')
      .getRawMany<{ clientId: string; users: number }>();
    return new Map(rows.map(({ clientId, users }) => [clientId, users]));
  }

  /** Records a consent, and adds its scopes and audiences to those that the user granted before. */
  async grant({ userId, clientId, device, scope, resources }: RequestedGrant): Promise<Authorization> {
    // Raw because the query builder has no upsert that combines the old row with the new one; concurrent grants result in one row.
    const row = await this.database.queryOne<Row>(
      `INSERT INTO authorizations AS a (grant_id, user_id, client_id, device, scope, resources)
        VALUES ($1, $2, $3, coalesce($4, ''), $5, $6)
        ON CONFLICT (user_id, client_id, device) DO UPDATE SET
          scope = (SELECT coalesce(string_agg(DISTINCT s, ' ' ORDER BY s), '')
            FROM unnest(string_to_array(a.scope || ' ' || excluded.scope, ' ')) AS s WHERE s <> ''),
          resources = ARRAY(SELECT DISTINCT r FROM unnest(a.resources || excluded.resources) AS r),
          updated_at = now()
        RETURNING ${COLUMNS}`,
      [newGrantId(), userId, clientId, device, scope, resources],
    );
    if (!row) throw new Error('The statement always returns a row.');
    return toAuthorization(row);
  }

  /** Inserts a derived authorization. What it is derived from must be locked, so that a concurrent revocation deletes the new row. */
  async insertDerived({ device, resources, ...derived }: DerivedGrant): Promise<Authorization> {
    const grantId = newGrantId();
    await this.authorizations.insert({
      ...derived,
      grantId,
      deviceKey: `derived ${grantId}`,
      ownDevice: device,
      resources: [...resources],
    });
    return await this.getByGrantId(grantId);
  }

  /** Binds a derived authorization to a device; null if it was deleted. */
  async bindDerivedToDevice(grantId: string, device: string): Promise<Authorization | null> {
    await this.authorizations.update({ grantId, endsAt: Not(IsNull()) }, { ownDevice: device });
    return await this.authorizations.findOneBy({ grantId });
  }

  /** Records that the user signed in now; details that are null keep their earlier values, except for the address and the user agent. */
  async recordLogin(grantId: string, { ip, userAgent, env, platform, version, legacyResource }: LoginDetails): Promise<void> {
    // Raw, because TypeORM cannot skip a row that another transaction has locked: of several simultaneous logins of a grant, one is recorded.
    await this.database.query(
      `UPDATE authorizations SET last_login = $2, updated_at = $2, ip = $3, user_agent = $4, env = coalesce($5, env),
          platform = coalesce($6, platform), version = coalesce($7, version), legacy_resource = coalesce($8, legacy_resource)
        WHERE id = (SELECT id FROM authorizations WHERE grant_id = $1 FOR UPDATE SKIP LOCKED)`,
      [grantId, this.clock.now(), ip, userAgent, env, platform, version, legacyResource],
    );
  }

  /** Locks an authorization against `revokeTokensOfGrant` until the transaction ends; null if it is no longer in this generation. */
  async lockGeneration({ id, generation }: Pick<Authorization, 'id' | 'generation'>): Promise<Authorization | null> {
    return await this.authorizations.findOne({ where: { id, generation }, lock: { mode: 'pessimistic_read' } });
  }

  /** Revokes all tokens issued so far and deletes the authorizations derived with them; the authorization itself remains. */
  async revokeTokensOfGrant(grantId: string): Promise<void> {
    await this.database.transaction(async () => {
      const nextGeneration = this.authorizations
        .createQueryBuilder()
        .update()
        .set({ generation: () => 'generation + 1' });
      const { raw } = await nextGeneration.where({ grantId }).returning(['id']).execute();
      for (const { id: parentId } of raw as readonly { id: number }[]) await this.authorizations.delete({ parentId });
    });
  }

  /** Locks a token against `revokeToken` until the transaction ends; false if it is already revoked. */
  async lockToken(jti: string): Promise<boolean> {
    await this.database.lock(tokenLock(jti));
    return !(await this.revokedTokens.existsBy({ jti }));
  }

  /** Revokes a single token and deletes the authorizations derived with it. The row is kept until the token would have expired. */
  async revokeToken(jti: string, expiresAt: Date): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.lock(tokenLock(jti));
      await insertIfAbsent(this.revokedTokens, { jti, expiresAt });
      await this.authorizations.delete({ parentToken: jti });
    });
  }

  /**
   * Deletes the user's authorizations that match every given selector, and all others of the same clients and devices; returns the deleted ones
   * in no particular order. Without a selector, deletes all of them.
   */
  async deleteSelected(userId: number, { id, clientId, device }: AuthorizationSelector): Promise<Authorization[]> {
    // Raw because the query builder has no DELETE with a common table expression.
    const { rows } = await this.database.query<Row>(
      `WITH chosen AS (
          SELECT client_id AS client, ${DEVICE} AS chosen_device FROM authorizations WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2::bigint)
            AND ($3::text IS NULL OR client_id = $3) AND ($4::text IS NULL OR ${DEVICE} = $4)
        )
        DELETE FROM authorizations WHERE user_id = $1
          AND EXISTS (SELECT FROM chosen WHERE client = client_id AND chosen_device IS NOT DISTINCT FROM ${DEVICE}) RETURNING ${COLUMNS}`,
      [userId, id ?? null, clientId ?? null, device ?? null],
    );
    return rows.map(toAuthorization);
  }

  /** Deletes the authorization of a grant, and with it all tokens and derived authorizations. */
  async deleteByGrantId(grantId: string): Promise<void> {
    await this.authorizations.delete({ grantId });
  }

  /**
   * Deletes the authorizations of a user except those with the ids `kept`, whose grant ids it returns, and those that were derived with these access keys.
   */
  async deleteOfUser(
    userId: number,
    { accessKeys, kept }: { readonly accessKeys: readonly string[]; readonly kept: readonly number[] },
  ): Promise<string[]> {
    await this.authorizations.delete({ userId, id: Not(In([...kept])) });
    await this.authorizations.delete({ accessKey: In([...accessKeys]) });
    return (await this.authorizations.findBy({ userId })).map(({ grantId }) => grantId);
  }

  private get authorizations() {
    return this.database.repository(Authorization);
  }

  private get revokedTokens() {
    return this.database.repository(RevokedToken);
  }

  private async findOfTokens(tokens: readonly TokenKey[]): Promise<ReadonlyMap<string, TokenAuthorization>> {
    // Returns a row for each valid token: its authorization exists in that generation, or it needs none, and the token itself was not
    // revoked. Raw because it runs for every request; one statement serves all requests of a moment.
    const { rows } = await this.database.query<TokenAuthorization & { jti: string }>(
      `SELECT t.jti, CASE WHEN a.ends_at IS NULL THEN nullif(a.device, '') ELSE a.own_device END AS device,
          a.ends_at AS "endsAt", a.access_key AS "accessKey"
        FROM unnest($1::text[], $2::int[], $3::int[]) AS t (jti, authorization_id, generation)
        LEFT JOIN authorizations a ON a.id = t.authorization_id AND a.generation = t.generation
        WHERE (t.authorization_id IS NULL OR a.id IS NOT NULL)
          AND NOT EXISTS (SELECT FROM revoked_tokens r WHERE r.jti = t.jti)`,
      [tokens.map(({ jti }) => jti), tokens.map(({ authorizationId }) => authorizationId), tokens.map(({ generation }) => generation)],
    );
    return new Map(rows.map((row) => [row.jti, row]));
  }
}

const toAuthorization = (row: Row): Authorization => Object.assign(new Authorization(), row);

const newGrantId = (): string => randomBytes(32).toString('base64url');

/** The name of the lock that serialises the derivation of an authorization from an access token and the revocation of that token. */
const tokenLock = (jti: string): string => `access token ${jti}`;
