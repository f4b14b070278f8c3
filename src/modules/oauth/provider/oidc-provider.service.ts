import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { errors, type InteractionResults, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { TrustedOriginsService } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Config } from '../../../shared/config/index.js';
import { asDomainError, httpErrors, methodNotAllowed, RateLimitsService, type Step, sendProblem } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { ProblemPagesService } from '../../../shared/web/index.js';
import { AuthorizationsService, type KeySet, ServerKeysService } from '../../access/index.js';
import { PrincipalsService } from '../../accounts/index.js';
import { SingleSignOnService } from '../../saml/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { oauthErrors } from '../oauth.errors.js';
import { hasFramedCookie, useFramedCookies } from '../sessions/framed-cookies.js';
import { readForm, UnreadableBody } from '../tokens/form-request.js';
import { TokenRequestsService } from '../tokens/token-requests.service.js';
import { deviceHeader, FRAME_MESSAGE, isFrameMode, translateAuthorizeQuery } from './authorize-request.js';
import { OidcRecordsRepository } from './oidc-records.repository.js';
import { startProtocolRequest, startTokenRequest } from './protocol-request.js';
import { ProviderAnswersService } from './provider-answers.service.js';
import { providerConfiguration } from './provider-configuration.js';
import { compareStoredSecrets, deriveSuccessors, matchRedirectUrisExactly, rememberAsTicked } from './provider-internals.js';
import { ProviderPagesService } from './provider-pages.service.js';

/** The routes that oidc-provider answers; HEAD counts as GET. */
export const PROVIDER_ROUTES = [
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/openid-configuration',
  'GET /v4/authorize',
  'GET /v4/authorize/:uid',
  'GET /v4/jwks',
  'GET /v4/logout',
  'GET /v4/logout/success',
  'POST /v4/logout',
  'POST /v4/logout/confirm',
  'POST /v4/token',
] as const;

