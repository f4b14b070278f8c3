import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Config } from '../../../shared/config/index.js';
import { httpErrors, RateLimiter, type Step } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SecretBox } from '../../../shared/secrets/index.js';
import { Clock } from '../../../shared/time/index.js';
import { AuthorizationsService, type KeySet, ServerKeysService } from '../../access/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import { SingleSignOnService } from '../../saml/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { formTarget } from '../clients/form-target.js';
import { frameAncestors } from '../frames/frame-ancestors.js';
import { frameCookies, hasFramedCookie, useFramedCookies, usesFramedCookies } from '../frames/framed-cookies.js';
import { SupportTokens } from '../token-endpoint/support-tokens.js';
import { TokenRequests } from '../token-endpoint/token-request.js';
import { deviceHeader, FRAME_MESSAGE, isFrameMode, translateAuthorizeQuery } from './authorize-request.js';
import { ErrorPages } from './error-pages.js';
import { OidcRecordsRepository } from './oidc-records.repository.js';
import { providerConfiguration } from './provider-configuration.js';
import { compareStoredSecrets, deriveSuccessors, matchRedirectUrisExactly, rememberAsTicked } from './provider-internals.js';
import { ProviderPages } from './provider-pages.js';
import { readForm, UnreadableBody } from './read-form.js';
import { requestScope } from './request-scope.js';
import { extendTokenResponse } from './token-response.js';

const READ_PATHS =
  /^\/(v4\/(authorize(\/[^/]+)?|jwks|logout(\/success)?)|\.well-known\/(openid-configuration|oauth-authorization-server))$/;
const WRITE_PATHS = /^\/v4\/(token|logout(\/confirm)?)$/;

/** OpenID Connect RP-Initiated Logout 1.0, section 2. */
const LOGOUT_PARAMETERS = ['id_token_hint', 'logout_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'];

/**
 * oidc-provider as one step of the pipeline. A key rotation makes a new Provider and swaps it in: everything that lives longer than a
 * request is in PostgreSQL.
 */
