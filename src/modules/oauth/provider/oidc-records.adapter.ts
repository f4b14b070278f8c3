import { type Adapter, type AdapterPayload, type ClientMetadata, errors, Provider } from 'oidc-provider';
import type { Clock } from '../../../shared/clock.js';
import type { Config } from '../../../shared/config/index.js';
import type { AuthorizationsService } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import type { ClientsService } from '../clients/clients.service.js';
import { withIncludedScopes } from '../scopes.js';
import { grantPayload } from './consent.js';
import type { NewRecord, OidcRecordsRepository, StoredRecord } from './oidc-records.repository.js';
import { currentProtocolRequest, recordKey } from './protocol-request.js';

/** The dependencies of the adapter. */
export interface AdapterDependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly records: OidcRecordsRepository;
  readonly authorizations: AuthorizationsService;
  readonly clients: ClientsService;
}

/** Stores sessions, interactions and codes of oidc-provider in oidc_records. Each subclass changes one rule. */
class RecordAdapter implements Adapter {
  constructor(
    protected readonly model: string,
    protected readonly services: AdapterDependencies,
  ) {}

  async find(id: string): Promise<AdapterPayload | undefined> {
    const record = await this.read(id);
    return record ? this.payloadOf(record, id) : undefined;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const record = await this.services.records.findByUid(this.model, uid);
    return record ? this.payloadOf(record, undefined) : undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined; // the device flow is not offered
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    await this.services.records.replace(this.model, id, this.recordOf(payload));
  }

  async consume(id: string): Promise<void> {
    await this.services.records.consume(this.model, id, this.services.clock.now());
  }

  async destroy(id: string): Promise<void> {
    await this.services.records.delete(this.model, id);
  }

  /** Does nothing: Grant's `destroy` deletes all records of the grant, and a logout, the only other caller, ends no authorization. */
  async revokeByGrantId(): Promise<void> {}

  /** Reads a record at most once per request. */
  protected async read(id: string): Promise<StoredRecord | null> {
    const current = currentProtocolRequest();
    const key = recordKey(this.model, id);
    const known = current?.records.get(key);
    if (known !== undefined) return known;
    const record = await this.services.records.find(this.model, id);
    current?.records.set(key, record);
    return record;
  }

  protected payloadOf({ payload, consumedAt }: StoredRecord, id: string | undefined): AdapterPayload {
    return { ...payload, jti: id, ...(consumedAt ? { consumed: Math.floor(consumedAt.getTime() / 1000) } : {}) } as AdapterPayload;
  }

  protected recordOf({ jti: _, ...payload }: AdapterPayload): NewRecord {
    const { grantId = null, uid = null, accountId, exp } = payload as { grantId?: string; uid?: string; accountId?: string; exp: number };
    return { grantId, uid, accountId: accountId ? Number(accountId) : null, payload, expiresAt: new Date(exp * 1000) };
  }
}

/** Skips writing a session that has not changed, because oidc-provider writes it at every authorization request. */
class SessionAdapter extends RecordAdapter {
  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const known = currentProtocolRequest()?.records.get(recordKey(this.model, id));
    const context = Provider.ctx?.req;
    const ip = known?.payload.ip ?? context?.context.clientAddress ?? null;
    const userAgent = known?.payload.userAgent ?? context?.headers['user-agent']?.slice(0, 512) ?? null;
    const record = this.recordOf({ ...payload, ip, userAgent } as AdapterPayload);
    if (known && sameJson(known.payload, record.payload)) return;
    await this.services.records.replace(this.model, id, record);
  }
}

/** Compares values regardless of the order of keys, which jsonb does not preserve. */
function sameJson(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  const a = Object.entries(left).filter(([, value]) => value !== undefined);
  const b = Object.entries(right).filter(([, value]) => value !== undefined);
  return a.length === b.length && a.every(([key, value]) => sameJson(value, (right as Record<string, unknown>)[key]));
}

