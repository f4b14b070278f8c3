import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { MFA } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { DomainError } from '../../../shared/errors.js';
import { sha256 } from '../../../shared/secrets/index.js';
import {
  AccountsService,
  AuthenticatorAppsService,
  type Occasion,
  PasskeysService,
  PasswordLoginService,
  RecoveryCodesService,
  SecondFactorCodesService,
  SecondFactorsService,
  type User,
} from '../../accounts/index.js';
import { type RedeemedHandle, SingleSignOnService } from '../../saml/index.js';
import { wordsFor } from '../account/account-pages.service.js';
import { oauthErrors } from '../oauth.errors.js';
import { type BrowserExchange as Exchange, OidcProviderService } from '../provider/oidc-provider.service.js';
import { frameCookies } from '../sessions/framed-cookies.js';
import { KnownBrowsersService } from './known-browsers.service.js';
import type { PendingInteraction } from './pending-interaction.js';

/** Time to install an authenticator app and to set it up. */
const STEPS_MS = 1_800_000;

/** A sign-in after the right password, or after an identity provider, stored with the interaction. */
interface StartedSignIn {
  readonly userId: number;
  readonly remember: boolean;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Changes with the password, whose change ends the sign-in. */
  readonly passwordMark: string;
  /** Authentication methods so far (RFC 8176). */
  readonly amr: readonly string[];
  /** The person came from an identity provider. */
  readonly identityProvider?: Pick<RedeemedHandle, 'linkRequestId'>;
}

/** What the person does next: confirm an account with its password, use a second factor, set one up, or store the recovery codes of one that was set up. */
export interface SignInStep {
  readonly user: User;
  readonly kind: 'password' | 'verify' | 'enrol' | 'store-codes';
  readonly signIn: StartedSignIn;
}

/**
 * Completes sign-ins: at once, with a second factor after the password, with the enrolment of one, or with a passkey alone. After an identity provider, at
 * once too, unless the client asks for a second factor, or an account that has secrets here is to be linked.
 */
@Injectable()
export class SignInStepsService {
  constructor(
    private readonly oidc: OidcProviderService,
    private readonly accounts: AccountsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly codes: SecondFactorCodesService,
    private readonly apps: AuthenticatorAppsService,
    private readonly recoveryCodes: RecoveryCodesService,
    private readonly passkeys: PasskeysService,
    private readonly knownBrowsers: KnownBrowsersService,
    private readonly passwordLogin: PasswordLoginService,
    private readonly singleSignOn: SingleSignOnService,
    private readonly clock: Clock,
  ) {}

  /** Continues after the right password. True: the sign-in is complete and the response sent; false: the interaction page asks for the next step. */
  async continueAfterPassword(
    exchange: Exchange,
    pending: PendingInteraction,
    { user, remember }: { user: User; remember: boolean },
  ): Promise<boolean> {
    const signIn: StartedSignIn = {
      userId: user.id,
      remember,
      startedAt: this.clock.now().getTime(),
      passwordMark: markOf(user),
      amr: ['pwd'],
    };
    return await this.goOn(exchange, pending, { user, signIn });
  }

  /** Continues after an identity provider has signed a person in; the result is that of `continueAfterPassword`. */
  async continueAfterIdentityProvider(
    exchange: Exchange,
    pending: PendingInteraction,
    { userId, linkRequestId }: RedeemedHandle,
  ): Promise<boolean> {
    const user = await this.accounts.findById(userId);
    if (!user || user.disabledAt) throw oauthErrors.not_signed_in('Your account is disabled. Ask your administrator.');
    const startedAt = this.clock.now().getTime();
    const signIn = { userId, remember: true, startedAt, passwordMark: markOf(user), amr: [], identityProvider: { linkRequestId } };
    return await this.goOn(exchange, pending, { user, signIn });
  }

  /**
   * Checks the password of an account that a person who came from an identity provider confirms; the result is that of `continueAfterPassword`.
   * @throws DomainError 401 `login_failed`, 429 `login_delayed`
   */
  async verifyPassword(exchange: Exchange, pending: PendingInteraction, password: string): Promise<boolean> {
    const { user, signIn } = await this.get(pending, 'password');
    const { clientNetwork } = exchange.request.context;
    const knownBrowser = (one: User | null) => this.knownBrowsers.recognise(exchange.request, one);
    const entered = await this.passwordLogin.signIn({ email: user.email, password, clientNetwork, knownBrowser });
    if (entered.id !== user.id) throw expired(); // the address went to another person at this moment
    return await this.goOn(exchange, pending, { user, signIn: { ...signIn, amr: [...signIn.amr, 'pwd'] } });
  }

