import { Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AuthorizationsService, toTokenResponseFields } from '../../access/index.js';
import { type Principal, PrincipalsService } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { frameAncestors, restoreRegisteredUri } from '../clients/redirect-uris.js';
import { frameCookies } from '../sessions/framed-cookies.js';
import { type SupportToken, TokenChecksService } from '../tokens/token-checks.service.js';
import { protocolRequest, recordKey } from './protocol-request.js';
import { ProviderPagesService } from './provider-pages.service.js';

/** Extends the responses of oidc-provider: headers, cookies of frames, the record of a login, fields of the token response. */
@Injectable()
export class ProviderAnswersService {
  constructor(
    private readonly authorizations: AuthorizationsService,
    private readonly principals: PrincipalsService,
    private readonly clients: ClientsService,
    private readonly tokenChecks: TokenChecksService,
    private readonly pages: ProviderPagesService,
  ) {}

  /** Completes a response of oidc-provider as the contract requires. */
  async complete(ctx: KoaContextWithOIDC): Promise<void> {
    const route = ctx.oidc?.route;
    if (!ctx.response.get('access-control-allow-credentials')) withoutCors(ctx);
    if (route === 'authorization' || route === 'resume') {
      if (ctx.status === 303) ctx.status = 302;
      restoreLocation(ctx, [requestParams(ctx).redirect_uri]);
      if (replacesSession(ctx)) await this.pages.askToReplaceSession(ctx);
      if (ctx.oidc.entities.AuthorizationCode) await this.recordLogin(ctx);
      if (ctx.type === 'text/html') allowFormToClient(ctx); // response_mode=form_post, the sign-in of another person
      if (requestParams(ctx).for_frame) ctx.set('cross-origin-opener-policy', 'unsafe-none'); // otherwise the window loses its opener, the frame
    }
    if (route === 'end_session' && postLogoutRedirectUri(ctx)) allowFormToClient(ctx);
    if (route === 'end_session' || route === 'end_session_confirm') restoreLocation(ctx, ctx.oidc.client?.postLogoutRedirectUris ?? []);
    if (protocolRequest(ctx.req).isFramed) await this.completeFrame(ctx);
    if (route === 'token') await this.completeToken(ctx);
    if (route === 'discovery') (ctx.body as Record<string, unknown>).response_types_supported = ['code'];
  }

  /** Adds the fields of the specification's Token response, including the deprecated duplicates. */
  private async completeToken(ctx: KoaContextWithOIDC): Promise<void> {
    const { token, records, accessTokenExpiresAt: expiresAt } = protocolRequest(ctx.req);
    const support = token?.support ?? null;
    if (ctx.status === 200 && support) await this.tokenChecks.recordVisit(support);
    const body = ctx.body as { readonly access_token?: string } | undefined;
    if (ctx.status !== 200 || !body?.access_token) return;
    const { client, entities, body: sent } = ctx.oidc;
    // The value of the authorization request or requestCode is stored with the code; for other grants it is the one sent here.
    const code = entities.AuthorizationCode;
    const sentState = typeof sent?.state === 'string' ? sent.state : undefined;
    const state = code ? records.get(recordKey('AuthorizationCode', code.jti))?.payload.state : sentState;
    const user = await this.findUser(ctx, support);
    const fields = { accessToken: body.access_token, expiresAt, clientId: client?.clientId, user, state };
    ctx.body = { ...body, ...toTokenResponseFields({ ...fields, ...(support && { supportUserId: support.staffId }) }) };
  }

  private async findUser({ oidc }: KoaContextWithOIDC, support: SupportToken | null): Promise<Principal | null> {
    if (support) return await this.principals.find(support.userId);
    const account = oidc.account as { principal?: Principal } | undefined;
    if (account?.principal) return account.principal;
    const serviceUserId = oidc.client?.service_user_id;
    return typeof serviceUserId === 'number' ? await this.principals.find(serviceUserId) : null;
  }

  /** Adapts cookies and page headers to a frame on the client's pages. */
  private async completeFrame(ctx: KoaContextWithOIDC): Promise<void> {
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
    const { authorization } = protocolRequest(ctx.req);
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
}

/** Whether the response is the page with which oidc-provider ends the session of a person because another one has signed in. */
function replacesSession({ type, oidc }: KoaContextWithOIDC): boolean {
  const login = oidc.entities.Interaction?.result?.login as { readonly accountId?: string } | undefined;
  const accountId = oidc.session?.accountId;
  return type === 'text/html' && login !== undefined && accountId !== undefined && login.accountId !== accountId;
}

/** Redirects to the one of these registered URIs from which oidc-provider built the address, byte by byte. */
function restoreLocation(ctx: KoaContextWithOIDC, registered: readonly unknown[]): void {
  const address = ctx.response.get('location') as string | undefined; // Koa's types do not say so
  if (!address) return;
  for (const uri of registered) {
    const exact = typeof uri === 'string' ? restoreRegisteredUri(address, uri) : null;
    if (exact !== null) return ctx.set('location', exact);
  }
}

/** Removes CORS headers: the front pipeline decides which origins may read the response, while oidc-provider would permit any. */
function withoutCors(ctx: KoaContextWithOIDC): void {
  for (const name of Object.keys(ctx.response.headers)) if (name.startsWith('access-control-')) ctx.remove(name);
}

/** Lets a form of this page end at a client (`formsLeadToClients` of PolicyOptions). */
function allowFormToClient(ctx: KoaContextWithOIDC): void {
  const directives = ctx.response.get('content-security-policy').split(';');
  ctx.set('content-security-policy', directives.filter((directive) => !/^\s*form-action\b/.test(directive)).join(';'));
}

/** The URI to which the browser returns after the sign-out; oidc-provider stores it in the session after checking it. */
const postLogoutRedirectUri = ({ oidc }: KoaContextWithOIDC): string | undefined =>
  (oidc.session?.state as { postLogoutRedirectUri?: string } | undefined)?.postLogoutRedirectUri;

/** The parameters of the current authorization request, also while it waits for the person. */
const requestParams = ({ oidc }: KoaContextWithOIDC): Readonly<Record<string, unknown>> =>
  oidc.entities.Interaction?.params ?? oidc.params ?? {};

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
