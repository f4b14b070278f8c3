import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { DomainError } from '../../../shared/errors.js';
import { allowFraming } from '../../../shared/web/index.js';
import { AuthorizationsService } from '../../access/index.js';
import { PasswordLoginService, PrincipalsService } from '../../accounts/index.js';
import { SingleSignOnService } from '../../saml/index.js';
import { requestsMfa } from '../authentication-context.js';
import { ClientsService } from '../clients/clients.service.js';
import { frameAncestors, hasExactAncestors } from '../clients/redirect-uris.js';
import { oauthErrors } from '../oauth.errors.js';
import { toAuthorizeQuery } from '../provider/authorize-request.js';
import { type BrowserExchange as Exchange, type Interaction, OidcProviderService } from '../provider/oidc-provider.service.js';
import { knownScopes } from '../scopes.js';
import { frameCookies, hasFramedCookie, hasPathCookie, useFramedCookies } from '../sessions/framed-cookies.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { KnownBrowsersService } from './known-browsers.service.js';
import type { PendingInteraction } from './pending-interaction.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The reasons for which oidc-provider requires a login although there may be a session. */
const FRESH_LOGIN = new Set(['login_prompt', 'max_age', 'second_factor']);

const needsWindow = () => oauthErrors.consent_needs_window('This question must be answered in a separate window, not inside another page.');

const DENIED = { error: 'access_denied', error_description: 'the user declined' };

/** A framed authorization request whose cookies did not come back. */
export interface BlockedFrame {
  readonly clientName: string | null;
  readonly redirectUri: string;
  /** Whether the page around the frame waits for a message (`iframe=2`). */
  readonly byMessage: boolean;
  /** The parameters with which to repeat the request. */
  readonly query: URLSearchParams;
}

