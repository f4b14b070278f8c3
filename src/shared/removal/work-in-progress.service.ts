import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, openTransactions } from '../database/index.js';

/** Returns whether the work that was in progress when this function was created has ended. */
export type HasEnded = () => Promise<boolean>;

/** Work that takes longer than a transaction. */
export abstract class LongWork {
  /** Returns a function that checks whether the work that is in progress now for these customers has ended. */
  abstract inProgress(customerIds: readonly number[]): Promise<HasEnded>;
}

/** An attempt at an instruction takes less time, and the time limit of statements is half of it. */
const MAX_WAIT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/** Tracks work that may still write data that it read earlier. */
@Injectable()
export class WorkInProgressService {
  constructor(
    private readonly database: Database,
    private readonly longWork: LongWork,
  ) {}

  /**
   * Waits until all current work for these customers has ended; returns false if it has not ended after a minute. Does not wait for later
   * work.
   */
  async hasEnded(customerIds: readonly number[]): Promise<boolean> {
    const transactions = await openTransactions(this.database);
    const checks = [transactions.haveEnded, await this.longWork.inProgress(customerIds)];
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (const hasEnded of checks) {
      while (!(await hasEnded())) {
        if (performance.now() > giveUpAt) return false;
        await delay(POLL_INTERVAL_MS);
      }
    }
    return true;
  }
}
