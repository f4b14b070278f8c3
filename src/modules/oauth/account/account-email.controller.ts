import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { MAX_EMAIL_CHARACTERS } from '../../../shared/email-address.js';
import { DomainError } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { EmailChangesService } from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import { type Form, textOf } from './account-forms.js';
import { AccountPagesService, type FormPage, occasionOf, wordsFor } from './account-pages.service.js';
import { ConfirmationsService, type SignedIn } from './confirmations.service.js';
import { LINK_PAGES, OpenedLinksService } from './opened-links.service.js';

/** Serves the form with which people ask for another e-mail address, and the one to which the link in the mail to that address leads. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account')
export class AccountEmailController {
  constructor(
    private readonly confirmations: ConfirmationsService,
    private readonly emailChanges: EmailChangesService,
    private readonly opened: OpenedLinksService,
    private readonly pages: AccountPagesService,
    private readonly csrf: CsrfService,
  ) {}

  @Get('email')
  async showEmail(@Req() request: Request, @Res() response: Response): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/email');
    if (!signedIn) return;
    const { t } = wordsFor(request);
    if (this.emailChanges.available) return this.pages.form(request, response, this.emailForm(request, signedIn));
    this.pages.message(request, response, {
      title: t.changeEmail,
      message: t.changeEmailUnavailable,
      link: { url: '/account', label: t.back },
    });
  }

  /** Mails the link. Addresses of other users get the same answer. */
  @Post('email')
  @RateLimited('login')
  async requestEmail(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/email');
    if (!signedIn) return;
    this.csrf.check(signedIn.session.uid, form.csrf);
    const { t, language } = wordsFor(request);
    const email = textOf(form.email).slice(0, MAX_EMAIL_CHARACTERS).trim();
    try {
      await this.emailChanges.request(signedIn.user, email, language);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'email_invalid')) throw error;
      return this.pages.form(request, response, { ...this.emailForm(request, signedIn, email), error: t.emailInvalid });
    }
    this.pages.message(request, response, {
      title: t.forgotSentTitle,
      message: t.emailSent(email),
      link: { url: '/account', label: t.back },
    });
  }

  @Get('link/email')
  async showConfirmation(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!(await this.opened.open(request, response, { purpose: 'email' }))) return;
    const { t } = wordsFor(request);
    const { user, email } = await this.emailChanges.describe(this.opened.tokenOf(request));
    this.pages.form(request, response, {
      title: t.confirmEmailTitle,
      lead: t.confirmEmailLead(user.email, email),
      action: LINK_PAGES.email,
      csrf: this.opened.csrfFor(request),
      fields: [],
      checkbox: { name: 'endOthers', label: t.endOthers },
      button: t.confirmEmailButton,
      backUrl: null,
    });
  }

  @Post('link/email')
  @RateLimited('login')
  async confirm(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'email', form });
    if (!user) return;
    const { t } = wordsFor(request);
    const signedIn = await this.confirmations.find(request, response);
    const keep = signedIn?.user.id === user.id ? signedIn.session.id : null;
    const terms = { occasion: occasionOf(request), endOthers: textOf(form.endOthers) !== '', keep };
    try {
      await this.emailChanges.confirm(this.opened.tokenOf(request), terms);
    } catch (error) {
      return this.opened.explainExpiry(request, response, error);
    }
    this.opened.forget(response);
    const link = { url: '/account', label: keep === null ? t.signIn : t.back };
    this.pages.message(request, response, { title: t.emailChangedTitle, message: t.emailChanged, link });
  }

  private emailForm(request: Request, { session, user }: SignedIn, value = ''): FormPage {
    const { t } = wordsFor(request);
    return {
      title: t.changeEmail,
      lead: t.changeEmailLead(user.email),
      action: '/account/email',
      csrf: this.csrf.tokenFor(session.uid),
      fields: [{ name: 'email', label: t.newEmail, autocomplete: 'email', inputmode: 'email', value }],
      button: t.confirmationSend,
    };
  }
}
