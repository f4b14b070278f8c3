import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import type { DomainError } from '../../../shared/errors.js';
import { asDomainError, contentSecurityPolicy, sendJson, statusOfKind } from '../../../shared/http/index.js';
import { languageOf } from '../../../shared/languages.js';
import { Log } from '../../../shared/logging/index.js';
import { originOf } from '../../../shared/validation/index.js';
import { PagesService, ProblemPagesService } from '../../../shared/web/index.js';
import { CustomersService, PrincipalsService } from '../../accounts/index.js';
import { answerUrl } from '../clients/redirect-uris.js';
import { CsrfService } from '../interactions/csrf.service.js';
import type { FrameResultPage, LoggedOutPage, LogoutPage, PersonOnPage, ReplaceSessionPage, SignInPage } from '../pages/page-data.js';
import { type SignInTexts, signInTexts } from '../pages/sign-in.messages.js';

const page = (name: string) => new URL(`../pages/${name}.eta`, import.meta.url);

/** Explanations of the errors that people may see at sign-in; other errors show their own description. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'The application sent a return address that is not registered for it. Inform its developer.',
  invalid_client: 'The application is not registered with this service. Inform its developer.',
  invalid_request: 'The application sent an invalid request. Go back and try again, or inform its developer.',
  client_id_mismatch: 'The application sent an invalid request. Inform its developer.',
  session_not_found:
    'The sign-in has expired or was finished in another tab. Go back to the application and start again, or sign in to your account here.',
  csrf_mismatch: 'Go back to the application and start again.',
  origin_not_allowed: 'Open the page again and repeat the action there.',
};

/** Node's request and response with Koa's content negotiation. */
type PlainContext = Pick<KoaContextWithOIDC, 'req' | 'res' | 'accepts'>;

/** Whether a client prefers JSON to HTML; without a preference it may be a browser. */
const readsJson = (ctx: PlainContext): boolean => ctx.accepts('html', 'json') === 'json';

/** Maps an error to a code of RFC 6749 section 4.1.2.1; `rate_limited` as at the token endpoint. */
function oauthError(error: DomainError | null): string {
  if (!error) return 'server_error';
  if (error.kind === 'unavailable') return 'temporarily_unavailable';
  return error.kind === 'rate_limited' ? 'rate_limited' : 'invalid_request';
}

/** Renders the pages of oidc-provider itself: errors that cannot be sent to a redirect URI, and the logout. */
@Injectable()
export class ProviderPagesService {
  constructor(
    private readonly pages: PagesService,
    private readonly problemPages: ProblemPagesService,
    private readonly principals: PrincipalsService,
    private readonly customers: CustomersService,
    private readonly csrf: CsrfService,
    private readonly log: Log,
  ) {
    problemPages.explain(HINTS);
    problemPages.lead('session_not_found', { url: '/account', text: 'Sign in' });
  }

  renderError(ctx: KoaContextWithOIDC, out: { error: string; error_description?: string }, error: errors.OIDCProviderError | Error): void {
    const { id: requestId } = ctx.req.context;
    const detail = 'error_detail' in error ? error.error_detail : undefined;
    const severity = ctx.status >= 500 ? 'error' : 'info';
    this.log[severity]({ requestId, error: out.error, detail, err: severity === 'error' ? error : undefined }, 'authorization error page');
    if (readsJson(ctx)) {
      ctx.set('cache-control', 'no-store');
      ctx.body = { error: out.error, error_description: out.error_description ?? out.error };
      return;
    }
    const code = error.name === 'SessionNotFound' ? 'session_not_found' : out.error;
    this.send(ctx, this.problemPages.render(code, out.error_description ?? out.error, requestId));
  }

  /** Sends an error found before oidc-provider received the authorization request, as JSON; false if the client prefers a page. */
  sendJsonError(ctx: PlainContext, error: unknown): boolean {
    const { req: request, res: response } = ctx;
    if (response.headersSent || !readsJson(ctx)) return false;
    const known = asDomainError(error);
    if (!known) this.log.error({ requestId: request.context.id, err: error }, 'unexpected error');
    const retryAfter = known?.extras.retryAfter;
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    response.setHeader('cache-control', 'no-store');
    const body = { error: oauthError(known), error_description: known?.detail ?? 'something went wrong here; try again' };
    sendJson(response, known ? statusOfKind(known.kind) : 500, body);
    return true;
  }

