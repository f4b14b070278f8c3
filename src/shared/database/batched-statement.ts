interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/** Runs one statement for all keys and answers what it found, each under its key's identity. */
export type StatementForMany<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>;

/** What comes while a statement is on its way shares the next one, so the busier the process, the larger the batches. */
const MAX_IN_FLIGHT = 2;
/** A statement that takes longer may wait for another transaction; calls that do not depend on that one go past it. */
const PATIENCE_MS = 10;

/**
 * Errors after which the statement has changed nothing and each row may succeed alone: one row broke a rule (SQLSTATE classes cardinality,
 * data, integrity), or rows that another process wanted in another order (deadlock, serialisation).
 */
const MAY_SUCCEED_ALONE = /^(2[123]...|40P01|40001)$/;

/**
 * Calls that arrive while others are on their way share one statement, and one commit. Nothing is remembered: every call is answered by a
 * statement that began after it was made, so a revocation counts at once, while a busy process sends few statements. A row that breaks its
 * batch fails alone.
 */
export class BatchedStatement<Key, Value> {
  private waiting: Waiting<Key, Value>[] = [];
  private inFlight = 0;
  /** The timer that sends the next statement; undefined: none is set. */
  private next: NodeJS.Immediate | NodeJS.Timeout | undefined;

  /** `identify` gives the text under which `statement` files the answer to a key. */
  constructor(
    private readonly identify: (key: Key) => string,
    private readonly statement: StatementForMany<Key, Value>,
  ) {}

  /** The answer for a key, or null when the statement had none. */
  run(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.next || this.inFlight >= MAX_IN_FLIGHT || this.waiting.length === 0) return;
    this.next = this.inFlight === 0 ? setImmediate(() => void this.flush()) : setTimeout(() => void this.flush(), PATIENCE_MS);
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    this.next = undefined;
    this.inFlight += 1;
    await this.answer(batch);
    this.inFlight -= 1;
    if (this.inFlight === 0) this.stopWaiting();
    this.schedule();
  }

  /** No statement is under way that the next one would have to wait for. */
  private stopWaiting(): void {
    clearTimeout(this.next as NodeJS.Timeout | undefined);
    this.next = undefined;
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