const ROUTES = PROVIDER_ROUTES.map((route) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(':uid', '[^/]+')}$`) };
});

/** The parameters of OpenID Connect RP-Initiated Logout 1.0, section 2. */
const LOGOUT_PARAMETERS = ['id_token_hint', 'logout_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'];

/** A request of a browser to an interaction page, and its response. */
export interface BrowserExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * Runs oidc-provider as a step of the front pipeline. A key rotation replaces the Provider by a new one, because all state that outlives a
 * request is in PostgreSQL.
 */
@Injectable()
export class OidcProviderService implements OnApplicationBootstrap {
  private current: {
    readonly provider: Provider;
    readonly callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  };

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly secrets: SecretBoxService,
    private readonly keys: ServerKeysService,
    private readonly principals: PrincipalsService,
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
    private readonly records: OidcRecordsRepository,
    private readonly pages: ProviderPagesService,
    private readonly problemPages: ProblemPagesService,
    private readonly singleSignOn: SingleSignOnService,
    private readonly limiter: RateLimitsService,
    private readonly tokenRequests: TokenRequestsService,
    private readonly answers: ProviderAnswersService,
    private readonly origins: TrustedOriginsService,
  ) {
    keys.onChange((changed) => this.use(changed));
  }

  async onApplicationBootstrap(): Promise<void> {
    this.use(await this.keys.current());
  }

  /** The provider with the current keys. */
  get provider(): Provider {
    return this.current.provider;
  }

  /** The step of the front pipeline that answers the protocol's paths. */
  readonly step: Step = (request, response, next) => {
    const { pathname, search } = splitUrl(request.url ?? '');
    const path = pathname.replace(/\/$/, ''); // a trailing slash means nothing, as in Express
    const methods = methodsOf(path);
    if (methods.length === 0) return next();
    if (!methods.includes(request.method ?? '')) return sendProblem(request, response, methodNotAllowed(methods));
    if (path !== pathname) request.url = search === '' ? path : `${path}?${search}`;
    this.handle(request, response, { path, search }).catch((error: unknown) => {
      if (!isAuthorization(path) && !isLogout(path)) return next(error);
      if (!this.sendJsonError(error, request, response)) this.problemPages.send(error, request, response);
    });
  };

  /** Sends an error of a protocol endpoint as JSON (RFC 6749); false for other paths, and for clients that prefer pages. */
  sendJsonError(error: unknown, request: IncomingMessage, response: ServerResponse): boolean {
    const path = splitUrl(request.url ?? '').pathname;
    if (request.method === 'POST' && /^\/v4\/(token|revoke)\/?$/.test(path)) return this.tokenRequests.sendError(error, response);
    if (!isAuthorization(path)) return false;
    return this.pages.sendJsonError(this.provider.createContext(request, response), error);
  }

  private async handle(request: IncomingMessage, response: ServerResponse, url: { path: string; search: string }): Promise<void> {
    this.origins.checkForm(request);
    if (url.path === '/v4/authorize') {
      const { headerPrefixes, resources } = this.config;
      const surroundings = { deviceHeader: deviceHeader(request.headers, headerPrefixes), resources };
      const query = translateAuthorizeQuery(new URLSearchParams(url.search), surroundings);
      const client = await this.clients.find(query.get('client_id') ?? '');
      const key = `${request.context.clientNetwork}|${client?.clientId ?? ''}|authorize`; // an unknown client id gets no limit of its own
      await this.limiter.consume('api', key, response);
      request.url = `${url.path}?${query}`;
    }
    if (url.path === '/v4/logout' && request.method === 'POST') return await this.askBeforeLogout(request, response);
    if (url.path === '/v4/token') return await this.handleToken(request, response);
    const isFramed = belongsToFrame(request, url.path);
    if (isFramed) useFramedCookies(request);
    startProtocolRequest(request, { isFramed });
    await this.current.callback(request, response);
  }

  private async handleToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const token = await this.tokenRequests.prepare(request, response);
      startTokenRequest(request, token);
    } catch (error) {
      if (!this.tokenRequests.sendError(error, response)) throw error;
      return;
    }
    await this.current.callback(request, response);
  }

  /** Finds the browser's sign-in or consent in progress. @throws DomainError 400 `session_not_found` if it has expired or is another browser's */
  async findInteraction({ request, response }: BrowserExchange): Promise<Interaction> {
    return await translated(this.provider.interactionDetails(request, response));
  }

  /** Returns the browser to the authorization request with the person's answer. @throws DomainError 400 `session_not_found` */
  async finishInteraction(
    { request, response }: BrowserExchange,
    result: InteractionResults,
    options?: { mergeWithLastSubmission: boolean },
  ): Promise<void> {
    await translated(this.provider.interactionFinished(request, response, result, options));
  }

  /**
   * Stores a sign-in, made now, with its interaction, and returns the address at which the browser continues the authorization request.
   * @throws DomainError 400 `session_not_found`
   */
  async storeLogin({ request, response }: BrowserExchange, login: NonNullable<InteractionResults['login']>): Promise<string> {
    const ts = Math.floor(this.clock.now().getTime() / 1000);
    const options = { mergeWithLastSubmission: false };
    return await translated(this.provider.interactionResult(request, response, { login: { ...login, ts } }, options));
  }

  /**
   * Redirects a sign-out that was sent as a form to a GET. Browsers do not send the session cookie with a POST from another site, for which
   * oidc-provider would start a new session and so sign the person out without asking.
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
      this.problemPages.send(httpErrors.malformed_request(error.message), request, response);
    }
  }

  private use(keys: KeySet): void {
    const { config, clock, records, authorizations, clients, principals, singleSignOn, pages } = this;
    const parts = { config, clock, records, authorizations, clients, principals, singleSignOn, pages, keys };
    const configuration = providerConfiguration(parts);
    const provider = new Provider(config.publicUrl, configuration);
    provider.proxy = true; // beginRequest() sets the forwarded headers from PUBLIC_URL
    compareStoredSecrets(provider, clients);
    matchRedirectUrisExactly(provider);
    rememberAsTicked(provider);
    deriveSuccessors(provider, this.secrets);
    provider.registerResponseMode(FRAME_MESSAGE, (ctx, redirectUri, answer) => pages.renderFrameResult(ctx, redirectUri, answer));
    provider.use(async (context, next) => {
      const ctx = context as unknown as KoaContextWithOIDC;
      try {
        await next();
        await this.answers.complete(ctx);
      } catch (error) {
        this.refuse(ctx, error as Error);
      }
    });
    this.logErrors(provider);
    this.current = { provider, callback: provider.callback() as (request: IncomingMessage, response: ServerResponse) => Promise<void> };
  }

  /** Logs the exact reason of an error, without the parameters; the public response says little. */
  private logErrors(provider: Provider): void {
    const line = (ctx: KoaContextWithOIDC, error: { error?: string; error_detail?: string; error_description?: string }) =>
      this.log.info(
        { requestId: ctx.req.context.id, error: error.error, detail: error.error_detail ?? error.error_description },
        'oauth error',
      );
    provider.on('grant.error', line);
    provider.on('authorization.error', line);
    provider.on('server_error', (ctx, err) => this.reportUnexpected(ctx, err));
  }

  /** Answers a failure outside of oidc-provider's own error handling as that does. */
  private refuse(ctx: KoaContextWithOIDC, error: Error): void {
    const out = { error: 'server_error', error_description: 'The request could not be completed. Try it again later.' };
    ctx.status = 500;
    ctx.remove('location');
    if (ctx.accepts('json', 'html') === 'html') this.pages.renderError(ctx, out, error);
    else ctx.body = out;
    this.reportUnexpected(ctx, error);
  }

  private reportUnexpected(ctx: KoaContextWithOIDC, err: Error): void {
    this.log.error({ requestId: ctx.req.context.id, err }, 'unexpected error');
    if (ctx.status === 500) reportUnavailable(ctx, err);
  }
}

/** Replaces oidc-provider's status 500 while the database is unavailable, because the same request may succeed later. */
function reportUnavailable(ctx: KoaContextWithOIDC, error: Error): void {
  const known = asDomainError(error);
  if (known?.kind !== 'unavailable') return;
  ctx.status = 503;
  ctx.set('retry-after', String(known.extras.retryAfter));
  if (ctx.response.is('json')) ctx.body = { error: 'temporarily_unavailable', error_description: known.detail };
}

/** Whether a request is a step of a sign-in inside a frame, which has separate cookies. */
function belongsToFrame({ url, headers }: IncomingMessage, path: string): boolean {
  if (path === '/v4/authorize') return isFrameMode(new URLSearchParams(splitUrl(url ?? '').search).get('iframe'));
  if (path.startsWith('/v4/authorize/')) return hasFramedCookie(headers.cookie, 'interaction_resume');
  // When another person signs in, oidc-provider ends the old session here. Browsers with partitioned cookies send Sec-Fetch-Dest.
  return path === '/v4/logout/confirm' && headers['sec-fetch-dest'] === 'iframe' && hasFramedCookie(headers.cookie, 'session');
}

const isAuthorization = (path: string): boolean => path === '/v4/authorize' || path.startsWith('/v4/authorize/');

const isLogout = (path: string): boolean => path === '/v4/logout' || path.startsWith('/v4/logout/');

/** The methods with which oidc-provider answers a path; empty: it continues in the pipeline. */
function methodsOf(path: string): string[] {
  const methods = ROUTES.flatMap(({ method, pattern }) => (pattern.test(path) ? method : []));
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

function splitUrl(url: string): { pathname: string; search: string } {
  const at = url.indexOf('?');
  return at === -1 ? { pathname: url, search: '' } : { pathname: url.slice(0, at), search: url.slice(at + 1) };
}

async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
    throw oauthErrors.session_not_found('No sign-in is in progress in this browser.');
  }
}
