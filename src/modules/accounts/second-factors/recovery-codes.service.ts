import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database } from '../../../shared/database/index.js';
import type { Occasion } from '../mails/account-mails.service.js';
import { PasswordHasher } from '../password-hasher.port.js';
import type { User } from '../user.entity.js';
import type { SecondFactor } from './second-factor.entity.js';
import { SecondFactorChangesService } from './second-factor-changes.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { BASE32 } from './totp.js';

const CODES = 10;
/** 65 bits, which cannot be guessed at the rate at which codes are accepted. */
const CHARACTERS = 13;

/** Creates and checks recovery codes, each for use once in place of another second factor. */
@Injectable()
export class RecoveryCodesService {
  constructor(
    private readonly database: Database,
    private readonly factors: SecondFactorsRepository,
    private readonly hasher: PasswordHasher,
    private readonly changes: SecondFactorChangesService,
    private readonly clock: Clock,
  ) {}

  /** Creates a set of codes, which replaces the person's earlier set, and returns it; only hashes are stored. */
  async create(user: Pick<User, 'id' | 'customerId'>, occasion: Occasion): Promise<readonly string[]> {
    const codes = Array.from({ length: CODES }, randomCode);
    const hashes = await Promise.all(codes.map(async (code) => await this.hasher.hash(code, String(user.customerId))));
    await this.database.transaction(async () => {
      const bound = await this.factors.replaceRecoveryCodes(user.id, hashes, this.clock.now());
      await this.changes.record('recovery-codes-created', user, { occasion, bound });
    });
    return codes;
  }

  /** Uses a code of the set; false if it is not one of its unused codes. Upper and lower case are the same. */
  async use(
    user: Pick<User, 'id' | 'customerId'>,
    set: SecondFactor,
    { code, occasion }: { readonly code: string; readonly occasion: Occasion },
  ): Promise<boolean> {
    const given = code.toUpperCase();
    if (given.length !== CHARACTERS) return false;
    const unused = (await this.factors.findRecoveryCodes(set.id)).filter(({ usedAt }) => !usedAt);
    const matches = await Promise.all(
      unused.map(async ({ codeHash }) => await this.hasher.verify(codeHash, given, String(user.customerId))),
    );
    const found = unused[matches.indexOf(true)];
    if (!found) return false;
    return await this.database.transaction(async () => {
      if (!(await this.factors.markRecoveryCodeUsed(found, this.clock.now()))) return false;
      await this.changes.record('recovery-code-used', user, { occasion });
      return true;
    });
  }
}

const randomCode = (): string => Array.from({ length: CHARACTERS }, () => BASE32[randomInt(BASE32.length)]).join('');