@Injectable()
export class OidcProvider implements OnApplicationBootstrap {
  private current: {
    readonly provider: Provider;
    readonly callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  };

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly secrets: SecretBox,
    private readonly keys: ServerKeysService,
    private readonly principals: PrincipalsService,
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
    private readonly records: OidcRecordsRepository,
    private readonly pages: ProviderPages,
    private readonly errorPages: ErrorPages,
    private readonly singleSignOn: SingleSignOnService,
    private readonly limiter: RateLimiter,
    private readonly tokenRequests: TokenRequests,
    private readonly supportTokens: SupportTokens,
  ) {
    keys.onChange((changed) => this.use(changed));
  }

  async onApplicationBootstrap(): Promise<void> {
    this.use(await this.keys.current());
  }

  /** The provider with the keys in force. */
  get provider(): Provider {
    return this.current.provider;
  }

  /** The step that answers the protocol's own paths. */
  readonly step: Step = (request, response, next) => {
    const { pathname: path, search } = splitUrl(request.url ?? '');
    if (!isOurs(request.method, path)) return next();
    this.handle(request, response, { path, search }).catch((error: unknown) => {
      if (!isAuthorization(path)) return next(error);
      if (!this.sendJsonError(error, request, response)) this.errorPages.send(error, request, response);
    });
  };

  /** Answers an error of a protocol endpoint, found here or before, with RFC 6749's JSON; false: another path, or a client that reads pages. */
  sendJsonError(error: unknown, request: IncomingMessage, response: ServerResponse): boolean {
    const path = splitUrl(request.url ?? '').pathname;
    if (request.method === 'POST' && /^\/v4\/(token|revoke)\/?$/.test(path)) return this.tokenRequests.sendError(error, response);
    if (!isAuthorization(path)) return false;
    return this.pages.sendJsonError(this.provider.createContext(request, response), error);
  }

  private async handle(request: IncomingMessage, response: ServerResponse, url: { path: string; search: string }): Promise<void> {
    if (url.path === '/v4/authorize') {
      const { headerPrefixes, resources } = this.config;
      const surroundings = { deviceHeader: deviceHeader(request.headers, headerPrefixes), resources };
      const query = translateAuthorizeQuery(new URLSearchParams(url.search), surroundings);
      const client = await this.clients.find(query.get('client_id') ?? '');
      const key = `${request.context.clientNetwork}|${client?.clientId ?? ''}|authorize`; // an invented client gets no window of its own
      await this.limiter.consume('api', key, response);
      request.url = `${url.path}?${query}`;
    }
    if (url.path === '/v4/logout' && request.method === 'POST') return await this.askBeforeLogout(request, response);
    if (belongsToFrame(request, url.path)) useFramedCookies(request);
    if (url.path === '/v4/token' && !(await this.tokenRequests.prepare(request, response))) return;
    await this.current.callback(request, response);
  }

  /**
   * A sign-out that was sent as a form goes on as a GET. Browsers send the cookie of the session with that one, not with a POST from another
   * site, where oidc-provider would begin a new session and so sign the person out without asking.
   */
  private async askBeforeLogout(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readForm(request);
      const sent = LOGOUT_PARAMETERS.filter((name) => body[name] !== undefined).map((name): [string, string] => [name, String(body[name])]);
      response
        .writeHead(303, { location: `/v4/logout?${new URLSearchParams(sent)}`, 'cache-control': 'no-store', 'content-length': 0 })
        .end();
    } catch (error) {
      if (!(error instanceof UnreadableBody)) throw error;
      this.errorPages.send(httpErrors.malformed_request(error.message), request, response);
    }
  }

  private use(keys: KeySet): void {
    const { config, clock, records, authorizations, clients, principals, singleSignOn, pages } = this;
    const parts = { config, clock, records, authorizations, clients, principals, singleSignOn, pages, keys };
    const configuration = providerConfiguration(parts);
    const provider = new Provider(config.publicUrl, configuration);
    provider.proxy = true; // beginRequest() has set the forwarded headers from PUBLIC_URL
    compareStoredSecrets(provider, clients);
    matchRedirectUrisExactly(provider);
    rememberAsTicked(provider);
    deriveSuccessors(provider, this.secrets);
    provider.registerResponseMode(FRAME_MESSAGE, (ctx, redirectUri, answer) => pages.renderFrameResult(ctx, redirectUri, answer));
    provider.use(async (ctx, next) => {
      await next();
      await this.finish(ctx as unknown as KoaContextWithOIDC);
    });
    this.logErrors(provider);
    this.current = { provider, callback: provider.callback() as (request: IncomingMessage, response: ServerResponse) => Promise<void> };
  }

  /** What the contract wants differently of an answer. */
  private async finish(ctx: KoaContextWithOIDC): Promise<void> {
    const route = ctx.oidc?.route;
    if (!ctx.response.get('access-control-allow-credentials')) withoutCors(ctx);
    if (route === 'authorization' || route === 'resume') {
      if (ctx.status === 303) ctx.status = 302;
      if (ctx.oidc.entities.AuthorizationCode) await this.recordLogin(ctx);
      if (ctx.type === 'text/html') allowFormToClient(ctx);
      if (requestParams(ctx).for_frame) ctx.set('cross-origin-opener-policy', 'unsafe-none'); // or the frame that opened it is lost
    }
    if (route === 'end_session' && ctx.type === 'text/html') allowFormTo(ctx, postLogoutRedirectUri(ctx));
    if (usesFramedCookies(ctx.req)) await this.finishFrame(ctx);
    if (route === 'token') await this.finishToken(ctx);
    if (route === 'discovery') (ctx.body as Record<string, unknown>).response_types_supported = ['code'];
  }

  private async finishToken(ctx: KoaContextWithOIDC): Promise<void> {
    const { support } = requestScope(ctx.req);
    if (ctx.status === 200 && support) await this.supportTokens.record(support);
    await extendTokenResponse(ctx, this.principals);
  }

  /** Cookies and pages as a frame on the client's pages needs them. */
  private async finishFrame(ctx: KoaContextWithOIDC): Promise<void> {
    frameCookies(ctx.res);
    if (ctx.type !== 'text/html') return;
    const client = await this.clients.find(String(requestParams(ctx).client_id ?? ''));
    const origins = frameAncestors(client?.redirectUris ?? []);
    if (origins.length === 0) return;
    const policy = ctx.response.get('content-security-policy');
    ctx.set('content-security-policy', policy.replace("frame-ancestors 'none'", `frame-ancestors ${origins.join(' ')}`));
    ctx.remove('x-frame-options'); // it cannot name origins
  }

  private async recordLogin(ctx: KoaContextWithOIDC): Promise<void> {
    const { authorization } = requestScope(ctx.req);
    const { env, platform, version, legacy_resource: legacyResource } = ctx.oidc.params ?? {};
    if (!authorization) return;
    await this.authorizations.recordLogin(authorization.grantId, {
      ip: ctx.req.context.clientAddress,
      userAgent: ctx.get('user-agent').slice(0, 512) || null,
      env: text(env),
      platform: text(platform),
      version: text(version),
      legacyResource: text(legacyResource),
    });
  }

  /** The public answer says little; what exactly was wrong stands in the log, without the parameters. */
  private logErrors(provider: Provider): void {
    const line = (ctx: KoaContextWithOIDC, error: { error?: string; error_detail?: string; error_description?: string }) =>
      this.log.info(
        { requestId: ctx.req.context.id, error: error.error, detail: error.error_detail ?? error.error_description },
        'oauth error',
      );
    provider.on('grant.error', line);
    provider.on('authorization.error', line);
    provider.on('server_error', (ctx, err) => this.log.error({ requestId: ctx.req.context.id, err }, 'unexpected error'));
  }
}

