interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/** Runs one statement for all keys; returns what it found, by the identity of each key. */
export type StatementForMany<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>;

/**
 * Calls that arrive while this many statements are running share the next one, so a busier process has larger batches. There are two, because
 * one may be waiting for another transaction, for which calls with other keys need not wait.
 */
const MAX_IN_FLIGHT = 2;

/**
 * Errors after which the statement has changed nothing and each row may succeed on its own: one row violated a constraint (SQLSTATE classes
 * cardinality, data, integrity), or another process locked the rows in another order (deadlock, serialization).
 */
const MAY_SUCCEED_ALONE = /^(2[123]...|40P01|40001)$/;

/**
 * Calls that arrive while others are running share one statement and one commit. Nothing is cached: every call gets the result of a
 * statement that began after the call, so a revocation takes effect at once, while a busy process sends few statements. If a row makes its
 * batch fail, only its own call fails.
 */
export class BatchedStatement<Key, Value> {
  private waiting: Waiting<Key, Value>[] = [];
  private inFlight = 0;
  private isScheduled = false;

  /** `identify` returns the text by which `statement` identifies the result for a key. */
  constructor(
    private readonly identify: (key: Key) => string,
    private readonly statement: StatementForMany<Key, Value>,
  ) {}

  /** The result for a key, or null if the statement returned none. */
  run(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.inFlight >= MAX_IN_FLIGHT || this.waiting.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    this.isScheduled = false;
    this.inFlight += 1;
    await this.answer(batch);
    this.inFlight -= 1;
    this.schedule();
  }

  private async answer(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const found = await this.statement(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(this.identify(key)) ?? null);
    } catch (error) {
      if (batch.length > 1 && maySucceedAlone(error)) for (const one of batch) await this.answer([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

const maySucceedAlone = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && MAY_SUCCEED_ALONE.test(code);
};
