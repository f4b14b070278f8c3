import { Injectable } from '@nestjs/common';
import { type Authentication, type Caller, isSession } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { originOf } from '../../../shared/validation/index.js';
import { type Authorization, AuthorizationsService, type LoginDetails, type Origin } from '../../access/index.js';
import type { Client } from '../clients/client.entity.js';
import { ClientsService } from '../clients/clients.service.js';
import { oauthErrors } from '../oauth.errors.js';
import { isAudience } from '../provider/authorize-request.js';
import { covers, type RequestedAccess } from '../provider/consent.js';
import { OidcProviderService } from '../provider/oidc-provider.service.js';
import { OidcRecordsRepository } from '../provider/oidc-records.repository.js';
import { REFRESH_CHAIN_SECONDS } from '../provider/provider-configuration.js';
import { DEFAULT_SCOPE, knownScopes } from '../scopes.js';
import type { RequestCodeDto } from './request-code.dto.js';

export type CodeRequest = RequestCodeDto &
  Pick<LoginDetails, 'ip' | 'userAgent'> & {
    readonly origin: string | undefined;
    /** Whether the browser reports that a page of another origin sent the request. */
    readonly isForeign: boolean;
  };

interface BoundRequest {
  readonly input: CodeRequest;
  /** The redirect URI that was sent, otherwise the client's first one; the code is bound to it. */
  readonly redirectUri: string;
  /** How the caller's person signed in. */
  readonly authentication: Authentication;
}