  /**
   * Asks before signing out, so that another site cannot sign people out with a link. An ID token that a first-party client got for the person shows that
   * the client asks.
   */
  async renderLogout(ctx: KoaContextWithOIDC): Promise<void> {
    if (isSafeSignOut(ctx)) return await signOut(ctx);
    const { session } = ctx.oidc;
    const principal = session?.accountId ? await this.principals.find(Number(session.accountId)) : null;
    const xsrf = (session?.state as { secret?: string } | undefined)?.secret;
    const data = {
      ...translated(ctx, ({ signOutTitle }) => signOutTitle),
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: xsrf ?? '',
      userEmail: principal?.email ?? null,
    };
    this.send(ctx, this.pages.render<LogoutPage>(page('logout'), data));
  }

  /**
   * Asks before the session of a person is replaced by that of another one, whose sign-in another site may have begun, instead of oidc-provider's page,
   * which posts itself. A session whose person is gone is replaced without a question.
   */
  async askToReplaceSession(ctx: KoaContextWithOIDC): Promise<void> {
    const { session, entities } = ctx.oidc;
    const uid = entities.Interaction?.uid ?? '';
    const accountId = (entities.Interaction?.result?.login as { accountId?: string } | undefined)?.accountId;
    const [current, next] = await Promise.all([session?.accountId, accountId].map(async (id) => await this.personOnPage(Number(id))));
    if (!current || !next) return;
    const data = {
      ...translated(ctx, ({ replaceTitle }) => replaceTitle),
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: (session?.state as { secret?: string } | undefined)?.secret ?? '',
      cancelAction: `/v4/interaction/${uid}/cancel`,
      csrf: this.csrf.tokenFor(uid),
      current,
      next,
    };
    this.send(ctx, this.pages.render<ReplaceSessionPage>(page('replace-session'), data));
  }

  private async personOnPage(id: number): Promise<PersonOnPage | null> {
    const person = await this.principals.find(id);
    return person && { email: person.email, customer: (await this.customers.nameOf(person.customerId)) ?? '' };
  }

  /** Renders the response of an authorization request as a page, which passes it to the page around the frame or to the window's opener. */
  renderFrameResult(ctx: KoaContextWithOIDC, redirectUri: string, answer: Readonly<Record<string, unknown>>): void {
    const origin = originOf(redirectUri);
    const redirect = answerUrl(redirectUri, answer);
    const receiver = ctx.oidc.params?.for_frame ? 'opener' : 'parent';
    if (!origin && receiver === 'parent') return ctx.redirect(redirect); // a scheme without a host belongs to an application without pages
    ctx.status = 200;
    const words = translated(ctx, ({ signedIn, notSignedIn }) => ('error' in answer ? notSignedIn : signedIn));
    const response = JSON.stringify({ type: 'authorization_response', ...answer });
    this.send(
      ctx,
      this.pages.render<FrameResultPage>(page('frame-result'), { ...words, response, redirect, receiver, origin: origin ?? '' }),
    );
  }

  renderLoggedOut(ctx: KoaContextWithOIDC): void {
    const clientName = ctx.oidc.client?.clientName ?? null;
    const words = translated(ctx, ({ signedOutTitle }) => signedOutTitle);
    this.send(ctx, this.pages.render<LoggedOutPage>(page('logged-out'), { ...words, clientName }));
  }

  private send(ctx: KoaContextWithOIDC, html: string): void {
    ctx.type = 'html';
    ctx.set('cache-control', 'no-store');
    ctx.set('content-security-policy', contentSecurityPolicy());
    ctx.body = html;
  }
}

/** Whether a sign-out needs no question: a first-party client sends the ID token of the person who is signed in, and a registered address to return to. */
function isSafeSignOut({ method, oidc }: KoaContextWithOIDC): boolean {
  const hint = oidc.entities.IdTokenHint?.payload as { readonly sub?: string } | undefined;
  const isOwnHint = hint?.sub !== undefined && hint.sub === oidc.session?.accountId;
  return method === 'GET' && isOwnHint && oidc.client?.first_party === true && typeof oidc.params?.post_logout_redirect_uri === 'string';
}

/** Ends the session as the confirmed sign-out does, and returns to the client. */
async function signOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, params = {}, provider } = ctx.oidc;
  await session?.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, { signed: true, httpOnly: true, sameSite: 'lax', path: '/' });
  const state = typeof params.state === 'string' ? { state: params.state } : {};
  ctx.status = 303;
  ctx.redirect(answerUrl(String(params.post_logout_redirect_uri), state));
}

/** The words of a page in the language of the browser. */
function translated(ctx: KoaContextWithOIDC, titleOf: (texts: SignInTexts) => string): SignInPage {
  const language = languageOf(ctx.get('accept-language'));
  const texts = signInTexts[language];
  return { language, texts, title: titleOf(texts) };
}
