import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { CsrfService, ticketOf } from './csrf.service.js';
import { InteractionPagesService } from './interaction-pages.service.js';
import { InteractionsService, isLoginRefusal } from './interactions.service.js';
import { SignInPagesService } from './sign-in-pages.service.js';

type Form = Readonly<Record<string, unknown>>;

/** Serves the pages of login and consent. They work without JavaScript: plain forms, answered by redirects. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('v4/interaction/:uid')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly pages: InteractionPagesService,
    private readonly signInPages: SignInPagesService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response, @Param('uid') uid: string): Promise<void> {
    const blocked = await this.interactions.findBlockedFrame({ request, response }, uid);
    if (blocked) return this.pages.cookiesBlocked({ request, response }, blocked);
    const pending = await this.interactions.pending({ request, response });
    if (pending.ssoIdentifier !== null && (await this.interactions.beginsAtIdentityProvider(pending))) {
      return response.redirect(302, await this.interactions.startSingleSignOn({ request, response }, pending, pending.ssoIdentifier));
    }
    if (pending.goOnAt !== null) return response.redirect(303, pending.goOnAt);
    const parties = await this.interactions.parties(pending);
    if (pending.prompt === 'consent' && pending.needsWindow) this.pages.consentWindow({ request, response }, pending, parties);
    else if (pending.prompt === 'consent') this.pages.consent({ request, response }, pending, parties);
    else await this.signInPages.show({ request, response }, pending);
  }

  @Post('login')
  @RateLimited('login')
  async signIn(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const pending = await this.interactions.pending({ request, response });
    this.csrf.check(pending.uid, form.csrf);
    const [email, password] = [text(form.email).trim(), text(form.password)];
    const remember = text(form.remember) !== '';
    try {
      const isComplete = await this.interactions.signIn({ request, response }, pending, { email, password, remember });
      if (!isComplete) response.redirect(303, `/v4/interaction/${pending.uid}`);
    } catch (error) {
      if (!isLoginRefusal(error)) throw error;
      if (error.extras.retryAfter) response.setHeader('retry-after', error.extras.retryAfter);
      await this.signInPages.showLogin({ request, response }, pending, { email, remember, error });
    }
  }

  @Get('sso')
  async returnFromSingleSignOn(@Req() request: Request, @Res() response: Response): Promise<void> {
    const pending = await this.interactions.pending({ request, response }); // fails before the handle is consumed
    const isComplete = await this.interactions.finishSingleSignOn({ request, response }, pending, text(request.query.handle));
    if (!isComplete) response.redirect(303, `/v4/interaction/${pending.uid}`);
  }

  @Post('consent')
  async consent(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const pending = await this.interactions.pending({ request, response });
    this.csrf.check(pending.uid, form.csrf);
    await this.interactions.consent({ request, response }, pending);
  }

  /** Shows the consent page of a frame in the window that the frame opened. */
  @Get('window')
  async showInWindow(@Req() request: Request, @Res() response: Response, @Param('uid') uid: string): Promise<void> {
    const { ticket } = request.query;
    this.csrf.check(ticketOf(uid), ticket);
    const pending = await this.interactions.pendingInWindow({ request, response }, uid);
    if (pending.goOnAt !== null) return this.pages.consentAnswered({ request, response });
    this.pages.consent({ request, response }, pending, await this.interactions.parties(pending), { ticket: text(ticket) });
  }

  @Post('window/:answer')
  async answerInWindow(
    @Req() request: Request,
    @Res() response: Response,
    @Param() { uid = '', answer }: Record<string, string>,
    @Body() form: Form = {},
  ): Promise<void> {
    this.csrf.check(ticketOf(uid), form.csrf);
    const pending = await this.interactions.pendingInWindow({ request, response }, uid);
    await this.interactions.answerInWindow(pending, answer === 'allow');
    this.pages.consentAnswered({ request, response });
  }

  @Post('cancel')
  async cancel(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const pending = await this.interactions.pending({ request, response });
    this.csrf.check(pending.uid, form.csrf);
    await this.interactions.deny({ request, response });
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 4_096) : '');
