import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { parseUrl } from '../../../shared/validation/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { type Authorization, AuthorizationsService } from '../../access/index.js';
import { ADMINISTRATOR_LEVEL, CustomersService, SecondFactorsService, SupportAccessService, type User } from '../../accounts/index.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import { ClientsService } from '../clients/clients.service.js';
import { CsrfService } from '../interactions/csrf.service.js';
import type { ApplicationOnPage } from '../pages/page-data.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { AccountMessages } from './account.messages.js';
import { AccountAccessService } from './account-access.service.js';
import { AccountFactorPagesService } from './account-factor-pages.service.js';
import type { Form } from './account-forms.js';
import { AccountPagesService, occasionOf, wordsFor } from './account-pages.service.js';
import { ConfirmationsService, type SignedIn } from './confirmations.service.js';

/** The longest targets, addresses of players, are far shorter. */
const MAX_TARGET_CHARACTERS = 512;
const MAX_APPLICATIONS = 1_000; // the page is for people; the list operation returns all

const PASSWORD_SECTION = new URL('./pages/password-section.eta', import.meta.url);

/** Serves the account page: how the signed-in user signs in, the user's sessions, and the applications that may act for the user. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account')
export class AccountController {
  constructor(
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly confirmations: ConfirmationsService,
    private readonly customers: CustomersService,
    private readonly authorizations: AuthorizationsService,
    private readonly supportAccess: SupportAccessService,
    private readonly access: AccountAccessService,
    private readonly clients: ClientsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly pages: AccountPagesService,
    private readonly factorPages: AccountFactorPagesService,
    private readonly csrf: CsrfService,
  ) {}

  /** Shows the page. With `return_to`, a path of this service, it signs the user in and redirects there instead. */
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const signedIn = await this.confirmations.find(request, response);
    const { return_to: returnTo, state } = request.query;
    const target = this.ownAddress(returnTo ?? state); // the authorization server returns the target as `state`
    // A frame that opened this window may wait for data from the target; a stricter opener policy would separate them.
    if (target !== null) response.setHeader('cross-origin-opener-policy', 'unsafe-none');
    if (!signedIn) return response.redirect(302, this.loginUrl(target));
    if (target !== null) return response.redirect(303, target);
    const { session, user } = signedIn;
    const applications = await this.authorizations.findOfUser(user.id, { limit: MAX_APPLICATIONS, after: 0 });
    const sessions = await this.sessions.list(user.id);
    this.pages.account(request, response, {
      csrf: this.csrf.tokenFor(session.uid),
      user: {
        name: [user.firstname, user.lastname].filter(Boolean).join(' '),
        email: user.email,
        customer: (await this.customers.nameOf(user.customerId)) ?? '',
      },
      notice: noticeOf(request),
      securitySections: await this.securitySections(request, user),
      applicationList: await Promise.all(applications.map(async (one) => await this.describe(one))),
      supportAccess: {
        until: await this.supportAccess.openUntil(user.customerId),
        visits: await this.supportAccess.visitsTo(user.id),
        mayChange: user.adminLevel >= ADMINISTRATOR_LEVEL,
      },
      sessionList: sessions.map((one) => ({ ...one, current: one.id === session.id })),
      deauthorizeAction: '/account/deauthorize',
      endSessionAction: '/account/end-session',
      endOthersAction: '/account/end-other-sessions',
      logoutUrl: '/v4/logout',
    });
  }

  /** Lets the person confirm, and redirects to `return_to`, a path of this service. Pages open it when the API has answered `confirmation_required`. */
  @Get('confirmation')
  async confirm(@Req() request: Request, @Res() response: Response): Promise<void> {
    const target = this.ownAddress(request.query.return_to) ?? `${this.config.publicUrl}/account`;
    const query = new URLSearchParams({ return_to: target.slice(this.config.publicUrl.length) });
    const signedIn = await this.confirmations.require(request, response, `/account/confirmation?${query}`);
    if (signedIn) response.redirect(303, target);
  }

  @Post('deauthorize')
  async deauthorize(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.checked(request, response, form);
    if (signedIn) await this.access.revoke(signedIn.user, idOf(form.id), occasionOf(request));
    response.redirect(303, '/account?done=revoked');
  }

  @Post('end-session')
  async endSession(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.checked(request, response, form);
    if (signedIn) await this.access.endSession(signedIn.user, String(form.id), occasionOf(request));
    response.redirect(303, '/account?done=ended');
  }

  @Post('end-other-sessions')
  async endOtherSessions(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.checked(request, response, form);
    if (signedIn) await this.access.endOtherSessions(signedIn.user, signedIn.session.id, occasionOf(request));
    response.redirect(303, '/account?done=endedOthers');
  }

  /** The parts of the section "Security", one for each way to sign in. */
  private async securitySections(request: Request, { id, passwordHash }: User): Promise<string[]> {
    const password = this.pages.section(request, PASSWORD_SECTION, { hasPassword: passwordHash !== null });
    return [password, ...this.factorPages.sections(request, await this.secondFactors.describe(id))];
  }

  private async describe(authorization: Authorization): Promise<ApplicationOnPage> {
    const { id, clientId, device, ip, userAgent, lastLogin, createdAt, env, platform, version } = authorization;
    const client = await this.clients.find(clientId);
    const names = { name: client?.name ?? clientId, type: client?.type ?? 'web' };
    return { id, clientId, ...names, device, ip, userAgent, lastLogin, createdAt, env, platform, version };
  }

  /** Checks a form of this page and returns who sent it; null if the session has ended in the meantime. */
  private async checked(request: Request, response: Response, form: Form): Promise<SignedIn | null> {
    const signedIn = await this.confirmations.find(request, response);
    if (signedIn) this.csrf.check(signedIn.session.uid, form.csrf);
    return signedIn;
  }

  private loginUrl(target: string | null): string {
    const { publicUrl } = this.config;
    const query = { client_id: ACCOUNT_CLIENT_ID, response_type: 'none', scope: 'openid', redirect_uri: `${publicUrl}/account` };
    const way = new URLSearchParams(query);
    if (target !== null)
      for (const [name, value] of [
        ['state', target.slice(publicUrl.length)],
        ['for_frame', '1'],
      ] as const)
        way.set(name, value);
    return `${publicUrl}/v4/authorize?${way}`;
  }

  /** Returns the absolute URL of a path of this service, so that no spelling of the path leads to another host; null for other values. */
  private ownAddress(path: unknown): string | null {
    const { publicUrl } = this.config;
    if (typeof path !== 'string' || !path.startsWith('/') || path.length > MAX_TARGET_CHARACTERS) return null;
    const address = parseUrl(`${publicUrl}${path}`);
    return address?.origin === new URL(publicUrl).origin ? address.href : null;
  }
}

/** Parses an id; 0, which no authorization has, for other values. */
const idOf = (value: unknown): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : 0);

/** The sentences about the last action, by the value of `done` in the address. */
const NOTICES = [
  ...(['revoked', 'ended', 'endedOthers', 'passwordChanged', 'nameChanged', 'supportOpened', 'supportEnded'] as const),
  ...(['appAdded', 'appRemoved', 'passkeyAdded', 'passkeyRenamed', 'passkeyRemoved'] as const),
] as const satisfies readonly (keyof AccountMessages)[];

function noticeOf(request: Request): string | null {
  const done = NOTICES.find((name) => name === request.query.done);
  return done ? wordsFor(request).t[done] : null;
}
