import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Caller } from '../../shared/auth/index.js';
import { defineErrors, generalErrors } from '../../shared/errors/index.js';
import { Clock } from '../../shared/time/index.js';
import { AccessKeys, Principals } from '../accounts/index.js';
import type { Authorization } from './authorization.entity.js';
import {
  type AuthorizationSelector,
  AuthorizationsRepository,
  type GrantKey,
  type LoginDetails,
  type Origin,
} from './authorizations.repository.js';

const errors = defineErrors({
  selector_required: {
    kind: 'invalid',
    meaning: 'Deauthorize needs at least one of id, client_id and device, so that nobody ends everything by accident.',
  },
});

/** What users granted to applications. Deleting an authorization ends every token that hangs on it, at once and everywhere. */
@Injectable()
export class AuthorizationsService {
  constructor(
    private readonly repository: AuthorizationsRepository,
    private readonly clock: Clock,
    private readonly accessKeys: AccessKeys,
    private readonly principals: Principals,
  ) {}

  /** What the user granted this client on this device, or null. */
  async find(key: GrantKey): Promise<Authorization | null> {
    return await this.repository.findByKey(key);
  }

  /** Whether an authorization of the user for the client stands, on any device. */
  async exists(userId: number, clientId: string): Promise<boolean> {
    return await this.repository.exists(userId, clientId);
  }

  /** The authorization of a grant, or null when it has ended. */
  async findByGrantId(grantId: string): Promise<Authorization | null> {
    const found = await this.repository.findByGrantId(grantId);
    return found && (await this.stands(found)) ? found : null;
  }

  /** Whether a stored authorization still counts: a derived one ends by its time, or when the access key's user may not act any more. */
  async stands({ endsAt, accessKey }: Pick<Authorization, 'endsAt' | 'accessKey'>): Promise<boolean> {
    if (endsAt === null) return true;
    if (endsAt <= this.clock.now()) return false;
    if (accessKey === null) return true;
    const key = await this.accessKeys.find(accessKey);
    return key !== null && (await this.principals.find(key.userId)) !== null;
  }

  /** The user's authorizations in the order of their making. */
  async list(userId: number, page: { limit: number; after: number }): Promise<Authorization[]> {
    return await this.repository.findOfUser(userId, page);
  }

  /** Records a consent; what was granted before stays granted. */
  async grant(grant: GrantKey & { scope: string; resources: readonly string[] }): Promise<Authorization> {
    return await this.repository.grant({ ...grant, grantId: newGrantId() });
  }

  /**
   * Makes an authorization that ends with the token or access key of the caller. It ends by itself too: without `offline_access` soon after
   * the token that asked for it would have expired, so that no chain of codes outlives a stolen token for long.
   * @throws DomainError 401 `token_invalid` when what it comes from has ended meanwhile
   */
  async derive(grant: GrantKey & { scope: string; resources: readonly string[] }, origin: Origin): Promise<Authorization> {
    const derived = await this.repository.derive({ ...grant, grantId: newGrantId() }, origin);
    if (!derived) throw generalErrors.token_invalid('The access token was revoked.');
    return derived;
  }

  /** The same consent on a device that the login could not name; that device has a record of its own from now on. */
  async forDevice({ userId, clientId, scope, resources, ...login }: Authorization, device: string): Promise<Authorization> {
    if (login.endsAt !== null) return (await this.repository.bindToDevice(login.grantId, device)) ?? ended();
    const { grantId } = await this.grant({ userId, clientId, device, scope, resources });
    await this.recordLogin(grantId, login);
    const bound = await this.repository.findByGrantId(grantId);
    if (!bound) throw new Error('The authorization was granted a moment ago.');
    return bound;
  }

  /** A code was issued for this grant. */
  async recordLogin(grantId: string, details: LoginDetails): Promise<void> {
    await this.repository.recordLogin(grantId, details, this.clock.now());
  }

  /**
   * Ends the caller's authorizations that match every given selector.
   * @throws DomainError 400 `selector_required` when none is given, 403 `support_access_denied`
   */
  async deauthorize(caller: Pick<Caller, 'userId' | 'supportUserId'>, selector: AuthorizationSelector): Promise<Authorization[]> {
    if (caller.supportUserId) {
      throw generalErrors.support_access_denied('Support access does not end applications of the user; only the user can do that.');
    }
    if ((selector.id ?? selector.clientId ?? selector.device ?? null) === null) {
      throw errors.selector_required('Name what to deauthorize: id, client_id or device.');
    }
    return await this.repository.deleteOfUser(caller.userId, selector);
  }

  /** Ends one authorization, because a code or token of it was replayed; the user has to consent again. */
  async end(grantId: string): Promise<void> {
    await this.repository.deleteByGrantId(grantId);
  }

  /** Ends every access token issued so far and keeps the consent: the client itself signed out (RFC 7009 section 2.1). */
  async endTokens(grantId: string): Promise<void> {
    await this.repository.nextGeneration(grantId);
  }
}

const newGrantId = (): string => randomBytes(32).toString('base64url');

function ended(): never {
  throw generalErrors.token_invalid('The authorization has ended.');
}
