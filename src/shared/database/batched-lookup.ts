type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>;

interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

const MOST_IN_FLIGHT = 2; // one statement on its way and one behind it: the busier the process, the larger the batches

/**
 * Answers look-ups that arrive while others are on their way with one statement. Nothing is remembered: every look-up is answered by a
 * statement that began after it was asked, so a revocation counts at once, while a busy process sends few statements.
 */
export class BatchedLookup<Key, Value> {
  private waiting: Waiting<Key, Value>[] = [];
  private inFlight = 0;
  private scheduled = false;

  /** `identify` gives the text under which `load` files the answer to a key. */
  constructor(
    private readonly identify: (key: Key) => string,
    private readonly load: Load<Key, Value>,
  ) {}

  /** The value of a key, or null when there is none. */
  find(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.inFlight >= MOST_IN_FLIGHT || this.waiting.length === 0) return;
    this.scheduled = true;
    setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    this.scheduled = false;
    this.inFlight += 1;
    try {
      const found = await this.load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(this.identify(key)) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.inFlight -= 1;
      this.schedule();
    }
  }
}
