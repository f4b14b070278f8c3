import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { DomainError } from '../../../shared/errors/index.js';
import { RateLimiter, sendJson } from '../../../shared/http/index.js';
import { AuthorizationsService } from '../../access/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { DEFAULT_SCOPE, knownScopes } from '../scopes.js';
import { deviceHeader, isAudience } from './authorize-request.js';
import { OidcRecordsRepository, type StoredRecord } from './oidc-records.repository.js';
import { replayBody } from './provider-internals.js';
import { type FormBody, readForm, single, UnreadableBody } from './read-form.js';
import { requestScope } from './request-scope.js';

/** An error of the token endpoint (RFC 6749 section 5.2), found before the code is touched. */
export class TokenRequestError extends Error {
  constructor(
    readonly error: 'invalid_request' | 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client' | 'rate_limited',
    description: string,
    readonly status = 400,
  ) {
    super(description);
  }
}

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/**
 * Prepares POST /v4/token for oidc-provider: reads form or JSON, and refuses what contradicts the code (state, device, scope, resource)
 * before the code is consumed, so that a client's mistake does not burn it.
 */
@Injectable()
export class TokenRequests {
  constructor(
    private readonly config: Config,
    private readonly records: OidcRecordsRepository,
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
    private readonly limiter: RateLimiter,
  ) {}

  /** Answers the request itself (false) or leaves it to oidc-provider with a form body (true). */
  async prepare(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    try {
      const body = await readForm(request);
      await this.limiter.consume('token', `${request.context.clientAddress}|${clientIdOf(request, body) ?? ''}|token`, response);
      replayBody(request, stringify(await this.translate(request, body)));
      request.headers.accept = 'application/json'; // oidc-provider shows its errors as a page to who prefers HTML
      return true;
    } catch (error) {
      const problem = asTokenRequestError(error, response);
      if (!problem) throw error;
      response.setHeader('cache-control', 'no-store');
      sendJson(response, problem.status, { error: problem.error, error_description: problem.message });
      return false;
    }
  }

  private async translate(request: IncomingMessage, body: FormBody): Promise<Record<string, string | string[]>> {
    const form = flatten(body);
    const clientId = single(body, 'client_id') ?? single(body, 'clientId');
    if (clientId && !('client_id' in form)) form.client_id = clientId;
    if (typeof form.resource === 'string' && !isAudience(form.resource, this.config.resources)) delete form.resource;
    const grantType = single(body, 'grant_type') ?? '';
    await this.checkGrantType(grantType, clientIdOf(request, body));
    if (grantType === 'authorization_code') await this.checkCode(request, body, form);
    if (grantType === 'refresh_token') await this.checkRefresh(request, body, form);
    if (grantType === 'client_credentials') form.scope = scopeOfCredentials(single(body, 'scope'));
    return form;
  }

  /** oidc-provider says invalid_request where RFC 6749 section 5.2 has a code of its own. */
  private async checkGrantType(grantType: string, clientId: string | undefined): Promise<void> {
    if (!clientId || !GRANT_TYPES.includes(grantType)) return;
    const client = await this.clients.find(clientId);
    const isPublicWorker = grantType === 'client_credentials' && client?.secretHash === null;
    if (!client || (client.grantTypes.includes(grantType) && !isPublicWorker)) return;
    throw new TokenRequestError('unauthorized_client', `the client may not use ${grantType}`);
  }

  private async checkCode(request: IncomingMessage, body: FormBody, form: Record<string, string | string[]>): Promise<void> {
    const code = single(body, 'code');
    const record = code ? await this.read(request, 'AuthorizationCode', code) : null;
    if (!record || record.payload.clientId !== clientIdOf(request, body)) return; // oidc-provider refuses it
    const { payload } = record;
    const state = single(body, 'state');
    if (state !== undefined && payload.state !== undefined && state !== payload.state) {
      throw new TokenRequestError('invalid_grant', 'state differs from the one that the code was issued for');
    }
    const device = single(body, 'device') ?? deviceHeader(request.headers, this.config.headerPrefixes);
    if (payload.device !== undefined && device !== undefined && device !== payload.device) {
      throw new TokenRequestError('invalid_grant', 'device differs from the one that the code was issued for');
    }
    this.narrowScope(request, single(body, 'scope'), String(payload.scope ?? ''));
    checkResource(form.resource, payload.resource);
    await this.fillRedirectUri(payload, form);
  }