/** Handles sign-in and consent, the two interactions that an authorization request may require. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly config: Config,
    private readonly oidc: OidcProviderService,
    private readonly passwordLogin: PasswordLoginService,
    private readonly principals: PrincipalsService,
    private readonly clients: ClientsService,
    private readonly authorizations: AuthorizationsService,
    private readonly sessions: SessionsService,
    private readonly knownBrowsers: KnownBrowsersService,
    private readonly steps: SignInStepsService,
    private readonly singleSignOn: SingleSignOnService,
  ) {}

  /** Returns the interaction of the browser's cookie. Throws `session_not_found` if it has expired or belongs to another browser. */
  async pending({ request, response }: Exchange): Promise<PendingInteraction> {
    const isFramed = hasFramedCookie(request.headers.cookie, 'interaction');
    if (isFramed) useFramedCookies(request);
    const interaction = await this.oidc.findInteraction({ request, response });
    await this.allowFrame(response, interaction.params);
    return { ...(await this.toPending(interaction)), isFramed };
  }

  private async toPending({ uid, prompt, params, session, result, returnTo }: Interaction): Promise<PendingInteraction> {
    const { client_id, redirect_uri, device, scope, offline, resource, login_hint, ssoIdentifier, acr_values } = params as Record<
      string,
      string | undefined
    >;
    const client = await this.clients.find(client_id ?? '');
    return {
      uid,
      isFramed: false,
      prompt: prompt.name,
      clientId: client_id ?? '',
      accountId: session?.accountId ? Number(session.accountId) : null,
      redirectUri: redirect_uri ?? '',
      device: device || null,
      scope: knownScopes(`${scope ?? ''}${offline ? ' offline_access' : ''}`).join(' '),
      resources: resource ? [resource].flat() : [this.config.publicUrl],
      loginHint: login_hint ?? '',
      ssoIdentifier: ssoIdentifier || null,
      forceAuthn: prompt.reasons.some((reason) => FRESH_LOGIN.has(reason)),
      requestsMfa: requestsMfa(acr_values),
      needsWindow: Boolean(params.iframe) && !(client?.framedConsent && hasExactAncestors(client.redirectUris)),
      goOnAt: prompt.name === 'consent' && (result?.consent || result?.error) ? returnTo : null,
    };
  }

  /**
   * Returns the consent that a frame is waiting for, for the window that it opened. The window has other cookies; the ticket, which only the frame
   * received, replaces them. Throws `consent_needs_window` if the browser reports that this is not a page of a top-level window, `not_signed_in` if the
   * frame no longer waits, or its session has ended.
   */
  async pendingInWindow({ request, response }: Exchange, uid: string): Promise<PendingInteraction> {
    if ((request.headers['sec-fetch-dest'] ?? 'document') !== 'document') throw needsWindow();
    const { Interaction, Session } = this.oidc.provider;
    const interaction = await Interaction.find(uid);
    const session = interaction?.session?.uid ? await Session.findByUid(interaction.session.uid) : undefined;
    if (interaction?.prompt.name !== 'consent' || !session || session.accountId !== interaction.session?.accountId) {
      throw oauthErrors.not_signed_in('The application is no longer waiting for this response. Go back to it and start again.');
    }
    response.setHeader('cross-origin-opener-policy', 'unsafe-none'); // otherwise the window loses its opener, the frame
    return await this.toPending(interaction);
  }

  /** Records the answer given in a window; the frame continues with it. */
  async answerInWindow(pending: PendingInteraction, allowed: boolean): Promise<void> {
    const interaction = await this.oidc.provider.Interaction.find(pending.uid);
    if (!interaction) return; // the frame has continued in the meantime
    interaction.result = allowed ? { ...interaction.lastSubmission, consent: { grantId: await this.grant(pending) } } : DENIED;
    await interaction.persist();
  }

  /** Finds the framed request with this uid if the browser sent no cookie for it; otherwise null. */
  async findBlockedFrame({ request, response }: Exchange, uid: string): Promise<BlockedFrame | null> {
    if (hasPathCookie(request.headers.cookie, 'interaction')) return null;
    const params = (await this.oidc.provider.Interaction.find(uid))?.params ?? {};
    if (!params.iframe) return null;
    await this.allowFrame(response, params);
    const client = await this.clients.find(String(params.client_id));
    return {
      clientName: client?.name ?? null,
      redirectUri: String(params.redirect_uri),
      byMessage: params.iframe === '2',
      query: toAuthorizeQuery(params),
    };
  }

  /** Sets the headers that permit the client's pages around the frame, or keep the connection to the frame that opened the window. */
  private async allowFrame(response: ServerResponse, params: Readonly<Record<string, unknown>>): Promise<void> {
    if (params.iframe) allowFraming(response, frameAncestors((await this.clients.find(String(params.client_id)))?.redirectUris ?? []));
    if (params.for_frame) response.setHeader('cross-origin-opener-policy', 'unsafe-none');
  }

  /**
   * Checks the password, and signs the person in unless a second factor is necessary. True: the response was sent; false: the interaction page asks
   * for the next step.
   * @throws DomainError `login_failed`, `login_delayed`
   */
  async signIn(
    exchange: Exchange,
    pending: PendingInteraction,
    credentials: { email: string; password: string; remember: boolean },
  ): Promise<boolean> {
    const { request } = exchange;
    const user = await this.passwordLogin.signIn({
      email: credentials.email,
      password: credentials.password,
      clientNetwork: request.context.clientNetwork,
      knownBrowser: (user) => this.knownBrowsers.recognise(request, user),
    });
    return await this.steps.continueAfterPassword(exchange, pending, { user, remember: credentials.remember });
  }

  /** Returns the URL of the identity provider to redirect the browser to, which later returns to `finishSingleSignOn`. */
  async startSingleSignOn(exchange: Exchange, { uid, isFramed, forceAuthn }: PendingInteraction, ssoIdentifier: string): Promise<string> {
    const address = await this.singleSignOn.startLogin(exchange, { ssoIdentifier, forceAuthn, returnTo: `/v4/interaction/${uid}/sso` });
    if (isFramed) frameCookies(exchange.response);
    return address;
  }

  /** Whether the person signs in at an identity provider next. */
  async beginsAtIdentityProvider(pending: PendingInteraction): Promise<boolean> {
    return pending.prompt === 'login' && pending.ssoIdentifier !== null && !(await this.steps.find(pending));
  }

  /**
   * Signs in the person of the handle, unless a step of this service is necessary. True: the response was sent; false: the interaction page asks for the
   * next step.
   * @throws DomainError `saml_handle_expired`, `saml_other_browser`
   */
  async finishSingleSignOn(exchange: Exchange, pending: PendingInteraction, handle: string): Promise<boolean> {
    return await this.steps.continueAfterIdentityProvider(
      exchange,
      pending,
      await this.singleSignOn.redeemHandle(exchange.request, handle),
    );
  }

  /** Records the consent of the signed-in user and continues the authorization request. */
  async consent(exchange: Exchange, pending: PendingInteraction): Promise<void> {
    if (pending.needsWindow) throw needsWindow();
    const session = await this.sessions.find(exchange.request, exchange.response);
    if (pending.accountId === null || session?.accountId !== pending.accountId)
      throw oauthErrors.not_signed_in('You are no longer signed in. Go back to the application and start again.');
    const consent = { grantId: await this.grant(pending) };
    await this.oidc.finishInteraction(exchange, { consent });
  }

  private async grant({ clientId, device, scope, resources, accountId }: PendingInteraction): Promise<string> {
    const { grantId } = await this.authorizations.grant({ userId: Number(accountId), clientId, device, scope, resources });
    return grantId;
  }

  /** Returns to the client with `access_denied`. */
  async deny({ request, response }: Exchange): Promise<void> {
    await this.oidc.finishInteraction({ request, response }, DENIED, { mergeWithLastSubmission: false });
  }

  /** Returns the client's name and the user for the pages. */
  async parties({ clientId, accountId }: PendingInteraction) {
    const client = await this.clients.find(clientId);
    const user = accountId === null ? null : await this.principals.find(accountId);
    return { clientName: client?.name ?? null, user };
  }
}

/** Whether a failed sign-in is reported on the login page instead of an error page. */
export const isLoginRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && ['login_failed', 'login_delayed', 'rate_limited'].includes(error.code);