  private async goOn(
    exchange: Exchange,
    pending: PendingInteraction,
    { user, signIn }: { readonly user: User; readonly signIn: StartedSignIn },
  ): Promise<boolean> {
    if ((await this.nextStep(pending, user, signIn)) === 'none') {
      await this.complete(exchange, pending, user, signIn);
      return true;
    }
    await this.store(pending, signIn);
    return false;
  }

  private async nextStep(
    { requestsMfa }: PendingInteraction,
    user: User,
    { amr, identityProvider }: StartedSignIn,
  ): Promise<'none' | Exclude<SignInStep['kind'], 'store-codes'>> {
    if (!identityProvider) {
      const next = await this.secondFactors.nextStep(user);
      return next === 'none' && requestsMfa ? 'enrol' : next;
    }
    const isToLink = identityProvider.linkRequestId !== null;
    if (!isToLink && !requestsMfa) return 'none'; // identity providers ask for their own factors
    const hasFactor = await this.secondFactors.has(user.id);
    // A factor that is added here proves who the person is from then on, so that the identity provider alone must not add the first one.
    const asksPassword = user.passwordHash !== null && (isToLink || !hasFactor);
    if (asksPassword && !amr.includes('pwd')) return 'password';
    if (hasFactor) return 'verify';
    return requestsMfa ? 'enrol' : 'none';
  }

  /** Finds the step that a sign-in is waiting for; null: the person signs in from the beginning. */
  async find(pending: PendingInteraction): Promise<SignInStep | null> {
    const interaction = await this.oidc.provider.Interaction.find(pending.uid);
    const signIn = interaction?.result?.signIn as StartedSignIn | undefined;
    if (interaction?.prompt.name !== 'login' || !signIn || this.clock.now().getTime() - signIn.startedAt > STEPS_MS) return null;
    const user = await this.accounts.findById(signIn.userId);
    if (!user || user.disabledAt || markOf(user) !== signIn.passwordMark) return null;
    if (signIn.amr.includes(MFA)) return { user, signIn, kind: 'store-codes' };
    const kind = await this.nextStep(pending, user, signIn);
    if (kind === 'none') return null; // no longer required
    return { user, signIn, kind };
  }

  /** Returns to the page for e-mail and password. */
  async startOver(pending: Pick<PendingInteraction, 'uid'>): Promise<void> {
    await this.store(pending, undefined);
  }

  /**
   * Completes the sign-in with a code of the authenticator app or a recovery code.
   * @throws DomainError 401 `second_factor_failed`, 429 `login_delayed`
   */
  async verifyCode(exchange: Exchange, pending: PendingInteraction, code: string): Promise<void> {
    const { user, signIn } = await this.get(pending, 'verify');
    const occasion = occasionOf(exchange.request);
    const knownBrowser = this.knownBrowsers.recognise(exchange.request, user);
    await this.reportingFailure(user, occasion, async () => await this.codes.verify(user, { code, knownBrowser, occasion }));
    await this.complete(exchange, pending, user, { ...signIn, amr: [...signIn.amr, 'otp', MFA] });
  }

  /**
   * Completes the sign-in with a passkey: as second factor after the password, or alone.
   * @throws DomainError 401 `passkey_refused`
   */
  async verifyPasskey(
    exchange: Exchange,
    pending: PendingInteraction,
    { response, remember }: { response: string; remember: boolean },
  ): Promise<void> {
    const subject = subjectOf(pending);
    const step = await this.find(pending);
    if (step) {
      if (step.kind !== 'verify') throw expired();
      const { user, signIn } = step;
      const used = await this.reportingFailure(
        user,
        occasionOf(exchange.request),
        async () => await this.passkeys.authenticate(subject, response, user),
      );
      return await this.complete(exchange, pending, user, { ...signIn, amr: [...signIn.amr, ...used.amr, MFA] });
    }
    if (pending.prompt !== 'login') throw expired();
    const used = await this.passkeys.authenticate(subject, response, null);
    const user = await this.accounts.findById(used.userId);
    if (!user || user.disabledAt || user.kind !== 'person')
      throw oauthErrors.not_signed_in('Your account is disabled. Ask your administrator.');
    await this.complete(exchange, pending, user, { remember, amr: [...used.amr, MFA] });
  }

