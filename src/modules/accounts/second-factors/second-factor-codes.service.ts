import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { accountsErrors } from '../accounts.errors.js';
import { LoginFailuresRepository } from '../login-failures.repository.js';
import type { Occasion } from '../mails/account-mails.service.js';
import { type DelayPolicy, delayTable } from '../password-login.service.js';
import type { User } from '../user.entity.js';
import { AuthenticatorAppsService } from './authenticator-apps.service.js';
import { RecoveryCodesService } from './recovery-codes.service.js';
import type { SecondFactor } from './second-factor.entity.js';
import { SecondFactorChangesService } from './second-factor-changes.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** For one person: people mistype a few times, and a clock may be wrong. The maximum is short, because strangers can cause the delay. */
const codeDelay: DelayPolicy = { free: 5, maxSeconds: 60 };

const codeWaits = delayTable(codeDelay);

/**
 * Consecutive wrong codes of an authenticator app (NIST SP 800-63B-4 section 3.2.2), after which its codes are accepted only in browsers in which the
 * person has signed in: a stranger with the password guesses one with a probability of 1 in 5,000. Passkeys and recovery codes still work.
 */
const MAX_FAILURES = 100;

/** One mail an hour about wrong second factors. */
const ALERT_WAITS = [3_600];

export interface CodeAttempt {
  /** As typed. */
  readonly code: string;
  /** Identifies a browser in which the person signed in before; its attempts are counted separately, so that strangers cannot delay them. */
  readonly knownBrowser: string | null;
  readonly occasion: Occasion;
}

/** Checks codes of authenticator apps and recovery codes, and delays attempts after repeated failures. */
@Injectable()
export class SecondFactorCodesService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly failures: LoginFailuresRepository,
    private readonly apps: AuthenticatorAppsService,
    private readonly recoveryCodes: RecoveryCodesService,
    private readonly changes: SecondFactorChangesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Uses a code of the person: six digits of the authenticator app, or a recovery code. Blanks are ignored.
   * @throws DomainError 401 `second_factor_failed`, 429 `login_delayed`
   */
  async verify(user: Pick<User, 'id' | 'customerId'>, attempt: CodeAttempt): Promise<void> {
    const code = attempt.code.replaceAll(/\s/g, '');
    const kind = /^\d+$/.test(code) ? 'totp' : 'recovery_codes';
    const key = `${kind}:${user.id}${attempt.knownBrowser ? `:${attempt.knownBrowser}` : ''}`;
    await this.countAttempt(key);
    const factor = (await this.factors.findActive(user.id)).find((one) => one.kind === kind);
    const isRight =
      factor &&
      (kind === 'totp' ? await this.verifyApp(factor, code, attempt) : await this.verifyRecovery(user, factor, { ...attempt, code }));
    if (!isRight) throw accountsErrors.second_factor_failed('The code is not correct, or it was used already. Each code works once.');
    await this.failures.reset(key);
    await this.factors.resetFailures(user.id);
  }

  /** Notifies a person that the right password was entered with a wrong second factor: at most once an hour. */
  async reportFailure(user: Pick<User, 'id' | 'customerId'>, occasion: Occasion): Promise<void> {
    const { admitted } = await this.failures.countAttempt(`factor-alert:${user.id}`, ALERT_WAITS, this.clock.now());
    if (admitted) await this.changes.record('wrong-second-factor', user, { occasion });
  }

  private async verifyApp(app: SecondFactor, code: string, { knownBrowser }: CodeAttempt): Promise<boolean> {
    const failures = await this.factors.countFailure(app.id);
    if (failures > MAX_FAILURES && knownBrowser === null) {
      throw accountsErrors.second_factor_failed(
        `Codes of the app are not accepted here after ${MAX_FAILURES} wrong ones. Use a passkey or a recovery code, or a browser in which you have signed in before.`,
      );
    }
    return await this.apps.verify(app, code);
  }

  private async verifyRecovery(user: Pick<User, 'id' | 'customerId'>, set: SecondFactor, attempt: CodeAttempt): Promise<boolean> {
    return await this.recoveryCodes.use(user, set, attempt);
  }

  private async countAttempt(key: string): Promise<void> {
    const { admitted, waitSeconds } = await this.failures.countAttempt(key, codeWaits, this.clock.now());
    if (admitted) return;
    const detail = `Too many wrong codes. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'} and try again.`;
    throw accountsErrors.login_delayed(detail, { retryAfter: waitSeconds });
  }
}
