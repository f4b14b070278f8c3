import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { HousekeepingService } from '../../../shared/jobs/index.js';
import { utcDayOf } from '../../../shared/utc-day.js';
import type { Dropsite } from '../dropsite.entity.js';

export interface Amount {
  readonly items: number;
  readonly bytes: number;
}

type LimitedDropsite = Pick<Dropsite, 'id' | 'maxItemsPerDay' | 'maxBytesPerDay'>;

/** The sums, in types that can represent the sum of any two values of their columns. */
const [ITEMS, BYTES] = ['(usage.items::bigint + excluded.items)', '(usage.bytes::numeric + excluded.bytes)'];

/**
 * Adds both values. Sums are limited to the maximum of their columns, which is beyond every limit: announcing terabytes all day must not cause an
 * error.
 */
const ADD_BOTH = `items = least(${ITEMS}, 2147483647), bytes = least(${BYTES}, 9223372036854775807)`;

/** Counts what dropsites accept per day. Raw SQL only: every statement is an upsert under a condition, which TypeORM cannot express. */
@Injectable()
export class DropsiteUsageRepository {
  constructor(
    private readonly database: Database,
    housekeeping: HousekeepingService,
  ) {
    housekeeping.expire('dropsite_usage', `day < ($1::timestamptz AT TIME ZONE 'UTC')::date`);
  }

  /** Counts a new batch, in the ambient transaction; false if it would exceed a limit, and nothing was counted. */
  async consume({ id, maxItemsPerDay, maxBytesPerDay }: LimitedDropsite, { items, bytes }: Amount, now: Date): Promise<boolean> {
    // Raw SQL: one statement decides and counts. Concurrent requests wait for the row, and each sees the sums of the previous ones. It
    // counts nothing for a deleted dropsite, and waits for a concurrent deletion, so that the foreign key does not fail.
    return await this.decide(
      `INSERT INTO dropsite_usage AS usage (dropsite_id, day, items, bytes)
        SELECT id, $2::date, $3::int, $4::bigint FROM dropsites
        WHERE id = $1 AND ($5::int IS NULL OR $3::int <= $5) AND ($6::bigint IS NULL OR $4::bigint <= $6) FOR KEY SHARE
        ON CONFLICT (dropsite_id, day) DO UPDATE SET ${ADD_BOTH}
        WHERE ($5::int IS NULL OR ${ITEMS} <= $5) AND ($6::bigint IS NULL OR ${BYTES} <= $6)`,
      [id, utcDayOf(now), items, bytes, maxItemsPerDay, maxBytesPerDay],
    );
  }

  /** Whether a new batch would stay within the limits. Nothing is reserved: other requests may use up the limit meanwhile. */
  async hasRoom({ id, maxItemsPerDay, maxBytesPerDay }: LimitedDropsite, { items, bytes }: Amount, now: Date): Promise<boolean> {
    if (maxItemsPerDay === null && maxBytesPerDay === null) return true;
    // Raw SQL: checks whether today's sums leave room, computed in types that cannot overflow.
    return await this.decide(
      `SELECT FROM
        (SELECT coalesce(max(items), 0)::bigint + $3::int AS items, coalesce(max(bytes), 0)::numeric + $4::bigint AS bytes
          FROM dropsite_usage WHERE dropsite_id = $1 AND day = $2::date) AS wanted
        WHERE ($5::int IS NULL OR items <= $5) AND ($6::bigint IS NULL OR bytes <= $6)`,
      [id, utcDayOf(now), items, bytes, maxItemsPerDay, maxBytesPerDay],
    );
  }

  /** Counts bytes regardless of the limits, in the ambient transaction. */
  async addBytes(id: number, bytes: number, now: Date): Promise<void> {
    // Raw SQL: adds nothing for a deleted dropsite. It waits for a concurrent deletion, so that the foreign key does not fail.
    await this.database.query(
      `INSERT INTO dropsite_usage AS usage (dropsite_id, day, items, bytes)
        SELECT id, $2::date, 0, $3::bigint FROM dropsites WHERE id = $1 FOR KEY SHARE
        ON CONFLICT (dropsite_id, day) DO UPDATE SET ${ADD_BOTH}`,
      [id, utcDayOf(now), bytes],
    );
  }

  private async decide(statement: string, values: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await this.database.query(statement, values);
    return (rowCount ?? 0) > 0;
  }
}
