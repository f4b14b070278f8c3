import { Injectable } from '@nestjs/common';
import type { Authentication, Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import { accountsErrors } from './accounts.errors.js';
import { AccountsRepository } from './accounts.repository.js';
import { type ChangeAt, type MissingConfirmation, missingConfirmation, type Proof, REQUIRED_PROOFS } from './required-proofs.js';
import { SecondFactorsService } from './second-factors/second-factors.service.js';
import type { User } from './user.entity.js';

/** Checks the proofs that doors demand (`REQUIRED_PROOFS`). */
@Injectable()
export class ProofsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly secondFactors: SecondFactorsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses a request to the API without the proof of its row. Callers for whom no person signed in, such as signed requests, client credentials and
   * instructions of subscriptions, can give none.
   * @throws DomainError 403 `use_account_page`, `confirmation_required`
   */
  async requireAtApi(caller: Caller, change: ChangeAt<'api'>): Promise<void> {
    const proof: Proof = REQUIRED_PROOFS[change].api;
    if (proof.of === 'page') {
      throw accountsErrors.use_account_page(
        'Your own e-mail address, password and second factors are changed on your account page (/account) only, and your own rights can only be lowered.',
      );
    }
    if (proof.of !== 'person') return;
    const user = await this.accounts.findUser(caller.userId);
    const missing = user && (await this.findMissing(proof, user, caller.authentication ?? {}));
    if (user && !missing) return;
    throw accountsErrors.confirmation_required(
      'This needs a sign-in or confirmation of yours within the last 5 minutes, with your second factor if you have one.',
      { ...(missing ?? { acr_values: null, max_age: proof.maxAgeSeconds }) },
    );
  }

  /** What the sign-in of a person lacks for a proof; null: nothing. */
  async findMissing(proof: Proof, user: User, authentication: Authentication): Promise<MissingConfirmation | null> {
    const hasSecondFactor = await this.secondFactors.has(user.id);
    const person = { passwordHash: user.passwordHash, hasSecondFactor };
    return missingConfirmation(proof, authentication, { person, now: this.clock.now() });
  }
}
