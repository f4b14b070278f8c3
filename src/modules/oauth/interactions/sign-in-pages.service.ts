import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { DomainError } from '../../../shared/errors.js';
import { statusOfKind } from '../../../shared/http/index.js';
import type { Language } from '../../../shared/languages.js';
import { describeUserAgent, PagesService, pageFilesIn, publishAssets, sendPage } from '../../../shared/web/index.js';
import { AuthenticatorAppsService, type Enrolment, PasskeysService, SecondFactorsService, type User } from '../../accounts/index.js';
import { wordsFor } from '../account/account-pages.service.js';
import { ACCOUNT_CLIENT_ID } from '../clients/client-ids.js';
import type { ConfirmPasswordPage, EnrolPage, LoginPage, RecoveryCodesPage, SecondFactorPage } from '../pages/page-data.js';
import { type SecondFactorTexts, secondFactorTexts } from '../pages/second-factors.messages.js';
import { signInTexts } from '../pages/sign-in.messages.js';
import { CsrfService } from './csrf.service.js';
import { InteractionPagesService } from './interaction-pages.service.js';
import { InteractionsService } from './interactions.service.js';
import type { PendingInteraction } from './pending-interaction.js';
import { occasionOf, type SignInStep, SignInStepsService, subjectOf } from './sign-in-steps.service.js';

const page = (name: string) => new URL(`../pages/${name}.eta`, import.meta.url);

/** The URL of a script of these pages. */
export const scriptUrl = publishAssets('sign-in', { files: pageFilesIn(new URL('../pages/browser/', import.meta.url)) });

/** What a page shows besides its step. */
interface Shown {
  readonly language: Language;
  readonly clientName: string | null;
  /** Why the last attempt failed. */
  readonly error: DomainError | null;
  /** The default name of a new passkey. */
  readonly passkeyName: string;
}

/** Shows the page that a sign-in waits for: e-mail and password, a second factor, the enrolment of one, or new recovery codes. */
@Injectable()
export class SignInPagesService {
  constructor(
    private readonly pages: PagesService,
    private readonly csrf: CsrfService,
    private readonly interactions: InteractionsService,
    private readonly interactionPages: InteractionPagesService,
    private readonly steps: SignInStepsService,
    private readonly apps: AuthenticatorAppsService,
    private readonly passkeys: PasskeysService,
    private readonly secondFactors: SecondFactorsService,
  ) {}

  /** Shows the current page; `error` is why the last attempt failed. */
  async show(
    { request, response }: { request: Request; response: Response },
    pending: PendingInteraction,
    error: DomainError | null = null,
  ): Promise<void> {
    const step = await this.steps.find(pending);
    const { language } = wordsFor(request);
    if (!step) {
      return await this.showLogin({ request, response }, pending, { email: pending.loginHint, remember: false, error });
    }
    const { clientName } = await this.interactions.parties(pending);
    const shown = { language, clientName, error, passkeyName: describeUserAgent(request.headers['user-agent'] ?? null) };
    sendPage(response, error ? statusOf(error) : 200, await this.renderStep(request, pending, step, shown), { formsLeadToClients: true });
  }

  /** Shows the page for e-mail and password, which also offers passkeys. */
  async showLogin(
    { request, response }: { request: Request; response: Response },
    pending: PendingInteraction,
    { error, ...entered }: { email: string; remember: boolean; error: DomainError | null },
  ): Promise<void> {
    const { language } = wordsFor(request);
    const parties = await this.interactions.parties(pending);
    this.interactionPages.login({ request, response }, pending, {
      ...parties,
      ...entered,
      error: error && loginErrorOf(error, language),
      status: error ? statusOf(error) : 200,
      passkey: await this.loginPart(pending, secondFactorTexts[language]),
    });
  }

  private async renderStep(request: Request, pending: PendingInteraction, step: SignInStep, shown: Shown): Promise<string> {
    if (step.kind === 'password') return this.renderPassword(pending, step, shown);
    if (step.kind === 'verify') return await this.renderVerify(pending, step.user, shown);
    if (step.kind === 'enrol') return await this.renderEnrol(pending, step.user, shown);
    return this.pages.render<RecoveryCodesPage>(page('recovery-codes'), {
      ...this.common(pending, shown.language),
      title: secondFactorTexts[shown.language].codesTitle,
      codes: await this.steps.createRecoveryCodes(step, occasionOf(request)),
      action: `/v4/interaction/${pending.uid}/finish`,
      backUrl: null,
      script: scriptUrl('recovery-codes.js'),
    });
  }

