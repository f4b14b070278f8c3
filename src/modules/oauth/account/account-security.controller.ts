import { randomUUID } from 'node:crypto';
import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import type { DomainError } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { PasswordPolicyService, PasswordsService } from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import { KnownBrowsersService } from '../interactions/known-browsers.service.js';
import { type Form, isRefusal, nameFields, nameOf, newPasswordField, textOf } from './account-forms.js';
import { AccountPagesService, type FormPage, occasionOf, wordsFor } from './account-pages.service.js';
import { ConfirmationsService, type SignedIn } from './confirmations.service.js';

/** Serves the forms with which people change their password and name, after they have confirmed that it is them. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account')
export class AccountSecurityController {
  constructor(
    private readonly confirmations: ConfirmationsService,
    private readonly passwords: PasswordsService,
    private readonly policy: PasswordPolicyService,
    private readonly pages: AccountPagesService,
    private readonly knownBrowsers: KnownBrowsersService,
    private readonly csrf: CsrfService,
  ) {}

  @Get('password')
  async showPassword(@Req() request: Request, @Res() response: Response): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/password');
    if (signedIn) this.pages.form(request, response, this.passwordForm(request, signedIn));
  }

  @Post('password')
  @RateLimited('login')
  async changePassword(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/password');
    if (!signedIn) return;
    const { session, user } = signedIn;
    this.csrf.check(session.uid, form.csrf);
    try {
      const changed = await this.passwords.change({
        userId: user.id,
        oldPassword: textOf(form.current),
        password: textOf(form.password),
        language: wordsFor(request).language,
        occasion: occasionOf(request),
        sessionId: session.id,
        clientNetwork: request.context.clientNetwork,
        knownBrowser: () => `session ${session.id}`,
      });
      this.knownBrowsers.remember(response, changed, randomUUID());
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.refuse(request, response, this.passwordForm(request, signedIn), error);
    }
    response.redirect(303, '/account?done=passwordChanged');
  }

  @Get('name')
  async showName(@Req() request: Request, @Res() response: Response): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/name');
    if (signedIn) this.pages.form(request, response, this.nameForm(request, signedIn));
  }

  @Post('name')
  async changeName(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/name');
    if (!signedIn) return;
    this.csrf.check(signedIn.session.uid, form.csrf);
    await this.passwords.changeName(
      signedIn.user,
      { firstname: nameOf(form.firstname), lastname: nameOf(form.lastname) },
      occasionOf(request),
    );
    response.redirect(303, '/account?done=nameChanged');
  }

  private passwordForm(request: Request, { session, user }: SignedIn): FormPage {
    const { t } = wordsFor(request);
    return {
      title: t.changePassword,
      lead: t.endsOthers,
      action: '/account/password',
      csrf: this.csrf.tokenFor(session.uid),
      username: user.email,
      fields: [
        { name: 'current', label: t.currentPassword, type: 'password', autocomplete: 'current-password' },
        newPasswordField(t, this.policy.minLength),
      ],
      button: t.changePassword,
    };
  }

  private nameForm(request: Request, { session, user }: SignedIn): FormPage {
    const { t } = wordsFor(request);
    const csrf = this.csrf.tokenFor(session.uid);
    return { title: t.changeName, action: '/account/name', csrf, fields: nameFields(t, user), button: t.save };
  }

  /** Shows the form again and says why it was refused. */
  private refuse(request: Request, response: Response, form: FormPage, { code, detail, extras }: DomainError): void {
    const { t } = wordsFor(request);
    if (code === 'login_failed') return this.pages.form(request, response, { ...form, error: t.wrongPassword });
    if (extras.retryAfter === undefined) return this.pages.form(request, response, { ...form, error: detail });
    response.setHeader('retry-after', extras.retryAfter);
    this.pages.form(request, response, { ...form, error: t.tooManyAttempts(extras.retryAfter) }, 429);
  }
}
