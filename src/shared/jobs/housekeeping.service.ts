import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Log } from '../logging/index.js';
import { JobsRepository } from './jobs.repository.js';

const BATCH = 1_000; // rows per statement, so that locks are short and other work runs in between

/** One task: deletes up to `limit` rows that have expired at `now` and returns their number. */
export type Chore = (now: Date, limit: number) => Promise<number>;

/** Deletes expired rows in batches, in one process at a time (a job of one queue, once a minute). */
@Injectable()
export class HousekeepingService {
  private readonly chores = new Map<string, Chore>();

  constructor(
    private readonly repository: JobsRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The names of the chores; a chore that deletes rows is named after their table. */
  get names(): string[] {
    return [...this.chores.keys()];
  }

  /** Registers a chore; register before the application starts. */
  register(name: string, chore: Chore): void {
    if (this.chores.has(name)) throw new Error(`The chore ${name} is declared twice.`);
    this.chores.set(name, chore);
  }

  /** Declares that rows of a table are deleted when `condition` (SQL with $1 = now) holds. Both must be constants, never input. */
  expire(table: string, condition: string): void {
    this.register(table, async (now, limit) => await this.repository.deleteExpired(table, condition, { now, limit }));
  }

  /** Runs every chore; a failing chore does not keep the others from running, and its error is thrown at the end. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const [name, chore] of this.chores) {
      try {
        const rows = await this.runOne(chore);
        if (rows > 0) this.log.debug({ chore: name, rows }, 'housekeeping');
      } catch (err) {
        this.log.error({ err, chore: name }, 'housekeeping failed');
        failures.push(err);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not every chore of the housekeeping was done.');
  }

  private async runOne(chore: Chore): Promise<number> {
    for (let total = 0; ; ) {
      const done = await chore(this.clock.now(), BATCH);
      total += done;
      if (done < BATCH) return total;
    }
  }
}
