import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import {
  CustomersService,
  FactorResetsService,
  type NewPassword,
  PasswordPolicyService,
  PasswordsService,
  type User,
} from '../../accounts/index.js';
import { secondFactorTexts } from '../pages/second-factors.messages.js';
import { type Form, isRefusal, nameFields, nameOf, newPasswordField, textOf } from './account-forms.js';
import { AccountPagesService, type FormPage, type MessagePage, occasionOf, wordsFor } from './account-pages.service.js';
import { LINK_PAGES, OpenedLinksService } from './opened-links.service.js';

/** Serves the forms to which mailed links lead: a new password, an invitation, and lost second factors. Posting a form uses up its link. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account/link')
export class LinkFormsController {
  constructor(
    private readonly config: Config,
    private readonly opened: OpenedLinksService,
    private readonly passwords: PasswordsService,
    private readonly policy: PasswordPolicyService,
    private readonly factorResets: FactorResetsService,
    private readonly customers: CustomersService,
    private readonly pages: AccountPagesService,
  ) {}

  @Get('reset')
  async showReset(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'reset' });
    if (user) this.pages.form(request, response, this.resetForm(request, user));
  }

  @Post('reset')
  @RateLimited('login')
  async reset(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'reset', form });
    if (!user) return;
    const work = async () => await this.passwords.reset(this.opened.tokenOf(request), newPasswordOf(request, form));
    if (!(await this.succeeds(request, response, { form: this.resetForm(request, user), work }))) return;
    const { t } = wordsFor(request);
    this.finish(request, response, { title: t.resetDoneTitle, message: t.resetDone });
  }

  @Get('invitation')
  async showInvitation(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'invitation' });
    if (user) this.pages.form(request, response, await this.invitationForm(request, user));
  }

  @Post('invitation')
  @RateLimited('login')
  async acceptInvitation(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'invitation', form });
    if (!user) return;
    const names = { firstname: nameOf(form.firstname), lastname: nameOf(form.lastname) };
    const work = async () => await this.passwords.acceptInvitation(this.opened.tokenOf(request), names, newPasswordOf(request, form));
    const page = await this.invitationForm(request, { ...user, ...names });
    if (!(await this.succeeds(request, response, { form: page, work }))) return;
    const { t } = wordsFor(request);
    this.finish(request, response, { title: t.invitationDoneTitle, message: t.invitationDone });
  }

  @Get('factor-reset')
  async showFactorReset(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'factor-reset' });
    if (user) this.pages.form(request, response, this.factorResetForm(request, user));
  }

  @Post('factor-reset')
  @RateLimited('login')
  async resetFactors(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const user = await this.opened.open(request, response, { purpose: 'factor-reset', form });
    if (!user) return;
    const { clientNetwork } = request.context;
    const reset = { password: textOf(form.password), clientNetwork, knownBrowser: () => null, occasion: occasionOf(request) };
    const work = async () => await this.factorResets.redeem(this.opened.tokenOf(request), reset);
    if (!(await this.succeeds(request, response, { form: this.factorResetForm(request, user), work }))) return;
    const texts = secondFactorTexts[wordsFor(request).language];
    this.finish(request, response, { title: texts.resetDoneTitle, message: texts.resetDone });
  }

  private factorResetForm(request: Request, { email }: User): FormPage {
    const { t, language } = wordsFor(request);
    const texts = secondFactorTexts[language];
    return {
      title: texts.resetTitle,
      lead: texts.resetLead,
      action: LINK_PAGES['factor-reset'],
      csrf: this.opened.csrfFor(request),
      username: email,
      fields: [{ name: 'password', label: t.password, type: 'password', autocomplete: 'current-password' }],
      button: texts.resetButton,
      backUrl: null,
    };
  }

  private resetForm(request: Request, { email }: User): FormPage {
    const { t } = wordsFor(request);
    const fields = [newPasswordField(t, this.policy.minLength)];
    const csrf = this.opened.csrfFor(request);
    return {
      title: t.resetTitle,
      lead: t.resetLead,
      action: LINK_PAGES.reset,
      csrf,
      username: email,
      fields,
      button: t.save,
      backUrl: null,
    };
  }

  private async invitationForm(request: Request, user: User): Promise<FormPage> {
    const { t } = wordsFor(request);
    return {
      title: t.invitationTitle,
      lead: t.invitationLead(await this.customers.nameOf(user.customerId), this.config.serviceName),
      action: LINK_PAGES.invitation,
      csrf: this.opened.csrfFor(request),
      username: user.email,
      fields: [...nameFields(t, user), newPasswordField(t, this.policy.minLength)],
      button: t.invitationSave,
      backUrl: null,
    };
  }

  /** Runs what a form is for; if it is refused, shows the form again with the reason and returns false. */
  private async succeeds(
    request: Request,
    response: Response,
    { form, work }: { form: FormPage; work: () => Promise<void> },
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (isRefusal(error)) this.pages.form(request, response, { ...form, error: error.detail });
      else this.opened.explainExpiry(request, response, error);
      return false;
    }
  }

  private finish(request: Request, response: Response, texts: MessagePage): void {
    this.opened.forget(response);
    this.pages.message(request, response, { ...texts, link: { url: '/account', label: wordsFor(request).t.signIn } });
  }
}

const newPasswordOf = (request: Request, form: Form): NewPassword => ({
  password: textOf(form.password),
  language: wordsFor(request).language,
  occasion: occasionOf(request),
});
