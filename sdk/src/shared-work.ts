/** How long the result of work is kept. */
export interface SharedWorkOptions {
  /** Milliseconds from the start of the work; default: only while it runs. Infinity: until it is forgotten. */
  readonly keptMs?: number;
  /** The number of results that are kept; one more, and all are forgotten. Default: no limit, for a fixed set of keys. */
  readonly limit?: number;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Work whose promise is kept in a field, so that simultaneous callers share it: it starts once, and failures are forgotten. A caller may leave
 * without the result; a failure that no caller awaits does not end the process.
 */
export class SharedWork<Result, Key = undefined> {
  private readonly kept = new Map<Key | undefined, { readonly promise: Promise<Result>; readonly until: number }>();
  private readonly keptMs: number;
  private readonly limit: number;
  private readonly now: () => number;

  constructor({ keptMs = 0, limit = Number.POSITIVE_INFINITY, now = () => performance.now() }: SharedWorkOptions = {}) {
    this.keptMs = keptMs;
    this.limit = limit;
    this.now = now;
  }

  /** The number of promises that are kept. */
  get size(): number {
    return this.kept.size;
  }

  /** The work under a key, which is started unless it runs or its result is kept. */
  get(start: () => Promise<Result>, key?: Key): Promise<Result> {
    const known = this.kept.get(key);
    if (known && known.until > this.now()) return known.promise;
    // `async`, so that work that throws at once is a rejected promise too.
    const promise = (async () => await start())();
    if (this.kept.size >= this.limit) this.kept.clear();
    const entry = { promise, until: this.keptMs === 0 ? Number.POSITIVE_INFINITY : this.now() + this.keptMs };
    this.kept.set(key, entry);
    const forgetThis = () => {
      if (this.kept.get(key) === entry) this.kept.delete(key);
    };
    promise.then(this.keptMs === 0 ? forgetThis : () => {}, forgetThis);
    return promise;
  }

  /** The work under a key that runs or whose result is kept; null: there is none. */
  find(key?: Key): Promise<Result> | null {
    const known = this.kept.get(key);
    return known && known.until > this.now() ? known.promise : null;
  }

  /** Forgets the work under a key; the next call starts it anew. */
  forget(key?: Key): void {
    this.kept.delete(key);
  }

  /** Forgets all work. */
  clear(): void {
    this.kept.clear();
  }

  /** Resolves when the work that runs now has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.kept.values()].map(({ promise }) => promise));
  }
}
