import { Database, Notifications } from '../database/index.js';
import type { Clock } from '../time/index.js';
import type { CacheBudget } from './cache-budget.js';

/** A value and when it was read from the database. */
export interface Cached<Value> {
  readonly value: Value;
  readonly readAt: Date;
  /** Whether it was remembered, instead of read for this call. */
  readonly fromCache: boolean;
}

export interface CacheOptions<Value> {
  /** The channel on which processes tell each other what to forget. */
  readonly channel: string;
  /** Reads a value from the database; null: there is none, which is never remembered. */
  readonly load: (key: string) => Promise<Value | null>;
  /** Further names under which the value is forgotten. */
  readonly tags?: (value: Value) => readonly string[];
  /** How many are remembered at most; the oldest go first. All caches of a process share one budget of bytes besides. */
  readonly limit: number;
}

interface Entry<Value> {
  readonly loading: Promise<Cached<Value> | null>;
  /** Null: it is still being read, and could have any. */
  tags: readonly string[] | null;
}

/**
 * Values of the database in memory, right across processes: who changes one says so in the transaction of the change, PostgreSQL tells
 * every process at its commit, and the process that made the change forgets at once. While nothing could be heard nothing is remembered.
 */
export class NotifiedCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly keysByTag = new Map<string, Set<string>>();
  /** Keys that are being read. */
  private readonly unread = new Set<string>();
  /** Open transactions that have made changes; other callers must not see values that these read. */
  private readonly changedIn = new WeakSet<object>();

  constructor(
    private readonly options: CacheOptions<Value>,
    private readonly kernel: {
      readonly database: Database;
      readonly notifications: Notifications;
      readonly clock: Clock;
      readonly budget: CacheBudget;
    },
  ) {
    // An empty name: the connection was interrupted, and what was missed is not known.
    kernel.notifications.on(options.channel, (name) => (name === '' ? this.clear() : this.forget(name)));
  }

  /** The value under a key; null: there is none. `refresh` reads it again. */
  async get(key: string, { refresh = false } = {}): Promise<Cached<Value> | null> {
    const transaction = this.kernel.database.ambientTransaction();
    if (transaction && this.changedIn.has(transaction)) return await this.loadHere(key);
    if (!this.kernel.notifications.connected) return await this.load(key);
    if (refresh) this.drop(key);
    const known = this.entries.get(key);
    if (!known) return await this.remember(key);
    this.kernel.budget.touch(known);
    const found = await known.loading;
    return found && { ...found, fromCache: true };
  }

  /**
   * Runs `change` in a transaction that tells every process to forget these keys or tags ('' for everything). This process has forgotten
   * when the transaction has ended, which is when it returns, unless there is an outer one; what that one reads is never remembered.
   */
  async changing<Result>(names: readonly string[], change: () => Promise<Result>): Promise<Result> {
    const result = await this.kernel.database.transaction(async () => {
      const changed = await change();
      await this.announce(names);
      const transaction = this.kernel.database.ambientTransaction();
      if (transaction) this.changedIn.add(transaction);
      return changed;
    });
    this.kernel.database.afterCommit(() => {
      for (const name of names) name === '' ? this.clear() : this.forget(name);
    });
    return result;
  }

  /** Tells every process to forget, at the commit of the ambient transaction. */
  async announce(names: readonly string[]): Promise<void> {
    for (const name of names) await this.kernel.notifications.notify(this.options.channel, name);
  }

  /** Forgets the value of this key and those with this tag, in this process. */
  forget(name: string): void {
    for (const key of [name, ...this.unread, ...(this.keysByTag.get(name) ?? [])]) this.drop(key);
  }

  clear(): void {
    for (const entry of this.entries.values()) this.kernel.budget.release(entry);
    this.entries.clear();
    this.keysByTag.clear();
    this.unread.clear();
  }

  /** A value that is being read when its key is forgotten is gone from the map by then, so it is never remembered. */
  private async remember(key: string): Promise<Cached<Value> | null> {
    const entry: Entry<Value> = { loading: this.load(key), tags: null };
    this.entries.set(key, entry);
    this.unread.add(key);
    if (this.entries.size > this.options.limit) this.drop(this.entries.keys().next().value as string);
    try {
      const found = await entry.loading;
      if (this.entries.get(key) !== entry) return found;
      if (!found) this.drop(key);
      else {
        this.tag(key, entry, this.options.tags?.(found.value) ?? []);
        this.kernel.budget.hold(entry, found.value, () => this.drop(key));
      }
      return found;
    } catch (error) {
      if (this.entries.get(key) === entry) this.drop(key);
      throw error;
    }
  }

  private async load(key: string): Promise<Cached<Value> | null> {
    return await this.kernel.database.outsideTransaction(async () => await this.loadHere(key));
  }

  /** In the ambient transaction, if there is one. */
  private async loadHere(key: string): Promise<Cached<Value> | null> {
    const readAt = this.kernel.clock.now();
    const value = await this.options.load(key);
    return value === null ? null : { value, readAt, fromCache: false };
  }

  private tag(key: string, entry: Entry<Value>, tags: readonly string[]): void {
    entry.tags = tags;
    this.unread.delete(key);
    for (const tag of tags) {
      const keys = this.keysByTag.get(tag) ?? new Set();
      this.keysByTag.set(tag, keys.add(key));
    }
  }

  private drop(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.unread.delete(key);
    this.kernel.budget.release(entry);
    for (const tag of entry.tags ?? []) {
      const keys = this.keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.keysByTag.delete(tag);
    }
  }
}