  /** `scope` may only narrow what was granted. */
  private narrowScope(request: IncomingMessage, requested: string | undefined, granted: string): void {
    if (requested === undefined) return;
    const names = requested.split(' ').filter(Boolean);
    const allowed = new Set(granted.split(' '));
    const wider = names.filter((name) => !allowed.has(name));
    if (wider.length > 0) throw new TokenRequestError('invalid_scope', `not granted: ${wider.join(' ')}`);
    requestScope(request).narrowedScope = knownScopes(requested).join(' ');
  }

  /** The redirect URI may be left out where a secret or PKCE protects the code; a code of requestCode went through no redirect. */
  private async fillRedirectUri(payload: StoredRecord['payload'], form: Record<string, string | string[]>): Promise<void> {
    const redirectUri = String(payload.redirectUri ?? '');
    const client = await this.clients.find(String(payload.clientId));
    if (payload.withoutRedirect === true && (!form.redirect_uri || client?.redirectUris.includes(String(form.redirect_uri)))) {
      form.redirect_uri = redirectUri;
    }
    if (form.redirect_uri || this.config.requireRedirectUri) return;
    if (payload.codeChallenge || client?.secretHash) form.redirect_uri = redirectUri;
  }

  /** A refresh token of a device-bound authorization works on that device only. */
  private async checkRefresh(request: IncomingMessage, body: FormBody, form: Record<string, string | string[]>): Promise<void> {
    const token = single(body, 'refresh_token');
    const record = token ? await this.read(request, 'RefreshToken', token) : null;
    if (!record?.grantId || record.payload.clientId !== clientIdOf(request, body)) return; // oidc-provider refuses it
    checkResource(form.resource, record.payload.resource);
    const authorization = await this.authorizations.findByGrantId(record.grantId);
    requestScope(request).authorization = authorization;
    const device = deviceHeader(request.headers, this.config.headerPrefixes) ?? single(body, 'device');
    if (authorization?.device && authorization.device !== device) {
      throw new TokenRequestError('invalid_grant', 'this refresh token is bound to a device; send it in x-service-device');
    }
  }

  private async read(request: IncomingMessage, model: string, identifier: string): Promise<StoredRecord | null> {
    const record = await this.records.find(model, identifier);
    requestScope(request).records.set(`${model}:${identifier}`, record);
    return record;
  }
}

/** What the token and revocation endpoints answer to an error that was found while the request was read; null: nobody expected it. */
export function asTokenRequestError(error: unknown, response: ServerResponse): TokenRequestError | null {
  if (error instanceof TokenRequestError) return error;
  if (error instanceof UnreadableBody) return new TokenRequestError('invalid_request', error.message);
  if (!(error instanceof DomainError) || error.code !== 'rate_limited') return null;
  response.setHeader('retry-after', String(error.extras.retryAfter));
  return new TokenRequestError('rate_limited', error.detail, 429);
}

/** `resource` may only narrow what was granted, to one audience; oidc-provider would find out after it has consumed the code. */
function checkResource(requested: string | string[] | undefined, granted: unknown): void {
  if (requested === undefined || requested.length === 0) return;
  const allowed = [granted].flat();
  if (Array.isArray(requested) && requested.length > 1) throw new TokenRequestError('invalid_target', 'ask for one resource at a time');
  if (!allowed.includes([requested].flat()[0])) throw new TokenRequestError('invalid_target', 'this resource was not granted');
}

function scopeOfCredentials(requested: string | undefined): string {
  const scope = knownScopes(requested ?? DEFAULT_SCOPE).join(' ');
  if (!scope) throw new TokenRequestError('invalid_scope', 'none of the requested scopes exists');
  return scope;
}

/** The client that asks, by HTTP Basic (RFC 6749 section 2.3.1) or by the body; not yet authenticated. */
export function clientIdOf(request: IncomingMessage, body: FormBody): string | undefined {
  return basicCredentials(request)?.clientId ?? single(body, 'client_id') ?? single(body, 'clientId');
}

export function basicCredentials({ headers: { authorization } }: IncomingMessage): { clientId: string; secret: string } | null {
  if (!authorization || !/^basic /i.test(authorization)) return null;
  const [, encodedId, encodedSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(authorization.slice(6), 'base64').toString('utf8')) ?? [];
  if (!encodedId || encodedSecret === undefined) return null;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', '%20'));
    return { clientId: decode(encodedId), secret: decode(encodedSecret) };
  } catch {
    return null;
  }
}

/** Only texts and lists of texts can stand in a form; anything else of a JSON body is written as its text. */
function flatten(body: FormBody): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(body)) {
    if (Array.isArray(value)) form[name] = value.map(String);
    else if (value !== null && value !== undefined && typeof value !== 'object') form[name] = String(value);
  }
  return form;
}
