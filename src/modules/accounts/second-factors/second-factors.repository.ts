import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, LessThanOrEqual, MoreThan, Not, type Repository } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { PasskeyChallenge } from './passkey-challenge.entity.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { SecondFactor, type SecondFactorKind } from './second-factor.entity.js';

/** Time to scan a QR code and type a code. */
const ENROLMENT = '1 hour';

/** What a used passkey reports. */
interface PasskeyUse {
  readonly id: number;
  /** The signature counter; 0 if the passkey does not count. */
  readonly counter: number;
}

/** Reads and writes second factors. Uses are conditional updates, so that of several concurrent uses of one code or challenge one succeeds. */
@Injectable()
export class SecondFactorsRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('second_factors', `bound_at IS NULL AND created_at < $1::timestamptz - interval '${ENROLMENT}'`);
    housekeeping.expire('passkey_challenges', 'expires_at < $1');
  }

  /** The factors with which a person can sign in now, in the order in which they were added. */
  async findActive(userId: number): Promise<SecondFactor[]> {
    return await this.factors.find({ where: { userId, ...active }, order: { id: 'ASC' } });
  }

  /** Those of these people who have an authenticator app or a passkey. */
  async findPeople(userIds: readonly number[]): Promise<number[]> {
    const where = { userId: In([...userIds]), kind: Not('recovery_codes' as const), ...active };
    return (await this.factors.find({ select: { userId: true }, where })).map(({ userId }) => userId);
  }

  /** Every factor that a person ever had, the newest first. */
  async findEver(userId: number): Promise<SecondFactor[]> {
    return await this.factors.find({ where: { userId, boundAt: Not(IsNull()) }, order: { id: 'DESC' } });
  }

  /** The authenticator app that is being enrolled in this sign-in or session. */
  async findUnbound(userId: number, subject: string): Promise<SecondFactor | null> {
    return await this.factors.findOneBy({ userId, subject, boundAt: IsNull() });
  }

  async findPasskey(credentialId: string): Promise<SecondFactor | null> {
    return await this.factors.findOneBy({ credentialId, ...active });
  }

  /** Starts the enrolment of an authenticator app, which replaces one that was not finished in the same sign-in or session. */
  async startEnrolment(enrolment: Pick<SecondFactor, 'userId' | 'subject' | 'sealedSecret'>): Promise<void> {
    await this.factors.delete({ userId: enrolment.userId, subject: enrolment.subject ?? '', boundAt: IsNull() });
    await this.factors.insert({ ...enrolment, kind: 'totp', name: '' });
  }

  /** Binds an authenticator app, whose code of `lastStep` counts as used; false if it was bound meanwhile. */
  async bind(id: number, { lastStep, now }: { readonly lastStep: number; readonly now: Date }): Promise<boolean> {
    return (
      (await this.factors.update({ id, boundAt: IsNull() }, { boundAt: now, lastUsedAt: now, lastStep, subject: null })).affected === 1
    );
  }

  async insertPasskey(
    passkey: Pick<SecondFactor, 'userId' | 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'synced' | 'boundAt'>,
  ): Promise<SecondFactor> {
    return await this.factors.save(this.factors.create({ ...passkey, kind: 'passkey' }));
  }

  async rename(userId: number, id: number, name: string): Promise<boolean> {
    return (await this.factors.update({ userId, id, kind: 'passkey', ...active }, { name })).affected === 1;
  }

  /** Counts an attempt at an authenticator app as failed before its code is checked, and returns the number of consecutive failures. */
  async countFailure(id: number): Promise<number> {
    // Raw SQL: TypeORM's increment() does not return the new value.
    const row = await this.database.queryOne<{ failures: number }>(
      'UPDATE second_factors SET failures = failures + 1 WHERE id = $1 RETURNING failures',
      [id],
    );
    return row?.failures ?? 0;
  }

  /** Uses the code of a time step; false if it or a later one was used. */
  async markStepUsed(id: number, { step, now }: { readonly step: number; readonly now: Date }): Promise<boolean> {
    const used = await this.factors.update({ id, lastStep: LessThan(step), ...active }, { lastStep: step, lastUsedAt: now, failures: 0 });
    return used.affected === 1;
  }

  /** Records the use of a passkey; false if its counter has not increased, which a copied key may cause (WebAuthn section 6.1.1). */
  async markPasskeyUsed({ id, counter }: PasskeyUse, now: Date): Promise<boolean> {
    const before = counter === 0 ? LessThanOrEqual(0) : LessThan(counter);
    return (await this.factors.update({ id, counter: before, ...active }, { counter, lastUsedAt: now })).affected === 1;
  }

  /** Replaces a person's set of recovery codes by one with these hashes, and returns its id. */
  async replaceRecoveryCodes(userId: number, hashes: readonly string[], now: Date): Promise<number> {
    await this.remove(userId, { kinds: ['recovery_codes'] }, now);
    const { id } = await this.factors.save(this.factors.create({ userId, kind: 'recovery_codes', name: '', boundAt: now }));
    await this.codes.insert(hashes.map((codeHash, index) => ({ secondFactorId: id, position: index + 1, codeHash })));
    return id;
  }

  async findRecoveryCodes(secondFactorId: number): Promise<RecoveryCode[]> {
    return await this.codes.find({ where: { secondFactorId }, order: { position: 'ASC' } });
  }

  async markRecoveryCodeUsed({ secondFactorId, position }: RecoveryCode, now: Date): Promise<boolean> {
    const used = await this.codes.update({ secondFactorId, position, usedAt: IsNull() }, { usedAt: now });
    if (used.affected === 1) await this.factors.update({ id: secondFactorId, ...active }, { lastUsedAt: now });
    return used.affected === 1;
  }

  /** Restarts the count of wrong codes of a person's authenticator app. */
  async resetFailures(userId: number): Promise<void> {
    await this.factors.update({ userId, kind: 'totp', failures: MoreThan(0) }, { failures: 0 });
  }

  /** Removes factors of a person and returns the number of them. Their rows stay, without secrets. */
  async remove(
    userId: number,
    which: { readonly id?: number; readonly kinds?: readonly SecondFactorKind[]; readonly wasReset?: boolean },
    now: Date,
  ): Promise<number> {
    const { id, kinds, wasReset = false } = which;
    const where = { userId, ...(id !== undefined && { id }), ...(kinds && { kind: In([...kinds]) }), ...active };
    const removed = await this.factors.update(where, { removedAt: now, sealedSecret: null, wasReset });
    return removed.affected ?? 0;
  }

  async insertChallenge(challenge: PasskeyChallenge): Promise<void> {
    await this.challenges.insert(challenge);
  }

  /** Uses up a challenge; false if it was used, has expired or belongs to another subject. */
  async takeChallenge(challenge: string, subject: string, now: Date): Promise<boolean> {
    return (await this.challenges.delete({ challenge, subject, expiresAt: MoreThan(now) })).affected === 1;
  }

  private get factors(): Repository<SecondFactor> {
    return this.database.repository(SecondFactor);
  }

  private get codes(): Repository<RecoveryCode> {
    return this.database.repository(RecoveryCode);
  }

  private get challenges(): Repository<PasskeyChallenge> {
    return this.database.repository(PasskeyChallenge);
  }
}

const active = { boundAt: Not(IsNull()), removedAt: IsNull() };
