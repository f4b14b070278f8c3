import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../shared/auth/index.js';
import { DomainError } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { ProblemPageFilter } from '../../../shared/web/index.js';
import {
  AuthenticatorAppsService,
  PasskeysService,
  RecoveryCodesService,
  type SecondFactor,
  SecondFactorsService,
  SignIns,
} from '../../accounts/index.js';
import { CsrfService } from '../interactions/csrf.service.js';
import { AccountFactorPagesService, subjectOf } from './account-factor-pages.service.js';
import { type Form, textOf } from './account-forms.js';
import { occasionOf } from './account-pages.service.js';
import { ConfirmationsService, type SignedIn } from './confirmations.service.js';

/** The exchange with a browser whose person has confirmed lately. */
interface Confirmed extends SignedIn {
  readonly request: Request;
  readonly response: Response;
}

interface SentForm {
  readonly request: Request;
  readonly response: Response;
  readonly form: Form;
}

/** A change that a form asks for. */
interface Change {
  /** The page with the form. */
  readonly page: string;
  /** The notice on the account page afterwards. */
  readonly done: string;
  act(confirmed: Confirmed): Promise<void>;
  /** Shows the page again with the reason. */
  refuse(confirmed: Confirmed, error: DomainError): Promise<void>;
}

/** More than what browsers send for a passkey with an RSA key and its attestation. */
const MAX_PASSKEY_CHARACTERS = 16_384;

/** Serves the pages with which people add, rename and remove second factors, after they have confirmed that it is them. */
@ApiExcludeController()
@Public()
@UseFilters(ProblemPageFilter)
@Controller('account')
export class AccountFactorsController {
  constructor(
    private readonly confirmations: ConfirmationsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly apps: AuthenticatorAppsService,
    private readonly passkeys: PasskeysService,
    private readonly recoveryCodes: RecoveryCodesService,
    private readonly signIns: SignIns,
    private readonly pages: AccountFactorPagesService,
    private readonly csrf: CsrfService,
  ) {}

  @Get('passkeys/new')
  async showNewPasskey(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.show({ request, response }, '/account/passkeys/new', async (confirmed) => await this.pages.newPasskey(confirmed));
  }

  @Post('passkeys/new')
  @RateLimited('login')
  async addPasskey(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const given = { response: passkeyOf(form.response), name: textOf(form.name), occasion: occasionOf(request) };
    await this.change(
      { request, response, form },
      {
        page: '/account/passkeys/new',
        done: 'passkeyAdded',
        act: async ({ user, session }) => void (await this.passkeys.register(user, subjectOf(session), given)),
        refuse: async (confirmed, error) => await this.pages.newPasskey(confirmed, error),
      },
    );
  }

  @Get('passkeys/:id/rename')
  async showRename(@Req() request: Request, @Res() response: Response, @Param('id') id: string): Promise<void> {
    await this.show({ request, response }, `/account/passkeys/${idOf(id)}/rename`, async (confirmed) => {
      this.pages.rename(confirmed, await this.passkeyOf(confirmed, id));
    });
  }

  @Post('passkeys/:id/rename')
  async rename(@Req() request: Request, @Res() response: Response, @Param('id') id: string, @Body() form: Form = {}): Promise<void> {
    await this.change(
      { request, response, form },
      {
        page: `/account/passkeys/${idOf(id)}/rename`,
        done: 'passkeyRenamed',
        act: async ({ user }) => await this.passkeys.rename(user, idOf(id), { name: textOf(form.name), occasion: occasionOf(request) }),
        refuse: async (confirmed, error) => this.pages.rename(confirmed, await this.passkeyOf(confirmed, id), error),
      },
    );
  }

  @Get('passkeys/:id/remove')
  async showPasskeyRemoval(@Req() request: Request, @Res() response: Response, @Param('id') id: string): Promise<void> {
    await this.show({ request, response }, `/account/passkeys/${idOf(id)}/remove`, async (confirmed) => {
      this.pages.removePasskey(confirmed, await this.passkeyOf(confirmed, id));
    });
  }

  @Post('passkeys/:id/remove')
  async removePasskey(@Req() request: Request, @Res() response: Response, @Param('id') id: string, @Body() form: Form = {}): Promise<void> {
    await this.change(
      { request, response, form },
      {
        page: `/account/passkeys/${idOf(id)}/remove`,
        done: 'passkeyRemoved',
        act: async (confirmed) => {
          const passkey = await this.passkeyOf(confirmed, id);
          await this.secondFactors.remove(confirmed.user, passkey.id, occasionOf(request));
        },
        refuse: async (confirmed, error) => this.pages.removePasskey(confirmed, await this.passkeyOf(confirmed, id), error),
      },
    );
  }