/** Our own step has decided whether the origin may read the answer; oidc-provider would let anybody. */
function withoutCors(ctx: KoaContextWithOIDC): void {
  for (const name of Object.keys(ctx.response.headers)) if (name.startsWith('access-control-')) ctx.remove(name);
}

/** oidc-provider's own forms (response_mode=form_post, another person signs in) lead to the client, at once or by redirects. */
function allowFormToClient(ctx: KoaContextWithOIDC): void {
  const { client, params, entities } = ctx.oidc;
  allowFormTo(ctx, entities.Interaction?.params.redirect_uri ?? client?.redirectUris?.find((uri) => uri === params?.redirect_uri));
}

/** Lets a form of this page end, by redirects, at a URI that was checked. */
function allowFormTo(ctx: KoaContextWithOIDC, checked: unknown): void {
  const target = typeof checked === 'string' ? formTarget(checked) : null;
  const policy = ctx.response.get('content-security-policy');
  if (target) ctx.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${target}`));
}

/** Where the browser goes after the sign-out; oidc-provider notes it in the session once it has found it among those of the client. */
const postLogoutRedirectUri = ({ oidc }: KoaContextWithOIDC): unknown =>
  (oidc.session?.state as { postLogoutRedirectUri?: string } | undefined)?.postLogoutRedirectUri;

/** The authorization request that is answered, also while it waits for the person. */
const requestParams = ({ oidc }: KoaContextWithOIDC): Readonly<Record<string, unknown>> =>
  oidc.entities.Interaction?.params ?? oidc.params ?? {};

/** Whether a request is a step of a sign-in inside a frame, which has cookies of its own. */
function belongsToFrame({ url, headers }: IncomingMessage, path: string): boolean {
  if (path === '/v4/authorize') return isFrameMode(new URLSearchParams(splitUrl(url ?? '').search).get('iframe'));
  if (path.startsWith('/v4/authorize/')) return hasFramedCookie(headers.cookie, 'interaction_resume');
  // When another person signs in, oidc-provider ends the old session here. Browsers with partitioned cookies send Sec-Fetch-Dest.
  return path === '/v4/logout/confirm' && headers['sec-fetch-dest'] === 'iframe' && hasFramedCookie(headers.cookie, 'session');
}

const isAuthorization = (path: string): boolean => path === '/v4/authorize' || path.startsWith('/v4/authorize/');

/** Anything else is left to what answers unknown paths. */
const isOurs = (method: string | undefined, path: string): boolean =>
  ((method === 'GET' || method === 'HEAD') && READ_PATHS.test(path)) || (method === 'POST' && WRITE_PATHS.test(path));

function splitUrl(url: string): { pathname: string; search: string } {
  const at = url.indexOf('?');
  return at === -1 ? { pathname: url, search: '' } : { pathname: url.slice(0, at), search: url.slice(at + 1) };
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
