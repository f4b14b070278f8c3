import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import { accountsErrors } from '../accounts.errors.js';
import { AccountsRepository } from '../accounts.repository.js';
import type { Occasion } from '../mails/account-mails.service.js';
import type { User } from '../user.entity.js';
import type { SecondFactor } from './second-factor.entity.js';
import { SecondFactorChangesService } from './second-factor-changes.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** What follows the right password at a sign-in: nothing, a second factor, or the enrolment of one. */
export type NextStep = 'none' | 'verify' | 'enrol';

/** The second factors of a person, for pages. */
export interface SecondFactorSummary {
  readonly authenticatorApp: SecondFactor | null;
  readonly passkeys: readonly SecondFactor[];
  /** The set of recovery codes, and when each of them was used, in the order in which the person has them. */
  readonly recoveryCodes: { readonly createdAt: Date; readonly usedAt: readonly (Date | null)[] } | null;
}

/** A second factor that a person ever had, for operators. */
export type FactorRecord = Pick<SecondFactor, 'kind' | 'name' | 'boundAt' | 'lastUsedAt' | 'removedAt' | 'wasReset'>;

/** Knows which second factors people have, who needs one, and removes them. */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly database: Database,
    private readonly factors: SecondFactorsRepository,
    private readonly accounts: AccountsRepository,
    private readonly changes: SecondFactorChangesService,
    private readonly clock: Clock,
  ) {}

  /** Whether a person has a second factor, without which a password is not sufficient. */
  async has(userId: number): Promise<boolean> {
    return (await this.factors.findActive(userId)).some(isSecondFactor);
  }

  /** Those of these people who have a second factor. */
  async findPeople(userIds: readonly number[]): Promise<ReadonlySet<number>> {
    return new Set(await this.factors.findPeople(userIds));
  }

  async nextStep(user: Pick<User, 'id' | 'customerId' | 'requireSecondFactor'>): Promise<NextStep> {
    if (await this.has(user.id)) return 'verify';
    return (await this.mustHave(user)) ? 'enrol' : 'none';
  }

  async describe(userId: number): Promise<SecondFactorSummary> {
    const active = await this.factors.findActive(userId);
    const set = active.find(({ kind }) => kind === 'recovery_codes');
    const codes = set && (await this.factors.findRecoveryCodes(set.id));
    return {
      authenticatorApp: active.find(({ kind }) => kind === 'totp') ?? null,
      passkeys: active.filter(({ kind }) => kind === 'passkey'),
      recoveryCodes: set && codes ? { createdAt: set.createdAt, usedAt: codes.map(({ usedAt }) => usedAt) } : null,
    };
  }

  /** @throws DomainError 404 `second_factor_unknown` */
  async getPasskey({ id: userId }: Pick<User, 'id'>, id: number): Promise<SecondFactor> {
    const passkey = (await this.factors.findActive(userId)).find((one) => one.id === id && one.kind === 'passkey');
    if (!passkey) throw accountsErrors.second_factor_unknown('The passkey was removed already.');
    return passkey;
  }

  /** Every factor that a person ever had, the newest first. */
  async history(userId: number): Promise<FactorRecord[]> {
    const ever = await this.factors.findEver(userId);
    return ever.map(({ kind, name, boundAt, lastUsedAt, removedAt, wasReset }) => ({
      kind,
      name,
      boundAt,
      lastUsedAt,
      removedAt,
      wasReset,
    }));
  }

  /**
   * Removes an authenticator app or a passkey; with the last of them also the recovery codes, which are of no use any more.
   * @throws DomainError 404 `second_factor_unknown`, 409 `second_factor_required`
   */
  async remove(user: Pick<User, 'id' | 'customerId'>, id: number, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      const [locked] = await this.accounts.lockUsers([user.id]);
      const active = (await this.factors.findActive(user.id)).filter(isSecondFactor);
      const factor = active.find((one) => one.id === id);
      if (!locked || !factor) throw accountsErrors.second_factor_unknown('The second factor was removed already.');
      const isLast = active.length === 1;
      if (isLast && (await this.isRequired(locked))) {
        throw accountsErrors.second_factor_required(
          'A second factor is required for your account. Add another one before you remove the last.',
        );
      }
      await this.factors.remove(user.id, isLast ? {} : { id }, this.clock.now());
      await this.changes.record(factor.kind === 'totp' ? 'authenticator-removed' : 'passkey-removed', user, {
        occasion,
        thing: factor.name,
      });
    });
  }

  /** The factors with which a person can sign in now, recovery codes included. */
  async findActive(userId: number): Promise<SecondFactor[]> {
    return await this.factors.findActive(userId);
  }

  /**
   * Removes factors that another person may have bound, even the last ones of a person who needs one, and recovery codes without another factor. Call it
   * in the transaction of the denial, which is recorded as a whole.
   */
  async removeDenied(userId: number, denied: readonly SecondFactor[]): Promise<void> {
    for (const { id } of denied) await this.factors.remove(userId, { id }, this.clock.now());
    if (!(await this.has(userId))) await this.factors.remove(userId, { kinds: ['recovery_codes'] }, this.clock.now());
  }

  /** Removes all factors of a person who has lost them, and who has to enrol anew at the next sign-in. */
  async reset(user: Pick<User, 'id' | 'customerId'>, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      await this.factors.remove(user.id, { wasReset: true }, this.clock.now());
      await this.changes.record('second-factor-reset', user, { occasion });
    });
  }

  /** Whether the person has to enrol: because of the customer, an administrator, or a reset after which no factor was bound. */
  private async mustHave(user: Pick<User, 'id' | 'customerId' | 'requireSecondFactor'>): Promise<boolean> {
    if (await this.isRequired(user)) return true;
    const [latest] = (await this.factors.findEver(user.id)).toSorted(byRemoval);
    return latest?.wasReset === true;
  }

  private async isRequired({ customerId, requireSecondFactor }: Pick<User, 'customerId' | 'requireSecondFactor'>): Promise<boolean> {
    return requireSecondFactor || (await this.accounts.findCustomer(customerId))?.requireSecondFactor === true;
  }
}

/** Recovery codes only replace another factor. */
export const isSecondFactor = ({ kind }: SecondFactor): boolean => kind !== 'recovery_codes';

const byRemoval = (one: SecondFactor, other: SecondFactor): number => Number(other.removedAt) - Number(one.removedAt);
