import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountLinksService } from '../links/account-links.service.js';
import { AccountMailsService, type Occasion } from '../mails/account-mails.service.js';
import { type LoginAttempt, PasswordLoginService } from '../password-login.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { SignIns } from '../sign-ins.port.js';
import type { User } from '../user.entity.js';
import { SecondFactorsService } from './second-factors.service.js';

/** What a person with a mailed link enters to remove lost second factors. */
export type FactorReset = Omit<LoginAttempt, 'email'> & { readonly occasion: Occasion };

/** Lets people who have lost their second factors enrol anew: with a mailed link, and with their password. */
@Injectable()
export class FactorResetsService {
  constructor(
    private readonly database: Database,
    private readonly links: AccountLinksService,
    private readonly mails: AccountMailsService,
    private readonly passwords: PasswordsService,
    private readonly login: PasswordLoginService,
    private readonly secondFactors: SecondFactorsService,
    private readonly signIns: SignIns,
  ) {}

  /**
   * Mails the person a link with which they can remove their second factors. An administrator can allow this, but cannot do it. Earlier links end.
   * @throws DomainError 409 `factor_reset_impossible` for a user who does not sign in with a password, 503 `mails_unavailable`
   */
  async allow({ id, kind, passwordHash, disabledAt }: User): Promise<void> {
    if (kind !== 'person' || !passwordHash || disabledAt) {
      throw accountsErrors.factor_reset_impossible(
        `User ${id} is disabled or does not sign in with a password, so that a mailed link does not help.`,
      );
    }
    if (!this.mails.available) throw accountsErrors.mails_unavailable('This installation sends no e-mails. Set SMTP_URL.');
    await this.database.transaction(async () => {
      await this.links.withdraw(id, ['factor-reset']);
      await this.mails.send({ kind: 'factor-reset', userId: id });
    });
  }

  /**
   * Removes the second factors of the person of a link, and ends all sessions. The person enrols anew at the next sign-in.
   * @throws DomainError 401 `login_failed`, 410 `account_link_expired`, 429 `login_delayed`
   */
  async redeem(token: string, { occasion, ...attempt }: FactorReset): Promise<void> {
    const user = await this.passwords.getByLink(token, 'factor-reset');
    await this.login.signIn({ ...attempt, email: user.email });
    await this.database.transaction(async () => {
      await this.links.use(token, 'factor-reset');
      await this.secondFactors.reset(user, occasion);
      await this.signIns.endSessions(user.id, null);
    });
  }
}
