import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { Housekeeping } from '../../../shared/jobs/index.js';
import type { Dropsite } from '../dropsite.entity.js';

export interface Amount {
  readonly items: number;
  readonly bytes: number;
}

type LimitedDropsite = Pick<Dropsite, 'id' | 'maxItemsPerDay' | 'maxBytesPerDay'>;

/** Whether there is room, without taking it. */
const HAS_ROOM = `SELECT FROM
  (SELECT coalesce(max(items), 0)::bigint + $3::int AS items, coalesce(max(bytes), 0)::numeric + $4::bigint AS bytes
    FROM dropsite_usage WHERE dropsite_id = $1 AND day = $2::date) AS wanted
  WHERE ($5::int IS NULL OR items <= $5) AND ($6::bigint IS NULL OR bytes <= $6)`;

/** In types that hold the sum of any two values of their columns. */
const [ITEMS, BYTES] = ['(usage.items::bigint + excluded.items)', '(usage.bytes::numeric + excluded.bytes)'];

/** Sums stop at the most that their columns hold, which is beyond every limit: announcing terabytes all day must not end in an error. */
const ADD = `items = least(${ITEMS}, 2147483647), bytes = least(${BYTES}, 9223372036854775807)`;

/** One statement decides and counts: requests in parallel wait for the row, and each sees what those before it have taken. */
const TAKE = `INSERT INTO dropsite_usage AS usage (dropsite_id, day, items, bytes)
  SELECT $1, $2::date, $3::int, $4::bigint
  WHERE ($5::int IS NULL OR $3::int <= $5) AND ($6::bigint IS NULL OR $4::bigint <= $6)
  ON CONFLICT (dropsite_id, day) DO UPDATE SET ${ADD}
  WHERE ($5::int IS NULL OR ${ITEMS} <= $5) AND ($6::bigint IS NULL OR ${BYTES} <= $6)`;

/** Nothing for a dropsite that was deleted; one that is being deleted is waited for, so that its key does not fail. */
const CHARGE = `INSERT INTO dropsite_usage AS usage (dropsite_id, day, items, bytes)
  SELECT id, $2::date, 0, $3::bigint FROM dropsites WHERE id = $1 FOR KEY SHARE
  ON CONFLICT (dropsite_id, day) DO UPDATE SET ${ADD}`;

/** What dropsites have accepted, day by day. */
@Injectable()
export class DropsiteUsageRepository {
  constructor(
    private readonly database: Database,
    housekeeping: Housekeeping,
  ) {
    housekeeping.expire('dropsite_usage', `day < ($1::timestamptz AT TIME ZONE 'UTC')::date`);
  }

  /** Counts what is about to be accepted, in the ambient transaction. False when it would pass a limit; then nothing is counted. */
  async take({ id, maxItemsPerDay, maxBytesPerDay }: LimitedDropsite, { items, bytes }: Amount, now: Date): Promise<boolean> {
    return await this.decide(TAKE, [id, dayOf(now), items, bytes, maxItemsPerDay, maxBytesPerDay]);
  }

  /** The same question, of which nothing comes: others may take the room meanwhile. */
  async hasRoom({ id, maxItemsPerDay, maxBytesPerDay }: LimitedDropsite, { items, bytes }: Amount, now: Date): Promise<boolean> {
    if (maxItemsPerDay === null && maxBytesPerDay === null) return true;
    return await this.decide(HAS_ROOM, [id, dayOf(now), items, bytes, maxItemsPerDay, maxBytesPerDay]);
  }

  /** Counts bytes whatever the limits are, in the ambient transaction. */
  async charge(id: number, bytes: number, now: Date): Promise<void> {
    await this.database.query(CHARGE, [id, dayOf(now), bytes]);
  }

  private async decide(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}

/** In UTC. */
const dayOf = (now: Date): string => now.toISOString().slice(0, 10);