/** Issues codes without a redirect to clients of users who are already signed in. Nothing is granted silently. */
@Injectable()
export class RequestCodeService {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly clients: ClientsService,
    private readonly authorizations: AuthorizationsService,
    private readonly oidc: OidcProviderService,
    private readonly records: OidcRecordsRepository,
  ) {}

  /**
   * Returns a code for a client that the user has authorized, or that needs no consent.
   * @throws DomainError 400 `unknown_client`, `unauthorized_client`, `redirect_uri_not_registered`, `invalid_scope`, `invalid_target` or
   * `validation_failed`, 401 `token_invalid` if the token or authorization of the caller has ended in the meantime, 403 `page_not_of_client`,
   * `support_access_not_passed_on`, `insufficient_scope` or `consent_required`
   */
  async request(caller: Caller, input: CodeRequest): Promise<{ code: string; state: string; expires_in: number }> {
    const client = await this.clients.get(input.client_id);
    if (!client.grantTypes.includes('authorization_code')) {
      throw oauthErrors.unauthorized_client(`The client "${client.name}" may not use the authorization code grant.`);
    }
    if (isSession(caller)) this.checkPage(client, input);
    const redirectUri = redirectUriOf(client, input.redirect_uri);
    const requested = await this.requestedAccess(caller, client, input);
    this.checkPkce(client, input);
    const request = { input, redirectUri, authentication: caller.authentication ?? {} };
    const authorization = await this.authorize(caller, client, requested, request);
    const code = await this.issue(authorization, requested, request);
    const { ip, userAgent } = input;
    await this.authorizations.recordLogin(authorization.grantId, {
      ip,
      userAgent,
      env: null,
      platform: null,
      version: null,
      legacyResource: null,
    });
    return { code, state: input.state, expires_in: this.config.codeTtlSeconds };
  }

  /** With a cookie, only our own pages and those of the client itself may request its codes, not the pages of other clients. */
  private checkPage({ redirectUris }: Client, { origin, isForeign }: CodeRequest): void {
    const { publicUrl, corsOrigins } = this.config;
    const pages = [publicUrl, ...corsOrigins, ...redirectUris.map(originOf)];
    const allowed = origin === undefined || origin === 'null' ? !isForeign : pages.includes(origin);
    if (!allowed) throw oauthErrors.page_not_of_client('With the session cookie a page may request codes only for its own client.');
  }

  /** Limits the request to the caller's own scopes and audience; omits `offline_access` if the caller may not pass on refresh tokens. */
  private async requestedAccess(caller: Caller, client: Client, input: CodeRequest): Promise<RequestedAccess> {
    if (caller.supportUserId !== null) {
      throw oauthErrors.support_access_not_passed_on('Support access cannot request codes.');
    }
    if (!caller.scopes.has('api')) throw generalErrors.insufficient_scope('Requesting a code needs a token with the scope api.');
    const known = knownScopes(input.scope ?? DEFAULT_SCOPE);
    const named = known.filter((name) => name !== 'offline_access' || client.grantTypes.includes('refresh_token'));
    // Client credentials are never granted `offline_access`, so it is omitted below like for every caller that may not pass it on.
    const isOmitted = (name: string) => name === 'api:read' || (name === 'offline_access' && caller.authorizationId === null);
    const wider = caller.method === 'bearer' ? named.filter((name) => !isOmitted(name) && !caller.scopes.has(name)) : [];
    if (wider.length > 0) throw oauthErrors.invalid_scope(`The requesting token does not have: ${wider.join(' ')}.`);
    const mayStay = await this.mayPassOnRefreshTokens(caller);
    const scope = named.filter((name) => name !== 'offline_access' || mayStay);
    if (scope.length === 0) throw oauthErrors.invalid_scope('The requested scopes do not exist, or the caller does not have them.');
    const resource =
      typeof input.resource === 'string' && isAudience(input.resource, this.config.resources) ? input.resource : this.config.publicUrl;
    if (resource !== this.config.publicUrl && !this.config.resources.includes(resource)) {
      throw oauthErrors.invalid_target(`"${resource}" is not an audience of this service.`);
    }
    if (caller.method === 'bearer' && resource !== this.config.publicUrl) {
      throw oauthErrors.invalid_target(`The requesting token is not for "${resource}".`);
    }
    const key = { userId: caller.userId, clientId: input.client_id, device: input.device ?? null };
    return { ...key, scope: scope.join(' '), resources: [resource] };
  }

  /** True for the person's browser, and for a first-party client to which the person granted it; never for a client on its own. */
  private async mayPassOnRefreshTokens(caller: Caller): Promise<boolean> {
    if (isSession(caller)) return true;
    if (caller.authorizationId === null || caller.clientId === null || !caller.scopes.has('offline_access')) return false;
    return (await this.clients.find(caller.clientId))?.firstParty === true;
  }

  private checkPkce(client: Client, { code_challenge, code_challenge_method }: CodeRequest): void {
    const problem =
      (code_challenge && !code_challenge_method && 'code_challenge_method must be S256 when there is a code_challenge') ||
      (!code_challenge && (client.requirePkce || this.config.requirePkce) && 'code_challenge is required for this client');
    if (problem)
      throw generalErrors.validation_failed(`${problem}.`, { errors: [{ path: 'code_challenge', code: 'pkce', message: problem }] });
  }

  /** Returns what the person granted; for callers other than the person's browser, a derived authorization that ends with the caller's. */
  private async authorize(caller: Caller, client: Client, requested: RequestedAccess, request: BoundRequest): Promise<Authorization> {
    const granted = await this.granted(client, requested, request);
    if (isSession(caller)) return granted ?? (await this.authorizations.grant(requested));
    return await this.authorizations.derive(requested, this.originOf(caller, requested));
  }

  /** Finds the consent; null for a first-party client, which needs none and has none recorded yet. */
  private async granted(client: Client, requested: RequestedAccess, request: BoundRequest): Promise<Authorization | null> {
    const authorization = await this.authorizations.findByKey(requested);
    if (covers(authorization, requested)) return authorization;
    if (client.firstParty) return null;
    const detail = `The user has not granted "${client.name}" this access${requested.device ? ' on this device' : ''} yet; send them to authorizeUrl.`;
    throw oauthErrors.consent_required(detail, { authorizeUrl: this.authorizeUrl(request) });
  }

  /**
   * Without a refresh token, the authorization ends with an access token that is issued at the last moment of the caller's token, so that a
   * chain of codes never outlives the first authorization.
   */
  private originOf({ authorizationId, token, accessKey }: Caller, { scope }: RequestedAccess): Origin {
    const { accessTokenTtlSeconds, codeTtlSeconds } = this.config;
    const asksUntil = token?.expiresAt.getTime() ?? this.clock.now().getTime();
    const lastsSeconds = knownScopes(scope).includes('offline_access') ? REFRESH_CHAIN_SECONDS : codeTtlSeconds + accessTokenTtlSeconds;
    return {
      parent: authorizationId === null ? null : { id: authorizationId, generation: token?.generation ?? 0 },
      parentToken: token?.id ?? null,
      accessKey,
      endsAt: new Date(asksUntil + lastsSeconds * 1_000),
    };
  }

  /** Builds the equivalent authorization request, which asks the user and ends at the redirect URI that the code is bound to. */
  private authorizeUrl({ input, redirectUri }: BoundRequest): string {
    const { client_id, state, scope, device, resource, code_challenge, code_challenge_method } = input;
    const iframe = input.iframe ? '1' : undefined;
    const request = { client_id, response_type: 'code', redirect_uri: redirectUri, scope: scope ?? DEFAULT_SCOPE, state };
    const optional = { device, resource, code_challenge, code_challenge_method, iframe };
    const given = Object.entries(optional).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return `${this.config.publicUrl}/v4/authorize?${new URLSearchParams([...Object.entries(request), ...given])}`;
  }

  /** Issues a code for the normal exchange at POST /v4/token, where state and device are checked as for any code. */
  private async issue(authorization: Authorization, requested: RequestedAccess, request: BoundRequest): Promise<string> {
    const { provider } = this.oidc;
    const client = await provider.Client.find(requested.clientId);
    if (!client) throw new Error('The client was found a moment ago.');
    const { input, redirectUri } = request;
    const { acr, amr, authTime } = request.authentication;
    const code = new provider.AuthorizationCode({
      accountId: String(requested.userId),
      client,
      gty: 'authorization_code',
      grantId: authorization.grantId,
      redirectUri,
      scope: requested.scope,
      resource: requested.resources[0],
      ...(authTime !== undefined && { authTime }), // none without a sign-in of the person, as after a signed request
      ...(acr && { acr }),
      ...(amr && { amr: [...amr] }),
      ...(input.code_challenge ? { codeChallenge: input.code_challenge, codeChallengeMethod: 'S256' } : {}),
    });
    const value = await code.save();
    const { state, device, iframe } = input;
    await this.records.amend('AuthorizationCode', value, { state, device, iframe, withoutRedirect: !input.redirect_uri });
    return value;
  }
}

function redirectUriOf({ redirectUris }: Client, given: string | undefined): string {
  if (given && !redirectUris.includes(given)) {
    throw oauthErrors.redirect_uri_not_registered('redirect_uri is not registered for this client.');
  }
  return given || (redirectUris[0] ?? '');
}
