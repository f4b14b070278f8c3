import { type Adapter, type AdapterPayload, type ClientMetadata, errors, Provider } from 'oidc-provider';
import type { Clock } from '../../../shared/clock.js';
import type { Config } from '../../../shared/config/index.js';
import type { AuthorizationsService } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';
import { ACCOUNT_CLIENT_ID, type ClientsService } from '../clients/clients.service.js';
import { withIncludedScopes } from '../scopes.js';
import { grantPayload } from './consent.js';
import type { NewRecord, OidcRecordsRepository, StoredRecord } from './oidc-records.repository.js';
import { currentProtocolRequest, recordKey } from './protocol-request.js';

/** What the adapter needs. */
export interface AdapterDependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly records: OidcRecordsRepository;
  readonly authorizations: AuthorizationsService;
  readonly clients: ClientsService;
}

/** oidc-provider's storage for sessions, interactions and codes: rows of oidc_records. Subclasses differ in one rule each. */
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

  /** Called besides Grant's destroy, which deletes all records of the grant; alone only at a logout, which ends no authorization. */
  async revokeByGrantId(): Promise<void> {}

  /** Reads a record once per request, however many steps ask for it. */
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

/** Sessions are written at every authorize; one that says nothing new is not written again. */
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

/** jsonb keeps its own order of keys. */
function sameJson(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  const a = Object.entries(left).filter(([, value]) => value !== undefined);
  const b = Object.entries(right).filter(([, value]) => value !== undefined);
  return a.length === b.length && a.every(([key, value]) => sameJson(value, (right as Record<string, unknown>)[key]));
}

/** The interaction names the session by its uid; the session's secret identifier is not kept a second time. */
class InteractionAdapter extends RecordAdapter {
  protected override recordOf(payload: AdapterPayload): NewRecord {
    const { session } = payload;
    return super.recordOf(session ? ({ ...payload, session: { ...session, cookie: undefined } } as AdapterPayload) : payload);
  }
}

const CONSUMED = 'authorization code already consumed';

/** A code is exchanged once: of requests in parallel one wins, and each other one ends what the winner got (RFC 9700 section 4.5). */
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

  /** The authorization of the code goes first, then that of the device; binding reads them in the other order, so none is missed. */
  private async endWhatWasIssued(id: string): Promise<void> {
    const { authorizations, records } = this.services;
    const record = await this.read(id);
    if (record?.grantId) await authorizations.deleteByGrantId(record.grantId);
    const bound = (await records.find(this.model, id))?.payload.boundGrantId;
    if (typeof bound === 'string') await authorizations.deleteByGrantId(bound);
  }

  /** The login could not name its device, but the exchange does: from here on the code belongs to the authorization of that device. */
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

/** A rotated refresh token answers with the same successor for a moment, so that no user is logged out by two requests at once. */
class RefreshTokenAdapter extends RecordAdapter {
  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const current = currentProtocolRequest();
    const grantId = current?.authorization?.grantId ?? payload.grantId;
    // A revocation counts the generation up; a refresh that was under way meanwhile leaves a token of the old one behind.
    const ours = { grantId, support: current?.token?.support ?? undefined, generation: current?.authorization?.generation };
    // A narrowed request narrows the access token alone: the successor keeps the scope of the token before it (RFC 6749 section 6).
    const rotatedId = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
    const rotated = rotatedId && current?.records.get(recordKey(this.model, rotatedId));
    const kept = rotated ? { scope: rotated.payload.scope } : {};
    await this.services.records.insertUnlessExists(this.model, id, this.recordOf({ ...payload, ...ours, ...kept } as AdapterPayload));
  }

  protected override payloadOf(record: StoredRecord, id: string | undefined): AdapterPayload {
    const graceEnds = (record.consumedAt?.getTime() ?? 0) + this.services.config.refreshGraceSeconds * 1000;
    const inGrace = record.consumedAt !== null && graceEnds > this.services.clock.now().getTime();
    const payload = super.payloadOf(inGrace ? { ...record, consumedAt: null } : record, id);
    // oidc-provider refuses a scope that the token does not name itself; `narrowScope` has checked what was asked for.
    const isNarrowed = Boolean(currentProtocolRequest()?.token?.narrowedScope);
    return isNarrowed ? { ...payload, scope: withIncludedScopes(String(payload.scope ?? '')).join(' ') } : payload;
  }
}

/** oidc-provider's Grant is our Authorization. */
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

/** The adapter factory for oidc-provider's configuration. */
export const postgresAdapter =
  (services: AdapterDependencies) =>
  (model: string): Adapter =>
    new (special[model] ?? RecordAdapter)(model, services);

/** A client in oidc-provider's terms (RFC 7591 section 2), with two members of our own. Undefined: there is no such client. */
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

/** Names of the members that oidc-provider has to keep although it does not know them. */
export const EXTRA_CLIENT_METADATA = ['first_party', 'require_pkce', 'service_user_id'];
