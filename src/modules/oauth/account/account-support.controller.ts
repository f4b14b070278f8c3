import { Body, Controller, Get, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { callerOf, Public } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { SupportWindowsService } from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import type { Form } from './account-forms.js';
import { AccountPagesService, occasionOf, wordsFor } from './account-pages.service.js';
import { ConfirmationsService } from './confirmations.service.js';

const HOUR_MS = 3_600_000;
/** What an administrator can choose, in hours; 0 ends the access. */
const CHOICES = [24, 168, 0] as const;

/** Serves the form with which administrators let support staff act for the users of their customer, or end that. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account/support')
export class AccountSupportController {
  constructor(
    private readonly confirmations: ConfirmationsService,
    private readonly support: SupportWindowsService,
    private readonly pages: AccountPagesService,
    private readonly csrf: CsrfService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/support');
    if (!signedIn) return;
    this.support.checkMayChange(callerOf(signedIn.user, 'session'));
    const { t } = wordsFor(request);
    this.pages.form(request, response, {
      title: t.changeSupport,
      lead: t.changeSupportLead,
      action: '/account/support',
      csrf: this.csrf.tokenFor(signedIn.session.uid),
      fields: [],
      choice: {
        name: 'hours',
        legend: t.supportDuration,
        options: CHOICES.map((hours) => ({ value: String(hours), label: t.supportHours[hours] })),
      },
      button: t.save,
    });
  }

  @Post()
  async change(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const signedIn = await this.confirmations.require(request, response, '/account/support');
    if (!signedIn) return;
    this.csrf.check(signedIn.session.uid, form.csrf);
    const hours = CHOICES.find((choice) => String(choice) === form.hours) ?? 0;
    const until = hours === 0 ? null : new Date(this.clock.now().getTime() + hours * HOUR_MS);
    await this.support.change(callerOf(signedIn.user, 'session'), until, occasionOf(request));
    response.redirect(303, `/account?done=${until ? 'supportOpened' : 'supportEnded'}`);
  }
}
