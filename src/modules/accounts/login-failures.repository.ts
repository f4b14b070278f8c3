import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { Housekeeping } from '../../shared/jobs/index.js';

const FORGET_AFTER = '1 hour'; // a quiet hour starts the count anew

/** What one try learned: whether it may go on, else how long to wait. */
export interface Admission {
  /** Names the try. */
  readonly attempt: string;
  readonly admitted: boolean;
  readonly waitSeconds: number;
}

@Injectable()
export class LoginFailuresRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('login_failures', `updated_at < $1::timestamptz - interval '${FORGET_AFTER}' AND wait_until < $1`);
  }

  /**
   * Counts a try as failed before it is checked, in one statement, so that tries in parallel are all counted. A try during the wait is
   * counted and refused, and does not prolong the wait. `waits` are the seconds to wait after the 1st, 2nd, … failure; the last one stays.
   * No wait is stored as the epoch, not as now: tries arrive out of order, from processes whose clocks differ.
   */
  async admit(key: string, waits: readonly number[], now: Date): Promise<Admission> {
    const attempt = randomUUID();
    const row = await this.database.queryOne<{ waitUntil: Date; admitted: string }>(
      `INSERT INTO login_failures AS f (key, failures, wait_until, admitted, updated_at)
       VALUES ($1, 1, coalesce($2::timestamptz + make_interval(secs => nullif(($4::int[])[1], 0)), 'epoch'), $3, $2)
       ON CONFLICT (key) DO UPDATE SET
         failures = CASE WHEN f.updated_at < $2::timestamptz - interval '${FORGET_AFTER}' THEN 1 ELSE f.failures + 1 END,
         wait_until = CASE
           WHEN f.wait_until > $2 THEN f.wait_until
           WHEN f.updated_at < $2::timestamptz - interval '${FORGET_AFTER}' THEN excluded.wait_until
           ELSE coalesce(
             $2::timestamptz + make_interval(secs => nullif(($4::int[])[least(f.failures + 1, cardinality($4::int[]))], 0)), 'epoch') END,
         admitted = CASE WHEN f.wait_until > $2 THEN f.admitted ELSE $3 END,
         updated_at = $2
       RETURNING wait_until AS "waitUntil", admitted`,
      [key, now, attempt, waits],
    );
    if (!row) throw new Error('The statement above always answers a row.');
    if (row.admitted === attempt) return { attempt, admitted: true, waitSeconds: 0 };
    return { attempt, admitted: false, waitSeconds: Math.max(1, Math.ceil((row.waitUntil.getTime() - now.getTime()) / 1000)) };
  }

  /** A login succeeded: the account starts anew. */
  async clear(key: string): Promise<void> {
    await this.database.query('DELETE FROM login_failures WHERE key = $1', [key]);
  }

  /** The try that was counted beforehand did not fail after all: it counts no more, and nobody waits because of it. */
  async forgive(key: string, { attempt }: Admission): Promise<void> {
    const sql = `UPDATE login_failures SET failures = greatest(failures - 1, 0),
      wait_until = CASE WHEN admitted = $2 THEN 'epoch' ELSE wait_until END WHERE key = $1`;
    await this.database.query(sql, [key, attempt]);
  }
}
