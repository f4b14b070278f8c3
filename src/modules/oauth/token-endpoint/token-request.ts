import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { RateLimiter, sendJson } from '../../../shared/http/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { isAudience } from '../provider/authorize-request.js';
import { replayBody } from '../provider/provider-internals.js';
import { type FormBody, readForm, single } from '../provider/read-form.js';
import { DEFAULT_SCOPE, knownScopes } from '../scopes.js';
import { CodeExchange } from './code-exchange.js';
import { RefreshExchange } from './refresh-exchange.js';
import { clientIdOf } from './requesting-client.js';
import { asTokenRequestError, TokenRequestError } from './token-request-error.js';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/**
 * Prepares POST /v4/token for oidc-provider: reads form or JSON, and refuses what contradicts the code (state, device, scope, resource)
 * before the code is consumed, so that a client's mistake does not burn it.
 */
@Injectable()
export class TokenRequests {
  constructor(
    private readonly config: Config,
    private readonly clients: ClientsService,
    private readonly codeExchange: CodeExchange,
    private readonly refreshExchange: RefreshExchange,
    private readonly limiter: RateLimiter,
  ) {}

  /** Answers the request itself (false) or leaves it to oidc-provider with a form body (true). */
  async prepare(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    try {
      const body = await readForm(request);
      const client = await this.clients.find(clientIdOf(request, body) ?? '');
      await this.limiter.consume('token', `${request.context.clientNetwork}|${client?.clientId ?? ''}|token`, response); // an invented client gets no window of its own
      replayBody(request, stringify(await this.translate(request, body)));
      request.headers.accept = 'application/json'; // oidc-provider shows its errors as a page to who prefers HTML
      return true;
    } catch (error) {
      if (!this.sendError(error, response)) throw error;
      return false;
    }
  }

  /** Answers an error that was found while the request was read; false: nobody expected it. */
  sendError(error: unknown, response: ServerResponse): boolean {
    const problem = asTokenRequestError(error, response);
    if (!problem) return false;
    response.setHeader('cache-control', 'no-store');
    sendJson(response, problem.status, { error: problem.error, error_description: problem.message });
    return true;
  }

  private async translate(request: IncomingMessage, body: FormBody): Promise<Record<string, string | string[]>> {
    const form = flatten(body);
    const clientId = single(body, 'client_id') ?? single(body, 'clientId');
    if (clientId && !('client_id' in form)) form.client_id = clientId;
    if (typeof form.resource === 'string' && !isAudience(form.resource, this.config.resources)) delete form.resource;
    const grantType = single(body, 'grant_type') ?? '';
    await this.checkGrantType(grantType, clientIdOf(request, body));
    if (body.casa !== undefined && grantType !== 'authorization_code') {
      throw new TokenRequestError('invalid_grant', 'casa goes with an authorization code');
    }
    if (grantType === 'authorization_code') await this.codeExchange.check({ request, body, form });
    if (grantType === 'refresh_token') await this.refreshExchange.check({ request, body, form });
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
}

function scopeOfCredentials(requested: string | undefined): string {
  const scope = knownScopes(requested ?? DEFAULT_SCOPE).join(' ');
  if (!scope) throw new TokenRequestError('invalid_scope', 'none of the requested scopes exists');
  return scope;
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