/** What a sign-in in progress has stored with its interaction: the person whose password was right, or who has signed in. */
interface SignInResult {
  readonly signIn?: { readonly userId: number };
  readonly login?: { readonly accountId: string };
}

/**
 * Stores only the uid of an interaction's session, not a second copy of the session's secret identifier. A sign-in in progress belongs to its person
 * like a session, so that what ends the sessions of a person ends it too.
 */
class InteractionAdapter extends RecordAdapter {
  protected override recordOf(payload: AdapterPayload): NewRecord {
    const { session } = payload;
    const { signIn, login } = (payload.result ?? {}) as SignInResult;
    const accountId = login?.accountId ?? signIn?.userId ?? null;
    const record = super.recordOf(session ? ({ ...payload, session: { ...session, cookie: undefined } } as AdapterPayload) : payload);
    return { ...record, accountId: accountId === null ? null : Number(accountId) };
  }
}

const CONSUMED = 'authorization code already consumed';

/** Lets a code be exchanged once: of concurrent requests one succeeds, and the others revoke what it received (RFC 9700 section 4.5). */
class CodeAdapter extends RecordAdapter {
  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const params = Provider.ctx?.oidc.params;
    const scope = params?.offline ? `${payload.scope} offline_access` : payload.scope;
    const bound = { state: params?.state, device: params?.device };
    await super.upsert(id, { ...payload, scope, ...bound } as AdapterPayload);
  }

  override async consume(id: string): Promise<void> {
    if (await this.services.records.consume(this.model, id, this.services.clock.now())) return await this.bindToDevice(id);
    await this.endWhatWasIssued(id);
    throw new errors.InvalidGrant(CONSUMED);
  }

  /** Deletes the authorization of the code, then that of the device. `bindToDevice` accesses them in reverse order, so none is missed. */
  private async endWhatWasIssued(id: string): Promise<void> {
    const { authorizations, records } = this.services;
    const record = await this.read(id);
    if (record?.grantId) await authorizations.deleteByGrantId(record.grantId);
    const bound = (await records.find(this.model, id))?.payload.boundGrantId;
    if (typeof bound === 'string') await authorizations.deleteByGrantId(bound);
  }

  /** Moves the code to the authorization of the device that the exchange names because the login could not name it. */
  private async bindToDevice(id: string): Promise<void> {
    const current = currentProtocolRequest();
    const device = current?.token?.deviceFromCode;
    if (!device || !current?.authorization) return;
    const { authorizations, records } = this.services;
    const bound = await authorizations.bindToDevice(current.authorization, device);
    await records.amend(this.model, id, { boundGrantId: bound.grantId });
    if (!(await authorizations.findByGrantId(current.authorization.grantId))) {
      await authorizations.deleteByGrantId(bound.grantId);
      throw new errors.InvalidGrant(CONSUMED);
    }
    current.authorization = bound;
  }

  protected override payloadOf(record: StoredRecord, id: string | undefined): AdapterPayload {
    const payload = super.payloadOf(record, id);
    const narrowed = currentProtocolRequest()?.token?.narrowedScope;
    const { boundGrantId } = record.payload;
    return {
      ...payload,
      ...(narrowed ? { scope: narrowed } : {}),
      ...(typeof boundGrantId === 'string' ? { grantId: boundGrantId } : {}),
    };
  }
}