  private async loginPart(pending: PendingInteraction, texts: SecondFactorTexts): Promise<LoginPage['passkey']> {
    if (!this.passkeys.available) return null;
    const options = await this.passkeys.authenticationOptions(subjectOf(pending), null);
    const action = `/v4/interaction/${pending.uid}/passkey`;
    return { action, options: JSON.stringify(options), button: texts.usePasskey, ...passkeyParts(texts) };
  }

  private renderPassword(pending: PendingInteraction, { user, signIn }: SignInStep, { language, clientName, error }: Shown): string {
    const texts = secondFactorTexts[language];
    const path = `/v4/interaction/${pending.uid}`;
    return this.pages.render<ConfirmPasswordPage>(page('confirm-password'), {
      ...this.common(pending, language),
      title: texts.passwordTitle,
      lead: signIn.identityProvider?.linkRequestId ? texts.passwordToLink : texts.passwordToEnrol,
      action: `${path}/password`,
      email: user.email,
      isFramed: pending.isFramed,
      cancelAction: pending.clientId === ACCOUNT_CLIENT_ID ? null : `${path}/cancel`,
      error: error && loginErrorOf(error, language),
      clientName,
    });
  }

  private async renderVerify(pending: PendingInteraction, user: User, { language, clientName, error }: Shown): Promise<string> {
    const texts = secondFactorTexts[language];
    const path = `/v4/interaction/${pending.uid}`;
    const { authenticatorApp, passkeys } = await this.secondFactors.describe(user.id);
    const usesPasskeys = this.passkeys.available && passkeys.length > 0;
    const options = usesPasskeys ? await this.passkeys.authenticationOptions(subjectOf(pending), user) : null;
    return this.pages.render<SecondFactorPage>(page('second-factor'), {
      ...this.common(pending, language),
      ...passkeyParts(texts),
      title: texts.verifyTitle,
      action: `${path}/code`,
      passkeyAction: `${path}/passkey`,
      passkeyOptions: options && JSON.stringify(options),
      codeLabel: authenticatorApp ? texts.verifyCode : texts.verifyRecovery,
      startOverAction: `${path}/start-over`,
      cancelAction: pending.clientId === ACCOUNT_CLIENT_ID ? null : `${path}/cancel`,
      error: error && textOf(error, texts),
      clientName,
    });
  }

  private async renderEnrol(pending: PendingInteraction, user: User, { language, error, passkeyName }: Shown): Promise<string> {
    const texts = secondFactorTexts[language];
    const path = `/v4/interaction/${pending.uid}`;
    const subject = subjectOf(pending);
    const app = await this.enrolmentOf(user, subject);
    const options = this.passkeys.available ? await this.passkeys.registrationOptions(user, subject) : null;
    return this.pages.render<EnrolPage>(page('enrol'), {
      ...this.common(pending, language),
      ...passkeyParts(texts),
      title: texts.enrolTitle,
      lead: pending.requestsMfa ? texts.enrolForClient : texts.enrolLead,
      app: { ...app, action: `${path}/enrol-app` },
      passkey: options && { action: `${path}/enrol-passkey`, options: JSON.stringify(options), name: passkeyName },
      cancelAction: pending.clientId === ACCOUNT_CLIENT_ID ? `${path}/start-over` : `${path}/cancel`,
      backUrl: null,
      offersToEndOthers: false,
      error: error && textOf(error, texts),
    });
  }

  private async enrolmentOf(user: User, subject: string): Promise<Enrolment> {
    const current = await this.apps.describeEnrolment(user, subject);
    if (current) return current;
    await this.apps.startEnrolment(user, subject);
    return await this.enrolmentOf(user, subject);
  }

  private common({ uid }: PendingInteraction, language: Language) {
    return { language, texts: secondFactorTexts[language], csrf: this.csrf.tokenFor(uid) };
  }
}

const statusOf = ({ kind }: DomainError): number => statusOfKind(kind);

/** What a page with a button for passkeys needs. */
export const passkeyParts = ({ passkeyProblems }: SecondFactorTexts) => ({
  problems: JSON.stringify(passkeyProblems),
  script: scriptUrl('passkeys.js'),
});

/** Why a sign-in with a password, or with a passkey alone, failed. */
const loginErrorOf = (error: DomainError, language: Language): string =>
  signInTexts[language].errors[error.code]?.(error.extras.retryAfter ?? 1) ?? textOf(error, secondFactorTexts[language]);

/** An error in the language of the page. */
export const textOf = ({ code, detail }: DomainError, { errors }: SecondFactorTexts): string => errors[code] ?? detail;
