import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { MAX_EMAIL_CHARACTERS } from '../../../shared/email-address.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { AccountLinksService, AccountMailsService, PasswordsService, tokenOfLink } from '../../accounts/index.js';
import { type Form, textOf } from './account-forms.js';
import { AccountPagesService, wordsFor } from './account-pages.service.js';
import { LINK_PAGES, OpenedLinksService } from './opened-links.service.js';

/**
 * Serves the page that asks for a mailed link, and the page that a link names. A link has its token in the fragment: the script of the page, or the person,
 * posts it. No address that a server receives contains the token, opening a page never uses up a link, and the form that does is a POST.
 */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account')
export class AccountLinksController {
  constructor(
    private readonly links: AccountLinksService,
    private readonly opened: OpenedLinksService,
    private readonly mails: AccountMailsService,
    private readonly passwords: PasswordsService,
    private readonly pages: AccountPagesService,
  ) {}

  @Get('forgot')
  showForgot(@Req() request: Request, @Res() response: Response): void {
    const { t } = wordsFor(request);
    if (!this.mails.available) return this.pages.message(request, response, { title: t.forgotTitle, message: t.forgotUnavailable });
    this.pages.form(request, response, {
      title: t.forgotTitle,
      lead: t.forgotLead,
      action: '/account/forgot',
      fields: [{ name: 'email', label: t.email, autocomplete: 'username', inputmode: 'email' }],
      button: t.forgotSend,
      backUrl: null,
    });
  }

  /** Answers known and unknown addresses alike. */
  @Post('forgot')
  @RateLimited('login')
  async requestReset(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const { t, language } = wordsFor(request);
    await this.passwords.requestReset(textOf(form.email).slice(0, MAX_EMAIL_CHARACTERS), language);
    this.pages.message(request, response, { title: t.forgotSentTitle, message: t.forgotSent });
  }

  @Get('link')
  showLink(@Req() request: Request, @Res() response: Response): void {
    this.askForLink(request, response, null);
  }

  /** Exchanges the token for a cookie; the link stays good. */
  @Post('link')
  @RateLimited('login')
  async openLink(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const token = tokenOfLink(textOf(form.link));
    const link = token === null ? null : await this.links.find(token);
    if (!token || !link) return this.askForLink(request, response, wordsFor(request).t.linkExpired);
    this.opened.keep(response, token);
    response.redirect(303, LINK_PAGES[link.purpose]);
  }

  private askForLink(request: Request, response: Response, error: string | null): void {
    const { t } = wordsFor(request);
    const fields = [{ name: 'link', label: t.linkLabel }];
    const page = { title: t.linkTitle, action: '/account/link', fields, button: t.continue };
    if (error === null) this.pages.form(request, response, { ...page, lead: t.linkLead, backUrl: null, script: 'account-link.js' });
    else this.pages.form(request, response, { ...page, error, backUrl: '/account/forgot', backLabel: t.forgotTitle }, 410);
  }
}
