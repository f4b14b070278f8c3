import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, openTransactions } from '../database/index.js';

/** Returns whether the work that was in progress when this function was created has ended. */
export type HasEnded = () => Promise<boolean>;

/** An attempt at an instruction takes less time, and the time limit of statements is half of it. */
const MAX_WAIT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/** Tracks work that may still write data that it read earlier. Modules whose work takes longer than a transaction register it. */
@Injectable()
export class WorkInProgressService {
  private readonly sources: ((customerIds: readonly number[]) => Promise<HasEnded>)[] = [];

  constructor(private readonly database: Database) {}

  /** Registers a source of such work; register before the application starts. */
  register(source: (customerIds: readonly number[]) => Promise<HasEnded>): void {
    this.sources.push(source);
  }

  /**
   * Waits until all current work for these customers has ended; returns false if it has not ended after a minute. Does not wait for later
   * work.
   */
  async hasEnded(customerIds: readonly number[]): Promise<boolean> {
    const transactions = await openTransactions(this.database);
    const checks = [transactions.haveEnded, ...(await Promise.all(this.sources.map(async (source) => await source(customerIds))))];
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
