import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { DomainError } from '../../../shared/errors.js';
import { isId } from '../../../shared/validation/index.js';
import { type Authorization, AuthorizationsService } from '../../access/index.js';
import { SupportAccessService, type SupportRequest } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { deviceHeader, MAX_DEVICE_CHARACTERS } from '../provider/authorize-request.js';
import { OidcRecordsRepository, type StoredRecord } from '../provider/oidc-records.repository.js';
import { knownScopes, withIncludedScopes } from '../scopes.js';
import { clientIdOf, type FormBody, isAbsent, single, TokenRequestError } from './form-request.js';

const MAX_REASON_LENGTH = 1_000;

/** A token with which support staff acts as a user of a customer. */
export interface SupportToken {
  /** The member of staff: `casa.id`. */
  readonly staffId: number;
  /** The user whom the token acts as. */
  readonly userId: number;
  /** The reason for the visit, for its first token; null for a refreshed token, which continues the visit. */
  readonly reason: string | null;
}

/** A token request before oidc-provider sees it: what was sent, and the form that oidc-provider will read. */
export interface SentTokenRequest {
  readonly request: IncomingMessage;
  readonly body: FormBody;
  readonly form: Readonly<Record<string, string | string[]>>;
}

/** The results of the checks, for the later steps of oidc-provider. */
export interface CheckedTokenRequest {
  /** The stored code or refresh token, cached so that it is read once. */
  readonly record: StoredRecord;
  readonly model: 'AuthorizationCode' | 'RefreshToken';
  readonly identifier: string;
  /** The scopes that the access token is narrowed to; null when the request names none. */
  readonly narrowedScope: string | null;
  /** The device to bind the login to, if the authorization request could not name it. */
  readonly deviceFromCode: string | null;
  readonly support: SupportToken | null;
  /** The authorization of a refresh token; null for a code, whose authorization oidc-provider loads. */
  readonly authorization: Authorization | null;
  /** The redirect URI to add if the request may omit it. */
  readonly redirectUri: string | null;
}

/** Checks codes and refresh tokens before oidc-provider consumes them, so that a mistake of the client does not invalidate them. */
@Injectable()
export class TokenChecksService {
  constructor(
    private readonly config: Config,
    private readonly records: OidcRecordsRepository,
    private readonly clients: ClientsService,
    private readonly authorizations: AuthorizationsService,
    private readonly supportAccess: SupportAccessService,
  ) {}

  /**
   * Checks a code; null if oidc-provider will refuse it, because it is unknown or belongs to another client.
   * @throws TokenRequestError `invalid_request`, `invalid_grant`, `invalid_scope`, `invalid_target`
   */
  async checkCode({ request, body, form }: SentTokenRequest): Promise<CheckedTokenRequest | null> {
    const code = single(body, 'code');
    const record = code ? await this.records.find('AuthorizationCode', code) : null;
    if (!code || !record || record.payload.clientId !== clientIdOf(request, body)) return null;
    const { payload } = record;
    checkState(single(body, 'state'), payload.state);
    const deviceFromCode = this.checkDevices(request, body, payload.device);
    const narrowedScope = narrowScope(single(body, 'scope'), String(payload.scope ?? ''));
    checkResource(form.resource, payload.resource);
    const redirectUri = await this.findRedirectUri(payload, form.redirect_uri);
    const support = isAbsent(body.casa) ? null : await this.startSupport(Number(payload.accountId), body.casa);
    const found = { record, model: 'AuthorizationCode', identifier: code } as const;
    return { ...found, narrowedScope, deviceFromCode, support, authorization: null, redirectUri };
  }

  /**
   * Checks a refresh token; null if oidc-provider will refuse it, because it is unknown or belongs to another client.
   * @throws TokenRequestError `invalid_grant`, `invalid_scope`, `invalid_target`
   */
  async checkRefreshToken({ request, body, form }: SentTokenRequest): Promise<CheckedTokenRequest | null> {
    const token = single(body, 'refresh_token');
    const record = token ? await this.records.find('RefreshToken', token) : null;
    if (!token || !record?.grantId || record.payload.clientId !== clientIdOf(request, body)) return null;
    checkResource(form.resource, record.payload.resource);
    const narrowedScope = narrowScope(single(body, 'scope'), String(record.payload.scope ?? ''));
    const authorization = await this.authorizations.findByGrantId(record.grantId);
    if (authorization && Number(record.payload.generation ?? 0) !== authorization.generation) {
      throw new TokenRequestError('invalid_grant', 'this refresh token was revoked');
    }
    const device = deviceHeader(request.headers, this.config.headerPrefixes) ?? single(body, 'device');
    if (authorization?.device && authorization.device !== device) {
      throw new TokenRequestError('invalid_grant', 'this refresh token is bound to a device; send it in x-service-device');
    }
    const support = await this.continueSupport(record.payload.support);
    const found = { record, model: 'RefreshToken', identifier: token } as const;
    return { ...found, narrowedScope, deviceFromCode: null, support, authorization, redirectUri: null };
  }

