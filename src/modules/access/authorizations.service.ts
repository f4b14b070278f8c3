import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan, Not } from 'typeorm';
import { type Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { AccessKeysService, PrincipalsService } from '../accounts/index.js';
import { accessErrors } from './access.errors.js';
import { Authorization } from './authorization.entity.js';
import { DELETE_OF_USER, FIND_BY_GRANT_IDS, FIND_BY_KEY, FIND_PAGES, GRANT, RECORD_LOGINS } from './authorizations.queries.js';
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

/** What an authorization is derived from: a token and the authorization behind it, or an access key. */
export interface Origin {
  readonly parent: { readonly id: number; readonly generation: number } | null;
  readonly parentToken: string | null;
  readonly accessKey: string | null;
  /** The end of the derived authorization; earlier if its parent ends earlier. */
  readonly endsAt: Date;
}

interface UserPage {
  readonly userId: number;
  readonly after: number;
  readonly limit: number;
}

interface Login extends LoginDetails {
  readonly grantId: string;
  readonly at: Date;
}

/** Manages what users granted to applications. Deleting an authorization ends all its tokens immediately in every process. */
@Injectable()
export class AuthorizationsService {
  private readonly findOneByGrantId: (grantId: string) => Promise<Authorization | null>;
  private readonly findOnePage: (page: UserPage) => Promise<Authorization[] | null>;
  private readonly recordOneLogin: (login: Login) => Promise<unknown>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accessKeys: AccessKeysService,
    private readonly principals: PrincipalsService,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('authorizations', 'ends_at < $1');
    this.findOneByGrantId = database.batched(String, async (grantIds) => await this.findByGrantIds(grantIds));
    this.findOnePage = database.batched(keyOfPage, async (pages) => await this.findPages(pages));
    this.recordOneLogin = database.batched(
      ({ grantId }: Login) => grantId,
      async (logins) => await this.recordLogins(logins),
    );
  }

  /** Finds what the user granted to this client on this device, or null; never a derived authorization, which has no consent of its own. */
  async findByKey({ userId, clientId, device }: GrantKey): Promise<Authorization | null> {
    const row = await this.database.queryOne<Row>(FIND_BY_KEY, [userId, clientId, device]);
    return row && toAuthorization(row);
  }

  /** Whether the user has an authorization for the client, on any device. */
  async exists(userId: number, clientId: string): Promise<boolean> {
    const key = { userId, clientId };
    return await this.repository.existsBy([
      { ...key, endsAt: IsNull() },
      { ...key, endsAt: MoreThan(this.clock.now()) },
    ]);
  }

  /** The authorization of a grant, or null when it has ended. */
  async findByGrantId(grantId: string): Promise<Authorization | null> {
    const found = await this.findOneByGrantId(grantId);
    return found && (await this.isValid(found)) ? found : null;
  }

  /** Whether a stored authorization is valid: a derived one ends at `endsAt`, or as soon as the user of its access key may no longer act. */
  async isValid({ endsAt, accessKey }: Pick<Authorization, 'endsAt' | 'accessKey'>): Promise<boolean> {
    if (endsAt === null) return true;
    if (endsAt <= this.clock.now()) return false;
    if (accessKey === null) return true;
    const key = await this.accessKeys.find(accessKey);
    return key !== null && (await this.principals.find(key.userId)) !== null;
  }

  /** One page of the user's authorizations, in the order of their creation. */
  async findOfUser(userId: number, page: { limit: number; after: number }): Promise<Authorization[]> {
    return (await this.findOnePage({ userId, ...page })) ?? [];
  }

  /** Records a consent; earlier grants remain. */
  async grant({ userId, clientId, device, scope, resources }: RequestedGrant): Promise<Authorization> {
    const row = await this.database.queryOne<Row>(GRANT, [newGrantId(), userId, clientId, device, scope, resources]);
    if (!row) throw new Error('The statement always returns a row.');
    return toAuthorization(row);
  }

  /**
   * Creates an authorization that ends with the token or access key of the caller, and at `endsAt` at the latest.
   * @throws DomainError 401 `token_invalid` if the token or its authorization has ended in the meantime
   */
  async derive({ device, resources, ...grant }: RequestedGrant, { parent, endsAt, ...origin }: Origin): Promise<Authorization> {
    return await this.database.transaction(async () => {
      // The locks keep a concurrent revocation from missing the new row: the first one blocks `TokenStatesService.revoke`,
      // the second one blocks `revokeTokens`.
      if (origin.parentToken !== null && (await this.isRevoked(origin.parentToken))) throw tokenRevoked();
      const found = parent && (await this.repository.findOne({ where: parent, lock: { mode: 'pessimistic_read' } }));
      if (parent && !found) throw tokenRevoked();
      const grantId = newGrantId();
      await this.repository.insert({
        ...grant,
        ...origin,
        grantId,
        deviceKey: `derived ${grantId}`,
        ownDevice: device,
        resources: [...resources],
        parentId: parent?.id ?? null,
        endsAt: found?.endsAt && found.endsAt < endsAt ? found.endsAt : endsAt,
      });
      return await this.repository.findOneByOrFail({ grantId });
    });
  }

  /**
   * Authorizes a device that the login could not name, and returns its authorization. A consent remains, and a second authorization with the same
   * scopes is granted for the device; a derived authorization is bound to the device itself.
   * @throws DomainError 401 `token_invalid` if the derived authorization has ended in the meantime
   */
  async bindToDevice({ userId, clientId, scope, resources, ...login }: Authorization, device: string): Promise<Authorization> {
    const { grantId, endsAt } = login;
    if (endsAt !== null) {
      await this.repository.update({ grantId, endsAt: Not(IsNull()) }, { ownDevice: device });
      const bound = await this.repository.findOneBy({ grantId });
      if (!bound) throw generalErrors.token_invalid('The authorization has ended.');
      return bound;
    }
    const granted = await this.grant({ userId, clientId, device, scope, resources });
    await this.recordLogin(granted.grantId, login);
    return await this.repository.findOneByOrFail({ grantId: granted.grantId });
  }

  /** Records that a code was issued for this grant. */
  async recordLogin(grantId: string, { ip, userAgent, env, platform, version, legacyResource }: LoginDetails): Promise<void> {
    await this.recordOneLogin({ grantId, at: this.clock.now(), ip, userAgent, env, platform, version, legacyResource });
  }

  /**
   * Deletes the caller's authorizations that match every given selector; returns one for each client and device.
   * @throws DomainError 400 `selector_required` when none is given, 403 `support_access_denied`
   */
  async deauthorize(
    { userId, supportUserId }: Pick<Caller, 'userId' | 'supportUserId'>,
    { id, clientId, device }: AuthorizationSelector,
  ): Promise<Authorization[]> {
    if (supportUserId) {
      throw generalErrors.support_access_denied('Support staff cannot end applications of the user; only the user can.');
    }
    const selectors = [id ?? null, clientId ?? null, device ?? null];
    if (selectors.every((selector) => selector === null)) {
      throw accessErrors.selector_required('Say what to deauthorize: id, client_id or device.');
    }
    const { rows } = await this.database.query<Row>(DELETE_OF_USER, [userId, ...selectors]);
    return withoutRepeats(rows.map(toAuthorization));
  }

  /** Deletes an authorization whose code or token was replayed; the user has to consent again. */
  async deleteByGrantId(grantId: string): Promise<void> {
    await this.repository.delete({ grantId });
  }

  /** Deletes all authorizations of a user, who has to consent again. */
  async deleteOfUser(userId: number): Promise<void> {
    await this.repository.delete({ userId });
  }

  /** Counts the users with an authorization, by client. */
  async countUsersByClient(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.repository
      .createQueryBuilder('a')
      .select('a.clientId', 'clientId')
      .addSelect('count(DISTINCT a.userId)::int', 'users')
      .groupBy('a.clientId')
      .getRawMany<{ clientId: string; users: number }>();
    return new Map(rows.map(({ clientId, users }) => [clientId, users]));
  }

  /** Revokes all tokens issued so far and deletes derived authorizations, but keeps the consent (RFC 7009 section 2.1). */
  async revokeTokens(grantId: string): Promise<void> {
    await this.database.transaction(async () => {
      const count = this.repository
        .createQueryBuilder()
        .update()
        .set({ generation: () => 'generation + 1' });
      const { raw } = await count.where({ grantId }).returning(['id']).execute();
      for (const { id: parentId } of raw as readonly { id: number }[]) await this.repository.delete({ parentId });
    });
  }

  private get repository() {
    return this.database.repository(Authorization);
  }

  private async isRevoked(jti: string): Promise<boolean> {
    await this.database.lock(tokenLock(jti));
    return await this.database.repository(RevokedToken).existsBy({ jti });
  }

  private async findByGrantIds(grantIds: readonly string[]): Promise<ReadonlyMap<string, Authorization>> {
    const { rows } = await this.database.query<Row>(FIND_BY_GRANT_IDS, [grantIds]);
    return new Map(rows.map((row) => [row.grantId, toAuthorization(row)]));
  }

  private async findPages(pages: readonly UserPage[]): Promise<ReadonlyMap<string, Authorization[]>> {
    const different = [...new Map(pages.map((page) => [keyOfPage(page), page])).values()];
    const users = different.map(({ userId }) => userId);
    const values = [users, different.map(({ after }) => after), different.map(({ limit }) => limit), this.clock.now()];
    const found = new Map<string, Authorization[]>(different.map((page) => [keyOfPage(page), []]));
    const { rows } = await this.database.query<Row & UserPage>(FIND_PAGES, values);
    for (const { after, limit, ...row } of rows) found.get(keyOfPage({ userId: row.userId, after, limit }))?.push(toAuthorization(row));
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

/** A row of COLUMNS. */
type Row = Omit<Authorization, 'device'>;

const toAuthorization = (row: Row): Authorization => Object.assign(new Authorization(), row);

const newGrantId = (): string => randomBytes(32).toString('base64url');

/** The name of the lock that serialises the derivation of an authorization from an access token and the revocation of that token. */
export const tokenLock = (jti: string): string => `access token ${jti}`;

const tokenRevoked = () => generalErrors.token_invalid('The access token was revoked.');

const keyOfPage = ({ userId, after, limit }: UserPage): string => `${userId} ${after} ${limit}`;

/** Keeps one authorization for each client and device; one that the user granted takes precedence over derived ones. */
function withoutRepeats(found: readonly Authorization[]): Authorization[] {
  const sorted = found.toSorted((left, right) => Number(left.endsAt !== null) - Number(right.endsAt !== null) || left.id - right.id);
  const first = new Map<string, Authorization>();
  for (const one of sorted) {
    const key = JSON.stringify([one.clientId, one.device]);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()].sort((left, right) => left.id - right.id);
}
