import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThan, Like } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { HousekeepingService } from '../../shared/jobs/index.js';
import { LoginFailure } from './login-failure.entity.js';

/** Whether an attempt may proceed; if not, how long to wait. */
export interface Admission {
  /** Identifies the attempt. */
  readonly attempt: string;
  readonly admitted: boolean;
  readonly waitSeconds: number;
}

const QUIET_TIME = '1 hour'; // without attempts, after which the count restarts

/** Marks the keys of failures in a row, which no pause interrupts. */
export const IN_A_ROW = ':row';
/**
 * Failures in a row are remembered for a week each, at most for a year: a program that waits longer tries 52 passwords a year, and the rows of invented
 * addresses, which anyone can fill, go soon.
 */
const MAX_WEEKS = 52;

/** Counts failed logins in `login_failures`. */
@Injectable()
export class LoginFailuresRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    // Rows that no longer delay any attempt, and failures in a row after a longer time.
    housekeeping.expire(
      'login_failures',
      `updated_at < $1::timestamptz - interval '${QUIET_TIME}' AND wait_until < $1
        AND (key NOT LIKE '%${IN_A_ROW}%' OR updated_at < $1::timestamptz - least(failures, ${MAX_WEEKS}) * interval '1 week')`,
    );
  }

  /**
   * Counts an attempt as failed before it is checked. `waits` are the seconds to wait after the 1st, 2nd, … failure; the last value applies to
   * all further ones.
   */
  async countAttempt(key: string, waits: readonly number[], now: Date): Promise<Admission> {
    const attempt = randomUUID();
    const values = [key, now, attempt, waits];
    // Raw SQL: one statement, so that concurrent attempts are all counted; TypeORM cannot express an upsert that reads the old row. $4: the
    // seconds to wait. An attempt during the wait is counted and refused, and does not prolong the wait. The
    // absence of a wait is stored as the epoch, not as the current time, because attempts arrive out of order from processes whose clocks
    // differ.
    const row = await this.database.queryOne<{ waitUntil: Date; admitted: string }>(
      `INSERT INTO login_failures AS f (key, failures, wait_until, admitted, updated_at)
        VALUES ($1, 1, coalesce($2::timestamptz + make_interval(secs => nullif(($4::int[])[1], 0)), 'epoch'), $3, $2)
        ON CONFLICT (key) DO UPDATE SET
          failures = CASE WHEN f.updated_at < $2::timestamptz - interval '${QUIET_TIME}' THEN 1 ELSE f.failures + 1 END,
          wait_until = CASE
            WHEN f.wait_until > $2 THEN f.wait_until
            WHEN f.updated_at < $2::timestamptz - interval '${QUIET_TIME}' THEN excluded.wait_until
            ELSE coalesce(
              $2::timestamptz + make_interval(secs => nullif(($4::int[])[least(f.failures + 1, cardinality($4::int[]))], 0)), 'epoch') END,
          admitted = CASE WHEN f.wait_until > $2 THEN f.admitted ELSE $3 END,
          updated_at = $2
        RETURNING wait_until AS "waitUntil", admitted`,
      values,
    );
    if (!row) throw new Error('The statement always returns a row.');
    if (row.admitted === attempt) return { attempt, admitted: true, waitSeconds: 0 };
    return { attempt, admitted: false, waitSeconds: Math.max(1, Math.ceil((row.waitUntil.getTime() - now.getTime()) / 1000)) };
  }

  /** Counts a wrong password and returns the number of wrong ones in a row; `key` contains `IN_A_ROW`. */
  async countInARow(key: string, now: Date): Promise<number> {
    // Raw SQL, because the new number is computed from the old row.
    const row = await this.database.queryOne<{ failures: number }>(
      `INSERT INTO login_failures AS f (key, failures, wait_until, admitted, updated_at) VALUES ($1, 1, 'epoch', $2, $3)
        ON CONFLICT (key) DO UPDATE SET failures = f.failures + 1, updated_at = $3 RETURNING failures`,
      [key, randomUUID(), now],
    );
    return row?.failures ?? 1;
  }

  /** The numbers of failures by key; keys without failures are omitted. */
  async countsOf(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database
      .repository(LoginFailure)
      .find({ select: { key: true, failures: true }, where: { key: In([...keys]) } });
    return new Map(rows.map(({ key, failures }) => [key, failures]));
  }

  /** Resets counts of failures in a row, unless they have reached `limit`. */
  async endRows(keys: readonly string[], limit: number): Promise<void> {
    await this.database.repository(LoginFailure).delete({ key: In([...keys]), failures: LessThan(limit) });
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
    // Raw SQL, because the new values are computed from the old row.
    await this.database.query(
      `UPDATE login_failures SET failures = greatest(failures - 1, 0),
        wait_until = CASE WHEN admitted = $2 THEN 'epoch' ELSE wait_until END WHERE key = $1`,
      [key, attempt],
    );
  }
}
