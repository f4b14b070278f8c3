import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Like } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { COUNT_LOGIN_ATTEMPT, IS_LOGIN_FAILURE_EXPIRED, UNCOUNT_LOGIN_ATTEMPT } from './accounts.queries.js';
import { LoginFailure } from './login-failure.entity.js';

/** Whether an attempt may proceed; if not, how long to wait. */
export interface Admission {
  /** Identifies the attempt. */
  readonly attempt: string;
  readonly admitted: boolean;
  readonly waitSeconds: number;
}

/** Counts failed logins in `login_failures`. */
@Injectable()
export class LoginFailuresRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('login_failures', IS_LOGIN_FAILURE_EXPIRED);
  }

  /**
   * Counts an attempt as failed before it is checked. `waits` are the seconds to wait after the 1st, 2nd, … failure; the last value applies to
   * all further ones.
   */
  async countAttempt(key: string, waits: readonly number[], now: Date): Promise<Admission> {
    const attempt = randomUUID();
    const values = [key, now, attempt, waits];
    const row = await this.database.queryOne<{ waitUntil: Date; admitted: string }>(COUNT_LOGIN_ATTEMPT, values);
    if (!row) throw new Error('The statement always returns a row.');
    if (row.admitted === attempt) return { attempt, admitted: true, waitSeconds: 0 };
    return { attempt, admitted: false, waitSeconds: Math.max(1, Math.ceil((row.waitUntil.getTime() - now.getTime()) / 1000)) };
  }

  /** Resets the count of an account after a successful login. */
  async reset(key: string): Promise<void> {
    await this.database.repository(LoginFailure).delete({ key });
  }

  /** Deletes the counts of an account, including those of single browsers. `key` contains no wildcards. */
  async deleteOfAccount(key: string): Promise<void> {
    await this.database.repository(LoginFailure).delete({ key });
    await this.database.repository(LoginFailure).delete({ key: Like(`${key}:%`) });
  }

  /** Removes an attempt that did not fail from the count, and the wait that it caused. */
  async uncountAttempt(key: string, { attempt }: Admission): Promise<void> {
    await this.database.query(UNCOUNT_LOGIN_ATTEMPT, [key, attempt]);
  }
}