  @Get('authenticator')
  async showNewApp(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.show({ request, response }, '/account/authenticator', async (confirmed) => await this.pages.newApp(confirmed));
  }

  @Post('authenticator')
  @RateLimited('login')
  async addApp(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const given = { code: textOf(form.code), occasion: occasionOf(request) };
    await this.change(
      { request, response, form },
      {
        page: '/account/authenticator',
        done: 'appAdded',
        act: async ({ user, session }) => await this.apps.bind(user, subjectOf(session), given),
        refuse: async (confirmed, error) => await this.pages.newApp(confirmed, error),
      },
    );
  }

  @Get('authenticator/remove')
  async showApp(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.show({ request, response }, '/account/authenticator/remove', async (confirmed) => this.pages.removeApp(confirmed));
  }

  @Post('authenticator/remove')
  async removeApp(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    await this.change(
      { request, response, form },
      {
        page: '/account/authenticator/remove',
        done: 'appRemoved',
        act: async ({ user }) => {
          const { authenticatorApp } = await this.secondFactors.describe(user.id);
          await this.secondFactors.remove(user, authenticatorApp?.id ?? 0, occasionOf(request));
        },
        refuse: async (confirmed, error) => this.pages.removeApp(confirmed, error),
      },
    );
  }

  @Get('recovery-codes')
  async showNewCodes(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.show({ request, response }, '/account/recovery-codes', async (confirmed) => {
      if (await this.mayHaveCodes(confirmed)) this.pages.newCodes(confirmed);
    });
  }

  @Post('recovery-codes')
  async createCodes(@Req() request: Request, @Res() response: Response, @Body() form: Form = {}): Promise<void> {
    const confirmed = await this.confirmed({ request, response }, '/account/recovery-codes', form);
    if (!confirmed || !(await this.mayHaveCodes(confirmed))) return;
    if (textOf(form.endOthers) !== '') await this.signIns.endSessions(confirmed.user.id, confirmed.session.id);
    await this.showCodes(confirmed);
  }

  /** Recovery codes replace another factor; a person without one is sent back to the account page, which says so. */
  private async mayHaveCodes({ user, response }: Confirmed): Promise<boolean> {
    if (await this.secondFactors.has(user.id)) return true;
    response.redirect(303, '/account');
    return false;
  }

  private async show(
    exchange: { request: Request; response: Response },
    page: string,
    render: (confirmed: Confirmed) => Promise<void>,
  ): Promise<void> {
    const signedIn = await this.confirmations.require(exchange.request, exchange.response, page);
    if (signedIn) await render({ ...exchange, ...signedIn });
  }

  /** Makes a change and returns to the account page. With the first factor, recovery codes are shown. */
  private async change({ request, response, form }: SentForm, { page, done, act, refuse }: Change): Promise<void> {
    const confirmed = await this.confirmed({ request, response }, page, form);
    if (!confirmed) return;
    const { user, session } = confirmed;
    try {
      await act(confirmed);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'second_factor_unknown') throw error;
      return await refuse(confirmed, error);
    }
    if (textOf(form.endOthers) !== '') await this.signIns.endSessions(user.id, session.id);
    const { recoveryCodes } = await this.secondFactors.describe(user.id);
    if (!recoveryCodes && (await this.secondFactors.has(user.id))) return await this.showCodes(confirmed);
    response.redirect(303, `/account?done=${done}`);
  }

  private async confirmed(exchange: { request: Request; response: Response }, page: string, form: Form): Promise<Confirmed | null> {
    const signedIn = await this.confirmations.require(exchange.request, exchange.response, page);
    if (!signedIn) return null;
    this.csrf.check(signedIn.session.uid, form.csrf);
    return { ...exchange, ...signedIn };
  }

  private async showCodes(confirmed: Confirmed): Promise<void> {
    this.pages.codes(confirmed, await this.recoveryCodes.create(confirmed.user, occasionOf(confirmed.request)));
  }

  private async passkeyOf({ user }: Confirmed, id: string): Promise<SecondFactor> {
    return await this.secondFactors.getPasskey(user, idOf(id));
  }
}

const passkeyOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_PASSKEY_CHARACTERS) : '');

/** Parses an id; 0, which no factor has, for other values. */
const idOf = (value: string): number => (/^\d{1,9}$/.test(value) ? Number(value) : 0);
