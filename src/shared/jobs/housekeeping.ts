import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { Log } from '../logging/index.js';
import { Clock } from '../time/index.js';

const BATCH = 1_000; // rows a statement: short locks, and other work gets in between

/** One kind of tidying: deletes up to `limit` rows that are past at `now` and answers how many. */
export type Chore = (now: Date, limit: number) => Promise<number>;

/** Deletes what has expired, in batches, in one process at a time (a job of one queue, once a minute). */
@Injectable()
export class Housekeeping {
  private readonly chores = new Map<string, Chore>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Declares a chore; register before the application starts. */
  register(name: string, chore: Chore): void {
    this.chores.set(name, chore);
  }

  /** Declares that rows of a table go when `condition` (SQL with $1 = now) holds. Both are constants of the code, never input. */
  expire(table: string, condition: string): void {
    const sql = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT $2 FOR UPDATE SKIP LOCKED))`;
    this.register(table, async (now, limit) => (await this.database.query(sql, [now, limit])).rowCount ?? 0);
  }

  async run(): Promise<void> {
    for (const [name, chore] of this.chores) {
      let total = 0;
      for (let done = BATCH; done === BATCH; total += done) done = await chore(this.clock.now(), BATCH);
      if (total > 0) this.log.debug({ chore: name, rows: total }, 'housekeeping');
    }
  }
}
