/**
 * Limits concurrent transactions to fewer than the pool has connections. A transaction may wait for a statement outside of it, such
 * as one that fills a cache. If transactions used all connections, they would wait for each other until they timed out.
 */
export class TransactionPlaces {
  private readonly waiting = new Set<() => void>();

  constructor(
    private free: number,
    private readonly maxWaitMs: number,
  ) {}

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Waits for a place; rejects with the same error as the pool if no place becomes free in time. */
  async take(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        this.waiting.delete(enter);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(enter);
        reject(new Error('timeout exceeded when trying to connect'));
      }, this.maxWaitMs);
      this.waiting.add(enter);
    });
  }

  /** Releases a place; the transaction that has waited longest takes it. */
  release(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.free += 1;
  }
}
