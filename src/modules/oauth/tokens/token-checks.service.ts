import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { DomainError } from '../../../shared/errors.js';
import { type Authorization, AuthorizationsService } from '../../access/index.js';
import { SupportAccessService, type SupportRequest } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { deviceHeader } from '../provider/authorize-request.js';
import { OidcRecordsRepository, type StoredRecord } from '../provider/oidc-records.repository.js';
import { knownScopes, withIncludedScopes } from '../scopes.js';
import { clientIdOf, type FormBody, single, TokenRequestError } from './form-request.js';

const MAX_DEVICE_LENGTH = 512; // as at authorize
const MAX_REASON_LENGTH = 1_000;

/** A token with which support staff acts as a user of a customer. */
export interface SupportToken {
  /** The user of the staff: `casa.id`. */
  readonly staffId: number;
  /** The user whom the token acts as. */
  readonly userId: number;
  /** The reason of the visit, with its first token; null for a refreshed one, which continues the visit. */
  readonly reason: string | null;
}

/** A token request before oidc-provider sees it: what was sent, and the form that oidc-provider will read. */
export interface SentTokenRequest {
  readonly request: IncomingMessage;
  readonly body: FormBody;
  readonly form: Readonly<Record<string, string | string[]>>;
}

/** What the checks found out, for the steps that oidc-provider takes afterwards. */
export interface CheckedTokenRequest {
  /** The code or refresh token as it is stored, so that it is read once. */
  readonly record: StoredRecord;
  readonly model: 'AuthorizationCode' | 'RefreshToken';
  readonly identifier: string;
  /** The scopes that the access token is narrowed to; null when the request names none. */
  readonly narrowedScope: string | null;
  /** Binds the login to a device that could not be named at authorize. */
  readonly deviceFromCode: string | null;
  readonly support: SupportToken | null;
  /** The authorization of a refresh token; null for a code, whose authorization oidc-provider asks for. */
  readonly authorization: Authorization | null;
  /** Completes a request of a code that may leave its redirect URI out. */
  readonly redirectUri: string | null;
}

/** What must be right about a code or refresh token before oidc-provider uses it up, so that a mistake of the client does not end it. */
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
   * Null for a code that oidc-provider will refuse: it is unknown, or of another client.
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
    const support = body.casa === undefined ? null : await this.startSupport(Number(payload.accountId), body.casa);
    const found = { record, model: 'AuthorizationCode', identifier: code } as const;
    return { ...found, narrowedScope, deviceFromCode, support, authorization: null, redirectUri };
  }

  /**
   * Null for a refresh token that oidc-provider will refuse: it is unknown, or of another client.
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

  /** The token is about to be sent to the member of staff: from now on the customer sees the visit. */
  async recordVisit({ staffId, userId, reason }: SupportToken): Promise<void> {
    if (reason !== null) await this.supportAccess.recordVisit(staffId, { userId, reason });
  }

  /** A code for a device is valid for that device only. Returns the device that `deviceFromCode` names for a login that named none. */
  private checkDevices(request: IncomingMessage, body: FormBody, bound: unknown): string | null {
    const deviceFromCode = single(body, 'deviceFromCode');
    if ((deviceFromCode?.length ?? 0) > MAX_DEVICE_LENGTH) {
      throw new TokenRequestError('invalid_request', `deviceFromCode has more than ${MAX_DEVICE_LENGTH} characters`);
    }
    for (const named of [single(body, 'device') ?? deviceHeader(request.headers, this.config.headerPrefixes), deviceFromCode]) {
      if (bound !== undefined && named !== undefined && named !== bound) {
        throw new TokenRequestError('invalid_grant', 'device differs from the one that the code was issued for');
      }
    }
    return bound === undefined ? (deviceFromCode ?? null) : null;
  }

  /**
   * The redirect URI of the code where the request may leave it out: a secret or PKCE protects the code. A code of requestCode was not sent by a
   * redirect, so any registered URI of the client will do.
   */
  private async findRedirectUri(payload: StoredRecord['payload'], sent: string | string[] | undefined): Promise<string | null> {
    const client = await this.clients.find(String(payload.clientId));
    const redirectUri = String(payload.redirectUri ?? '');
    if (payload.withoutRedirect === true && (!sent || client?.redirectUris.includes(String(sent)))) return redirectUri;
    if (sent || this.config.requireRedirectUri) return null;
    return payload.codeChallenge || client?.secretHash ? redirectUri : null;
  }

  /** The parameter `casa` (customer-approved support access): whether support access is open to the member of staff whose code it is. */
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

  /** Tokens are refreshed as long as support access is open. Null for a login of the user. */
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

/** `scope` may only narrow what was granted, including `api` to `api:read`; null when it was not sent. Throws `invalid_scope`. */
export function narrowScope(requested: string | undefined, granted: string): string | null {
  if (requested === undefined) return null;
  const allowed = new Set(withIncludedScopes(granted));
  const wider = requested.split(' ').filter((name) => name && !allowed.has(name));
  if (wider.length > 0) throw new TokenRequestError('invalid_scope', `not granted: ${wider.join(' ')}`);
  return knownScopes(requested).join(' ');
}

/** `resource` may only narrow what was granted, to one audience. oidc-provider would refuse it too, but after it has consumed the code. */
export function checkResource(requested: string | string[] | undefined, granted: unknown): void {
  if (requested === undefined || requested.length === 0) return;
  const allowed = [granted].flat();
  if (Array.isArray(requested) && requested.length > 1) throw new TokenRequestError('invalid_target', 'ask for one resource at a time');
  if (!allowed.includes([requested].flat()[0])) throw new TokenRequestError('invalid_target', 'this resource was not granted');
}

/** base64 of `{ customerId, userId, reason }`. */
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

const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;