/** Returns the same successor of a rotated refresh token during the grace period, so that concurrent requests do not log the user out. */
class RefreshTokenAdapter extends RecordAdapter {
  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const current = currentProtocolRequest();
    const grantId = current?.authorization?.grantId ?? payload.grantId;
    // A revocation increments the generation; a token that a concurrent refresh stores has the old one, and is therefore invalid.
    const ours = { grantId, support: current?.token?.support ?? undefined, generation: current?.authorization?.generation };
    // A narrower scope applies only to the access token: the successor keeps the scope of its predecessor (RFC 6749 section 6).
    const rotatedId = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
    const rotated = rotatedId && current?.records.get(recordKey(this.model, rotatedId));
    const kept = rotated ? { scope: rotated.payload.scope } : {};
    await this.services.records.insertUnlessExists(this.model, id, this.recordOf({ ...payload, ...ours, ...kept } as AdapterPayload));
  }

  protected override payloadOf(record: StoredRecord, id: string | undefined): AdapterPayload {
    const graceEnds = (record.consumedAt?.getTime() ?? 0) + this.services.config.refreshGraceSeconds * 1000;
    const inGrace = record.consumedAt !== null && graceEnds > this.services.clock.now().getTime();
    const payload = super.payloadOf(inGrace ? { ...record, consumedAt: null } : record, id);
    // oidc-provider refuses a scope that the token does not name explicitly; `narrowScope` has checked the requested one.
    const isNarrowed = Boolean(currentProtocolRequest()?.token?.narrowedScope);
    return isNarrowed ? { ...payload, scope: withIncludedScopes(String(payload.scope ?? '')).join(' ') } : payload;
  }
}

/** Maps oidc-provider's Grant to our Authorization. */
class GrantAdapter extends RecordAdapter {
  override async find(grantId: string): Promise<AdapterPayload | undefined> {
    const current = currentProtocolRequest();
    const known = current?.authorization?.grantId === grantId ? current.authorization : null;
    const authorization = known ?? (await this.services.authorizations.findByGrantId(grantId));
    if (current) current.authorization = authorization;
    return authorization ? (grantPayload(authorization) as unknown as AdapterPayload) : undefined;
  }

  override async upsert(): Promise<void> {
    throw new Error('Grants are made by AuthorizationsService.grant().');
  }

  override async destroy(grantId: string): Promise<void> {
    await this.services.authorizations.deleteByGrantId(grantId);
    await this.services.records.deleteByGrantId(grantId);
  }
}

class ClientAdapter extends RecordAdapter {
  override async find(clientId: string): Promise<AdapterPayload | undefined> {
    const client = await this.services.clients.find(clientId);
    return clientMetadata(clientId, client, this.services.config) as AdapterPayload | undefined;
  }
}

const special: Record<string, typeof RecordAdapter> = {
  Session: SessionAdapter,
  Interaction: InteractionAdapter,
  AuthorizationCode: CodeAdapter,
  RefreshToken: RefreshTokenAdapter,
  Grant: GrantAdapter,
  Client: ClientAdapter,
};

/** Returns the adapter factory for oidc-provider's configuration. */
export const postgresAdapter =
  (services: AdapterDependencies) =>
  (model: string): Adapter =>
    new (special[model] ?? RecordAdapter)(model, services);

/** Converts a client to oidc-provider's metadata (RFC 7591 section 2) with EXTRA_CLIENT_METADATA; undefined if it does not exist. */
function clientMetadata(clientId: string, client: Client | null, { publicUrl }: Config): ClientMetadata | undefined {
  if (clientId === ACCOUNT_CLIENT_ID) return accountPage(publicUrl);
  if (!client) return undefined;
  const usesCode = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.clientId,
    client_name: client.name,
    application_type: client.type === 'web' ? 'web' : 'native',
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    response_types: usesCode ? ['code'] : [],
    grant_types: client.grantTypes,
    token_endpoint_auth_method: client.secretHash ? 'client_secret_basic' : 'none',
    ...(client.secretHash ? { client_secret: client.secretHash } : {}),
    first_party: client.firstParty,
    require_pkce: client.requirePkce,
    service_user_id: client.serviceUserId ?? undefined,
  };
}

/** `response_type=none`: the account page needs the login session only, so nothing is issued to it. */
const accountPage = (publicUrl: string): ClientMetadata => ({
  client_id: ACCOUNT_CLIENT_ID,
  client_name: 'Your account',
  redirect_uris: [`${publicUrl}/account`],
  response_types: ['none'],
  grant_types: [],
  token_endpoint_auth_method: 'none',
  first_party: true,
});

/** Our own members of client metadata, which oidc-provider has to keep. */
export const EXTRA_CLIENT_METADATA = ['first_party', 'require_pkce', 'service_user_id'];
