import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { RateLimitsService, sendJson } from '../../../shared/http/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { isAudience } from '../provider/authorize-request.js';
import { replayBody } from '../provider/provider-internals.js';
import { DEFAULT_SCOPE, knownScopes, type Scope } from '../scopes.js';
import { asTokenRequestError, clientIdOf, type FormBody, isAbsent, readForm, single, TokenRequestError } from './form-request.js';
import { type CheckedTokenRequest, TokenChecksService } from './token-checks.service.js';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/** Prepares POST /v4/token for oidc-provider: reads a form or JSON, and checks it before the code or refresh token is consumed. */
@Injectable()
export class TokenRequestsService {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
    private readonly checks: TokenChecksService,
    private readonly limiter: RateLimitsService,
  ) {}

  /**
   * Converts the body to a form for oidc-provider. Returns the results of the checks of the code or refresh token; null for other grants.
   * @throws TokenRequestError, UnreadableBody or DomainError `rate_limited`, for `sendError`
   */
  async prepare(request: IncomingMessage, response: ServerResponse): Promise<CheckedTokenRequest | null> {
    const body = await readForm(request);
    const client = await this.clients.find(clientIdOf(request, body) ?? '');
    const key = `${request.context.clientNetwork}|${client?.clientId ?? ''}|token`; // an unknown client id gets no limit of its own
    await this.limiter.consume('token', key, response);
    const form = this.toForm(body);
    const checked = await this.check({ request, body, form });
    replayBody(request, stringify(checked?.redirectUri ? { ...form, redirect_uri: checked.redirectUri } : form));
    request.headers.accept = 'application/json'; // otherwise oidc-provider answers errors with a page if the client prefers HTML
    return checked;
  }

  /** Sends an error that occurred while the request was read; false for an unexpected error. */
  sendError(error: unknown, response: ServerResponse): boolean {
    const problem = asTokenRequestError(error, response);
    if (!problem) return false;
    response.setHeader('cache-control', 'no-store');
    sendJson(response, problem.status, { error: problem.error, error_description: problem.message });
    return true;
  }

  private toForm(body: FormBody): Record<string, string | string[]> {
    const form = flatten(body);
    const clientId = single(body, 'client_id') ?? single(body, 'clientId');
    if (clientId && !('client_id' in form)) form.client_id = clientId;
    if (typeof form.resource === 'string' && !isAudience(form.resource, this.config.resources)) delete form.resource;
    return form;
  }

  private async check(sent: {
    request: IncomingMessage;
    body: FormBody;
    form: Record<string, string | string[]>;
  }): Promise<CheckedTokenRequest | null> {
    const { request, body, form } = sent;
    const grantType = single(body, 'grant_type') ?? '';
    await this.checkGrantType(grantType, clientIdOf(request, body));
    if (!isAbsent(body.casa) && grantType !== 'authorization_code') {
      throw new TokenRequestError('invalid_grant', 'casa is accepted with an authorization code only');
    }
    if (grantType === 'authorization_code') return await this.checks.checkCode(sent);
    if (grantType === 'refresh_token') return await this.checks.checkRefreshToken(sent);
    if (grantType === 'client_credentials') form.scope = scopeOfCredentials(single(body, 'scope'));
    return null;
  }

  /** Refuses a grant type that the client may not use with the code of RFC 6749 section 5.2; oidc-provider would return invalid_request. */
  private async checkGrantType(grantType: string, clientId: string | undefined): Promise<void> {
    if (!clientId || !GRANT_TYPES.includes(grantType)) return;
    const client = await this.clients.find(clientId);
    const isPublicWorker = grantType === 'client_credentials' && client?.secretHash === null;
    if (!client || (client.grantTypes.includes(grantType) && !isPublicWorker)) return;
    throw new TokenRequestError('unauthorized_client', `the client may not use ${grantType}`);
  }
}

/** The scopes that say something about a person or keep a person's consent; without a person they would have no effect. */
const OF_PERSONS: readonly Scope[] = ['openid', 'profile', 'email', 'offline_access'];

/** The scope that client credentials are granted: what was requested, without unknown scopes and those of persons (RFC 6749 section 3.3). */
function scopeOfCredentials(requested: string | undefined): string {
  const scope = knownScopes(requested ?? DEFAULT_SCOPE).filter((name) => !OF_PERSONS.includes(name));
  if (scope.length === 0) throw new TokenRequestError('invalid_scope', 'none of the requested scopes can be granted to client credentials');
  return scope.join(' ');
}

/** Converts a JSON body to strings and lists of strings for a form; numbers and booleans become text, objects are omitted. */
function flatten(body: FormBody): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(body)) {
    if (Array.isArray(value)) form[name] = value.filter(isScalar).map(String);
    else if (isScalar(value)) form[name] = String(value);
  }
  return form;
}

const isScalar = (value: unknown): boolean => value !== null && value !== undefined && typeof value !== 'object';
