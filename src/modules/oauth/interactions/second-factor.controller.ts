import { Body, Controller, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import { CsrfService } from './csrf.service.js';
import { InteractionsService } from './interactions.service.js';
import type { PendingInteraction } from './pending-interaction.js';
import { SignInPagesService } from './sign-in-pages.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

type Form = Readonly<Record<string, unknown>>;

/** More than what browsers send for a passkey with an RSA key and its attestation. */
const MAX_RESPONSE_CHARACTERS = 16_384;

/** Receives the forms of a sign-in after the password or the identity provider, and of a sign-in with a passkey alone. A failed step is shown again with the reason. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('v4/interaction/:uid')
export class SecondFactorController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly steps: SignInStepsService,
    private readonly pages: SignInPagesService,
    private readonly csrf: CsrfService,
  ) {}

  @Post('password')
  @RateLimited('login')
  async verifyPassword(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      const isComplete = await this.steps.verifyPassword({ request, response }, pending, text(form.password));
      if (!isComplete) this.showNext(response, pending);
    });
  }

  @Post('code')
  @RateLimited('login')
  async verifyCode(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      await this.steps.verifyCode({ request, response }, pending, text(form.code));
    });
  }

  @Post('passkey')
  @RateLimited('login')
  async verifyPasskey(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      const signed = { response: text(form.response), remember: text(form.remember) !== '' };
      await this.steps.verifyPasskey({ request, response }, pending, signed);
    });
  }

  @Post('enrol-app')
  @RateLimited('login')
  async enrolApp(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      await this.steps.enrolApp({ request, response }, pending, text(form.code));
      this.showNext(response, pending);
    });
  }

  @Post('enrol-passkey')
  @RateLimited('login')
  async enrolPasskey(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      await this.steps.enrolPasskey({ request, response }, pending, { response: text(form.response), name: text(form.name) });
      this.showNext(response, pending);
    });
  }

  @Post('finish')
  async finish(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => await this.steps.finishEnrolment({ request, response }, pending));
  }

  @Post('start-over')
  async startOver(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.attempt({ request, response }, form, async (pending) => {
      await this.steps.startOver(pending);
      this.showNext(response, pending);
    });
  }

  private async attempt(
    exchange: { request: Request; response: Response },
    form: Form,
    act: (pending: PendingInteraction) => Promise<void>,
  ): Promise<void> {
    const pending = await this.interactions.pending(exchange);
    this.csrf.check(pending.uid, form.csrf);
    try {
      await act(pending);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'not_signed_in') throw error;
      if (error.extras.retryAfter) exchange.response.setHeader('retry-after', error.extras.retryAfter);
      await this.pages.show(exchange, pending, error);
    }
  }

  private showNext(response: Response, { uid }: PendingInteraction): void {
    response.redirect(303, `/v4/interaction/${uid}`);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_RESPONSE_CHARACTERS) : '');
