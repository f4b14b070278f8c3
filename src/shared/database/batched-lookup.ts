type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>;

interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value | null): void;
  reject(error: unknown): void;
}

/**
 * Answers look-ups that arrive in the same turn of the event loop with one statement. Nothing is remembered: every look-up is answered
 * by a statement that began after it was asked, so a revocation counts at once, while a busy process sends few statements.
 */
export class BatchedLookup<Key, Value> {
  private waiting: Waiting<Key, Value>[] = [];

  /** `identify` gives the text under which `load` files the answer to a key. */
  constructor(
    private readonly identify: (key: Key) => string,
    private readonly load: Load<Key, Value>,
  ) {}

  /** The value of a key, or null when there is none. */
  find(key: Key): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => void this.flush());
    });
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      const found = await this.load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(this.identify(key)) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