  /**
   * Binds the authenticator app of a person who has to enrol.
   * @throws DomainError 401 `second_factor_failed`
   */
  async enrolApp(exchange: Exchange, pending: PendingInteraction, code: string): Promise<void> {
    const { user, signIn } = await this.get(pending, 'enrol');
    const occasion = occasionOf(exchange.request);
    await this.apps.bind(user, subjectOf(pending), { code, occasion });
    await this.store(pending, { ...signIn, amr: [...signIn.amr, 'otp', MFA] });
  }

  /**
   * Binds a passkey of a person who has to enrol.
   * @throws DomainError 401 `passkey_refused`
   */
  async enrolPasskey(
    exchange: Exchange,
    pending: PendingInteraction,
    { response, name }: { response: string; name: string },
  ): Promise<void> {
    const { user, signIn } = await this.get(pending, 'enrol');
    const occasion = occasionOf(exchange.request);
    const passkey = await this.passkeys.register(user, subjectOf(pending), { response, name, occasion });
    await this.store(pending, { ...signIn, amr: [...signIn.amr, passkey.synced ? 'swk' : 'hwk', 'user', MFA] });
  }

  /** Creates recovery codes after an enrolment, to be shown once; showing the page again replaces them. */
  async createRecoveryCodes({ user }: SignInStep, occasion: Occasion): Promise<readonly string[]> {
    return await this.recoveryCodes.create(user, occasion);
  }

  /** Completes the sign-in after an enrolment. */
  async finishEnrolment(exchange: Exchange, pending: PendingInteraction): Promise<void> {
    const { user, signIn } = await this.get(pending, 'store-codes');
    await this.complete(exchange, pending, user, signIn);
  }

  private async get(pending: PendingInteraction, kind: SignInStep['kind']): Promise<SignInStep> {
    const step = await this.find(pending);
    if (step?.kind !== kind) throw expired();
    return step;
  }

  private async store({ uid }: Pick<PendingInteraction, 'uid'>, signIn: StartedSignIn | undefined): Promise<void> {
    const interaction = await this.oidc.provider.Interaction.find(uid);
    if (!interaction) throw expired();
    interaction.result = signIn && { signIn };
    await interaction.persist();
  }

  private async complete(
    { request, response }: Exchange,
    { uid, isFramed }: PendingInteraction,
    user: User,
    { remember, amr, identityProvider }: Pick<StartedSignIn, 'remember' | 'amr' | 'identityProvider'>,
  ): Promise<void> {
    if (identityProvider?.linkRequestId) await this.singleSignOn.link(request, identityProvider.linkRequestId, user);
    if (amr.length > 0) this.knownBrowsers.remember(response, user, randomUUID());
    await this.accounts.noteLanguage(user, wordsFor(request as Request).language);
    if (isFramed) frameCookies(response);
    // Without methods (`amr`) the session proves no secret of the account: the identity provider vouches for the person.
    const login = {
      accountId: String(user.id),
      remember,
      ...(amr.length > 0 && { amr: [...amr] }),
      ...(amr.includes(MFA) && { acr: MFA }),
    };
    const continuation = await this.oidc.storeLogin({ request, response }, login);
    // A new password ends the sign-ins of the person that it finds stored; it waits for the check of this one, or the check for it.
    if (!(await this.accounts.isCurrent(user))) {
      await this.startOver({ uid });
      throw expired();
    }
    response.writeHead(303, { location: continuation, 'content-length': 0 }).end();
  }

  private async reportingFailure<T>(user: User, occasion: Occasion, verify: () => Promise<T>): Promise<T> {
    try {
      return await verify();
    } catch (error) {
      if (isFactorRefusal(error)) await this.codes.reportFailure(user, occasion);
      throw error;
    }
  }
}

/** The subject of the passkey challenges of a sign-in. */
export const subjectOf = ({ uid }: Pick<PendingInteraction, 'uid'>): string => `sign-in ${uid}`;

export const occasionOf = (request: IncomingMessage): Occasion => ({
  ip: request.context.clientAddress,
  userAgent: request.headers['user-agent']?.slice(0, 512) ?? null,
});

/** Whether a second factor was refused because it is wrong. */
const isFactorRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && ['second_factor_failed', 'passkey_refused'].includes(error.code);

const markOf = ({ passwordHash }: User): string => sha256(passwordHash ?? '');

const expired = () => oauthErrors.not_signed_in('This step of the sign-in has expired or was completed elsewhere. Start again.');
