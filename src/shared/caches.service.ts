import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from './clock.js';
import { SeriesCounter, seriesByValue } from './counters.js';
import { Database, Notifications } from './database/index.js';

/** Of all caches of a process together; the verified tokens (TokenVerifierService) have the rest of its 64 MiB. */
const MAX_CACHED_BYTES = 48 * 1024 * 1024;

/** Objects take about twice the bytes of their JSON. */
const BYTES_PER_CHARACTER = 2;

interface CachedEntry {
  readonly bytes: number;
  readonly drop: () => void;
}

/** The memory that the caches of a process share. What was used longest ago goes first, whichever cache it is in. */
export class CacheBudget {
  private readonly entries = new Map<object, CachedEntry>();
  private used = 0;

  constructor(private readonly maxBytes = MAX_CACHED_BYTES) {}

  /** Estimated bytes of all entries. */
  get bytes(): number {
    return this.used;
  }

  /** Adds an entry; `drop` makes its cache drop it, and release it here. One that is larger than the whole budget goes at once. */
  add(entry: object, value: unknown, drop: () => void): void {
    const bytes = (JSON.stringify(value) ?? '').length * BYTES_PER_CHARACTER;
    this.entries.set(entry, { bytes, drop });
    this.used += bytes;
    if (bytes > this.maxBytes) drop();
    while (this.used > this.maxBytes) this.entries.values().next().value?.drop();
  }

  /** Records the use of an entry, which is then the last to go. */
  markUsed(entry: object): void {
    const known = this.entries.get(entry);
    if (!known) return;
    this.entries.delete(entry);
    this.entries.set(entry, known);
  }

  /** Removes an entry that its cache has dropped. */
  release(entry: object): void {
    this.used -= this.entries.get(entry)?.bytes ?? 0;
    this.entries.delete(entry);
  }
}

const LOOKUP_RESULTS = ['hit', 'miss', 'bypass'] as const;

const lookups = new SeriesCounter({
  name: 'cache_lookups_total',
  help: 'Look-ups in caches, by cache and result; bypass: the database was read because notifications of changes do not arrive.',
  labels: ['cache', 'result'],
});

/** The series of one cache. */
export const cacheLookups = (cache: string) => seriesByValue(lookups, 'result', LOOKUP_RESULTS, { cache });

/** A value and when it was read from the database. */
export interface Cached<Value> {
  readonly value: Value;
  readonly readAt: Date;
  /** Whether it came from memory, not from the database. */
  readonly fromCache: boolean;
}

export interface CacheOptions<Value> {
  /** The channel on which processes notify each other of changes. */
  readonly channel: string;
  /** Reads a value from the database; null, which is never kept, when there is no such value. */
  readonly load: (key: string) => Promise<Value | null>;
  /** Further names under which the value is invalidated. */
  readonly tags?: (value: Value) => readonly string[];
  /** How many are kept at most; the oldest go first. All caches of a process share one budget of bytes besides. */
  readonly limit: number;
}

interface Entry<Value> {
  readonly loading: Promise<Cached<Value> | null>;
  /** Null: it is still being read, and could have any. */
  tags: readonly string[] | null;
}

/**
 * Values of the database in memory, correct across processes: a change sends a notification in its transaction, PostgreSQL delivers it to
 * every process at the commit, and the process that made the change invalidates at once. Without a connection for notifications nothing is
 * kept.
 */
export class NotifiedCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly keysByTag = new Map<string, Set<string>>();
  /** Keys that are being read. */
  private readonly unread = new Set<string>();
  /** Open transactions that have made changes; other callers must not see values that these read. */
  private readonly changedIn = new WeakSet<object>();
  private readonly lookups: ReturnType<typeof cacheLookups>;

  constructor(
    private readonly options: CacheOptions<Value>,
    private readonly kernel: {
      readonly database: Database;
      readonly notifications: Notifications;
      readonly clock: Clock;
      readonly budget: CacheBudget;
    },
  ) {
    this.lookups = cacheLookups(options.channel.replace(/_changed$/, ''));
    // An empty name: the connection was interrupted, and what was missed is not known.
    kernel.notifications.listen(options.channel, (name) => (name === '' ? this.clear() : this.invalidate(name)));
  }

  /** The value under a key, or null. `refresh` reads it again. */
  async get(key: string, { refresh = false } = {}): Promise<Cached<Value> | null> {
    const transaction = this.kernel.database.ambientTransaction();
    if (transaction && this.changedIn.has(transaction)) return await this.loadHere(key);
    if (!this.kernel.notifications.connected) {
      this.lookups.bypass.count += 1;
      return await this.load(key);
    }
    if (refresh) this.drop(key);
    const known = this.entries.get(key);
    this.lookups[known ? 'hit' : 'miss'].count += 1;
    if (!known) return await this.remember(key);
    this.kernel.budget.markUsed(known);
    const found = await known.loading;
    return found && { ...found, fromCache: true };
  }

  /**
   * Runs `change` in a transaction that invalidates these keys or tags ('' for everything) in every process at its commit, in this one before
   * the call returns. Within an outer transaction that happens at the end of the outer one; what it reads meanwhile is never kept.
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
      for (const name of names) name === '' ? this.clear() : this.invalidate(name);
    });
    return result;
  }

  /** Invalidates keys or tags in every process, at the commit of the ambient transaction. */
  async announce(names: readonly string[]): Promise<void> {
    for (const name of names) await this.kernel.notifications.notify(this.options.channel, name);
  }

  /** Invalidates the value of this key and those with this tag, in this process. */
  invalidate(name: string): void {
    for (const key of [name, ...this.unread, ...(this.keysByTag.get(name) ?? [])]) this.drop(key);
  }

  clear(): void {
    for (const entry of this.entries.values()) this.kernel.budget.release(entry);
    this.entries.clear();
    this.keysByTag.clear();
    this.unread.clear();
  }

  /** A value that is being read when its key is invalidated is no longer in the map by then, so it is never kept. */
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
        this.kernel.budget.add(entry, found.value, () => this.drop(key));
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

/** The caches of this process; tests start several applications, of which the last one is measured. */
let measured: CacheBudget | null = null;

new Gauge({
  name: 'cache_bytes',
  help: `Estimated memory of all caches together; at most ${MAX_CACHED_BYTES}.`,
  collect() {
    this.set(measured?.bytes ?? 0);
  },
});

/** Makes the caches of a process; call it in a constructor, before the process begins to listen. */
@Injectable()
export class CachesService {
  private readonly budget = new CacheBudget();

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {
    measured = this.budget;
  }

  create<Value>(options: CacheOptions<Value>): NotifiedCache<Value> {
    return new NotifiedCache(options, {
      database: this.database,
      notifications: this.notifications,
      clock: this.clock,
      budget: this.budget,
    });
  }
}
