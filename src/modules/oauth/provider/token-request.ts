import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
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
    readonly error: 'invalid_request' | 'invalid_grant' | 'invalid_scope',
    description: string,
  ) {
    super(description);
  }
}

/**
 * Prepares POST /v4/token for oidc-provider: reads form or JSON, and refuses what contradicts the code (state, device, scope) before
 * the code is consumed, so that a client's mistake does not burn it.
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
      await this.limiter.consume('token', `${request.context.clientAddress}|${clientIdOf(request, body) ?? ''}`, response);
      replayBody(request, stringify(await this.translate(request, body)));
      return true;
    } catch (error) {
      const problem = error instanceof UnreadableBody ? new TokenRequestError('invalid_request', error.message) : error;
      if (!(problem instanceof TokenRequestError)) throw error;
      response.setHeader('cache-control', 'no-store');
      sendJson(response, 400, { error: problem.error, error_description: problem.message });
      return false;
    }
  }

  private async translate(request: IncomingMessage, body: FormBody): Promise<Record<string, string | string[]>> {
    const form = flatten(body);
    const clientId = single(body, 'client_id') ?? single(body, 'clientId');
    if (clientId && !('client_id' in form)) form.client_id = clientId;
    if (typeof form.resource === 'string' && !isAudience(form.resource, this.config.resources)) delete form.resource;
    const grantType = single(body, 'grant_type');
    if (grantType === 'authorization_code') await this.checkCode(request, body, form);
    if (grantType === 'refresh_token') await this.checkRefresh(request, body);
    if (grantType === 'client_credentials' && !single(body, 'scope')) form.scope = DEFAULT_SCOPE;
    return form;
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
  private async checkRefresh(request: IncomingMessage, body: FormBody): Promise<void> {
    const token = single(body, 'refresh_token');
    const record = token ? await this.read(request, 'RefreshToken', token) : null;
    if (!record?.grantId) return; // oidc-provider refuses it
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
