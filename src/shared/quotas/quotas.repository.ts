import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { Database } from '../database/index.js';
import { type DailyQuota, QUOTAS, Quota, type QuotaName } from './quota.entity.js';

/** The usage on the counted day; a process whose clock is behind counts for the day that another process has already begun. */
const USED_BEFORE = 'CASE WHEN quota.day >= excluded.day THEN quota.used ELSE 0 END::numeric';

/** An amount that a customer uses on a day (UTC). */
interface DailyUse {
  readonly customerId: number;
  readonly name: DailyQuota;
  readonly day: string;
  readonly amount: number;
}

/** Reads and writes `quotas`. Statements check and count in one step, so that transactions of a customer wait for each other at one row. */
@Injectable()
export class QuotasRepository {
  constructor(private readonly database: Database) {}

  /** Lets other transactions wait for this quota until the ambient transaction ends. Returns the limit that the operator declared; null: the default. */
  async lock(customerId: number, name: QuotaName): Promise<number | null> {
    // Raw SQL, because TypeORM's upsert does nothing if the new values are only those of the key, and a row that does not exist yet cannot
    // be locked.
    const row = await this.database.queryOne<{ limit: number | null }>(
      `INSERT INTO quotas (customer_id, name) VALUES ($1, $2)
        ON CONFLICT (customer_id, name) DO UPDATE SET name = excluded.name RETURNING max::float8 AS limit`,
      [customerId, name],
    );
    return row?.limit ?? null;
  }

  /** Counts an amount unless it would exceed the limit; false: nothing was counted. */
  async take({ customerId, name, day, amount }: DailyUse): Promise<boolean> {
    // Raw SQL, because the new values and the condition depend on the old row.
    const { rowCount } = await this.database.query(
      `INSERT INTO quotas AS quota (customer_id, name, day, used)
        SELECT $1::int, $2::text, $3::date, $4::bigint
        WHERE $4::bigint <= coalesce((SELECT max FROM quotas WHERE customer_id = $1 AND name = $2), $5::bigint)
        ON CONFLICT (customer_id, name) DO UPDATE SET day = greatest(quota.day, excluded.day), used = ${USED_BEFORE} + excluded.used
        WHERE ${USED_BEFORE} + excluded.used <= coalesce(quota.max, $5::bigint)`,
      [customerId, name, day, amount, QUOTAS[name].limit],
    );
    return rowCount === 1;
  }

  /** Counts an amount, negative to return some, limited only by the range of the column. */
  async charge({ customerId, name, day, amount }: DailyUse): Promise<void> {
    // Raw SQL, because the new value depends on the old row.
    await this.database.query(
      `INSERT INTO quotas AS quota (customer_id, name, day, used) VALUES ($1, $2, $3, greatest($4::bigint, 0))
        ON CONFLICT (customer_id, name) DO UPDATE SET day = greatest(quota.day, excluded.day),
          used = greatest(least(${USED_BEFORE} + $4::bigint, 9223372036854775807), 0)`,
      [customerId, name, day, amount],
    );
  }

  /** The usage on this day, or a later one that another process has already begun. */
  async findUsed(customerId: number, name: DailyQuota, day: string): Promise<number> {
    return (await this.quotas.findOneBy({ customerId, name, day: MoreThanOrEqual(day) }))?.used ?? 0;
  }

  /** The limits that the operator declared; others are the defaults. */
  async findLimits(customerId: number): Promise<ReadonlyMap<QuotaName, number>> {
    const quotas = await this.quotas.find({ select: { customerId: true, name: true, limit: true }, where: { customerId } });
    return new Map(quotas.flatMap(({ name, limit }) => (limit === null ? [] : [[name, limit] as const])));
  }

  async saveLimits(limits: readonly Pick<Quota, 'customerId' | 'name' | 'limit'>[]): Promise<void> {
    await this.quotas.upsert([...limits], ['customerId', 'name']);
  }

  private get quotas() {
    return this.database.repository(Quota);
  }
}