  /** Records a visit, which the customer can then see, just before the token is sent to the member of staff. */
  async recordVisit({ staffId, userId, reason }: SupportToken): Promise<void> {
    if (reason !== null) await this.supportAccess.recordVisit(staffId, { userId, reason });
  }

  /** Checks that a code bound to a device is used by that device. Returns `deviceFromCode` for a login that named none. */
  private checkDevices(request: IncomingMessage, body: FormBody, bound: unknown): string | null {
    const deviceFromCode = single(body, 'deviceFromCode');
    if ((deviceFromCode?.length ?? 0) > MAX_DEVICE_CHARACTERS) {
      throw new TokenRequestError('invalid_request', `deviceFromCode has more than ${MAX_DEVICE_CHARACTERS} characters`);
    }
    for (const named of [single(body, 'device') ?? deviceHeader(request.headers, this.config.headerPrefixes), deviceFromCode]) {
      if (bound !== undefined && named !== undefined && named !== bound) {
        throw new TokenRequestError('invalid_grant', 'device differs from the one that the code was issued for');
      }
    }
    return bound === undefined ? (deviceFromCode ?? null) : null;
  }

  /**
   * Returns the redirect URI of the code if the request may omit it, because a secret or PKCE protects the code. A code of requestCode was not
   * sent by a redirect, so any registered URI of the client is accepted.
   */
  private async findRedirectUri(payload: StoredRecord['payload'], sent: string | string[] | undefined): Promise<string | null> {
    const client = await this.clients.find(String(payload.clientId));
    const redirectUri = String(payload.redirectUri ?? '');
    if (payload.withoutRedirect === true && (!sent || client?.redirectUris.includes(String(sent)))) return redirectUri;
    if (sent || this.config.requireRedirectUri) return null;
    return payload.codeChallenge || client?.secretHash ? redirectUri : null;
  }

  /** Reads the parameter `casa` (customer-approved support access), and checks that the member of staff with this code has support access. */
  private async startSupport(staffId: number, casa: unknown): Promise<SupportToken> {
    const request = decodeCasa(casa);
    try {
      await this.supportAccess.check(staffId, request);
      return { staffId, userId: request.userId, reason: request.reason };
    } catch (error) {
      if (error instanceof DomainError) throw new TokenRequestError('invalid_grant', error.detail);
      throw error;
    }
  }

  /** Permits the refresh of a token as long as support access is open; null for a login of the user. */
  private async continueSupport(stored: unknown): Promise<SupportToken | null> {
    if (stored === undefined || stored === null) return null;
    const { staffId, userId } = stored as SupportToken;
    if (await this.supportAccess.isOpen(staffId, userId)) return { staffId, userId, reason: null };
    throw new TokenRequestError('invalid_grant', 'the support access has ended');
  }
}

function checkState(sent: string | undefined, issued: unknown): void {
  if (sent === undefined || issued === undefined || sent === issued) return;
  throw new TokenRequestError('invalid_grant', 'state differs from the one that the code was issued for');
}

/** Checks that `scope` only narrows the granted scopes, including `api` to `api:read`; null if it was not sent. Throws `invalid_scope`. */
export function narrowScope(requested: string | undefined, granted: string): string | null {
  if (requested === undefined) return null;
  const allowed = new Set(withIncludedScopes(granted));
  const decoded = requested.replaceAll(/%20|\+/g, ' '); // a JSON body may contain the list as in a URL (specification, Request Token)
  const wider = decoded.split(' ').filter((name) => name && !allowed.has(name));
  if (wider.length > 0) throw new TokenRequestError('invalid_scope', `not granted: ${wider.join(' ')}`);
  return knownScopes(decoded).join(' ');
}

/** Checks that `resource` narrows the granted audiences to one. oidc-provider would refuse it only after consuming the code. */
export function checkResource(requested: string | string[] | undefined, granted: unknown): void {
  if (requested === undefined || requested.length === 0) return;
  const allowed = [granted].flat();
  if (Array.isArray(requested) && requested.length > 1) throw new TokenRequestError('invalid_target', 'ask for one resource at a time');
  if (!allowed.includes([requested].flat()[0])) throw new TokenRequestError('invalid_target', 'this resource was not granted');
}

/** Decodes base64 of `{ customerId, userId, reason }`. */
function decodeCasa(casa: unknown): SupportRequest {
  const decoded = typeof casa === 'string' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(casa) ? parseObject(Buffer.from(casa, 'base64')) : {};
  const { customerId, userId, reason } = decoded;
  const isReason = typeof reason === 'string' && reason.trim() !== '' && reason.length <= MAX_REASON_LENGTH && !reason.includes('\0');
  if (isId(customerId) && isId(userId) && isReason) return { customerId, userId, reason: reason.trim() };
  throw new TokenRequestError('invalid_grant', 'casa must be base64 of {"customerId": …, "userId": …, "reason": "…"} with a reason');
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(bytes.toString('utf8')) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}
