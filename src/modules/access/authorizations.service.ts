import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { generalErrors } from '../../shared/errors.js';
import { AccessKeysService, PrincipalsService } from '../accounts/index.js';
import { accessErrors } from './access.errors.js';
import type { Authorization } from './authorization.entity.js';
import {
  type AuthorizationSelector,
  AuthorizationsRepository,
  type GrantKey,
  type LoginDetails,
  type RequestedGrant,
} from './authorizations.repository.js';

/** What an authorization is derived from: a token and the authorization behind it, or an access key. */
export interface Origin {
  readonly parent: { readonly id: number; readonly generation: number } | null;
  readonly parentToken: string | null;
  readonly accessKey: string | null;
  /** The end of the derived authorization; earlier if its parent ends earlier. */
  readonly endsAt: Date;
}

/** Manages what users granted to applications. Deleting an authorization ends all its tokens immediately in every process. */
@Injectable()
export class AuthorizationsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: AuthorizationsRepository,
    private readonly accessKeys: AccessKeysService,
    private readonly principals: PrincipalsService,
  ) {}

  /** Finds what the user granted to this client on this device, or null; never a derived authorization, which has no consent of its own. */
  async findByKey(key: GrantKey): Promise<Authorization | null> {
    return await this.repository.findGranted(key);
  }

  /** Whether the user has an authorization for the client, on any device. */
  async exists(userId: number, clientId: string): Promise<boolean> {
    return await this.repository.existsUnexpired(userId, clientId);
  }

  /** The authorization of a grant, or null when it has ended. */
  async findByGrantId(grantId: string): Promise<Authorization | null> {
    const found = await this.repository.findByGrantId(grantId);
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
    return await this.repository.findPageOfUser(userId, page);
  }

  /** Records a consent; earlier grants remain. */
  async grant(requested: RequestedGrant): Promise<Authorization> {
    return await this.repository.grant(requested);
  }

  /**
   * Creates an authorization that ends with the token or access key of the caller, and at `endsAt` at the latest.
   * @throws DomainError 401 `token_invalid` if the token or its authorization has ended in the meantime
   */
  async derive(requested: RequestedGrant, { parent, endsAt, ...origin }: Origin): Promise<Authorization> {
    return await this.database.transaction(async () => {
      // The locks keep a concurrent revocation of the token, or of all tokens of its authorization, from missing the new row.
      if (origin.parentToken !== null && !(await this.repository.lockToken(origin.parentToken))) throw tokenRevoked();
      const found = parent && (await this.repository.lockGeneration(parent));
      if (parent && !found) throw tokenRevoked();
      return await this.repository.insertDerived({
        ...requested,
        ...origin,
        parentId: parent?.id ?? null,
        endsAt: found?.endsAt && found.endsAt < endsAt ? found.endsAt : endsAt,
      });
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
      const bound = await this.repository.bindDerivedToDevice(grantId, device);
      if (!bound) throw generalErrors.token_invalid('The authorization has ended.');
      return bound;
    }
    const granted = await this.repository.grant({ userId, clientId, device, scope, resources });
    await this.repository.recordLogin(granted.grantId, login);
    return await this.repository.getByGrantId(granted.grantId);
  }

  /** Records that a code was issued for this grant. */
  async recordLogin(grantId: string, login: LoginDetails): Promise<void> {
    await this.repository.recordLogin(grantId, login);
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
    if ((id ?? clientId ?? device ?? null) === null) {
      throw accessErrors.selector_required('Say what to deauthorize: id, client_id or device.');
    }
    return withoutRepeats(await this.repository.deleteSelected(userId, { id, clientId, device }));
  }

  /** Deletes an authorization whose code or token was replayed; the user has to consent again. */
  async deleteByGrantId(grantId: string): Promise<void> {
    await this.repository.deleteByGrantId(grantId);
  }

  /**
   * Deletes the authorizations of a user except those with the ids `kept`, whose grant ids it returns, and those of other users that requests signed by the
   * user's access keys derived. The user has to consent again.
   */
  async deleteOfUser(userId: number, kept: readonly number[] = []): Promise<string[]> {
    return await this.repository.deleteOfUser(userId, { accessKeys: await this.accessKeys.listOfUser(userId), kept });
  }

  /** Counts the users with an authorization, by client. */
  async countUsersByClient(): Promise<ReadonlyMap<string, number>> {
    return await this.repository.countUsersByClient();
  }

  /** Revokes all tokens issued so far and deletes derived authorizations, but keeps the consent (RFC 7009 section 2.1). */
  async revokeTokens(grantId: string): Promise<void> {
    await this.repository.revokeTokensOfGrant(grantId);
  }
}

const tokenRevoked = () => generalErrors.token_invalid('The access token was revoked.');

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
