import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from './clock.js';
import { Database, Notifications } from './database/index.js';
import { SeriesCounter, seriesByValue } from './series-counter.js';
import { SharedWork } from './shared-work.js';

/** For all caches of a process together; the cache of verified tokens (TokenVerifierService) has the rest of the process's 64 MiB. */
const MAX_CACHED_BYTES = 48 * 1024 * 1024;

/** Objects take about twice the bytes of their JSON. */
const BYTES_PER_CHARACTER = 2;

interface CachedEntry {
  readonly bytes: number;
  readonly drop: () => void;
}

/** The memory that the caches of a process share. The least recently used entry is evicted first, whichever cache it belongs to. */
export class CacheBudget {
  private readonly entries = new Map<object, CachedEntry>();
  private used = 0;

  constructor(private readonly maxBytes = MAX_CACHED_BYTES) {}

  /** Estimated bytes of all entries. */
  get bytes(): number {
    return this.used;
  }

  /** Adds an entry; `drop` makes its cache remove it and release it here. An entry larger than the whole budget is removed immediately. */
  add(entry: object, value: unknown, drop: () => void): void {
    const bytes = (JSON.stringify(value) ?? '').length * BYTES_PER_CHARACTER;
    this.entries.set(entry, { bytes, drop });
    this.used += bytes;
    if (bytes > this.maxBytes) drop();
    while (this.used > this.maxBytes) this.entries.values().next().value?.drop();
  }

  /** Records the use of an entry, which then becomes the last to be evicted. */
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

/** The counters of one cache, by result. */
export const cacheLookups = (cache: string) => seriesByValue(lookups, 'result', LOOKUP_RESULTS, { cache });

/** A value and when it was read from the database. */
export interface Cached<Value> {
  readonly value: Value;
  readonly readAt: Date;
  /** Whether the value came from memory, not from the database. */
  readonly fromCache: boolean;
}

export interface CacheOptions<Value> {
  /** The channel on which processes notify each other of changes. */
  readonly channel: string;
  /** Reads a value from the database; null, which is never cached, if there is no such value. */
  readonly load: (key: string) => Promise<Value | null>;
  /** Maximum number of entries; the oldest are removed first. In addition, all caches of a process share one budget of bytes. */
  readonly limit: number;
}

/** A value that is being read or has been read. */
type Entry<Value> = SharedWork<Cached<Value> | null>;

/**
 * Caches database values in memory, consistently across processes: a change sends a notification in its transaction, PostgreSQL delivers it to
 * every process at the commit, and the process that made the change invalidates its entries at once. Without a connection for notifications
 * nothing is cached.
 */
export class NotifiedCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
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
    // An empty name means that the connection was interrupted and that notifications may have been missed.
    kernel.notifications.listen(options.channel, (key) => this.invalidate(key));
  }

  /** The value of a key, or null. `refresh` bypasses the cache and reads it again. */
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
    const found = await known.get(async () => await this.load(key));
    return found && { ...found, fromCache: true };
  }

  /**
   * Runs `change` in a transaction that invalidates these keys ('' for everything) in every process at its commit; in this process before
   * the call returns. Inside an outer transaction this happens at the end of the outer one; values read in the meantime are never cached.
   */
  async changing<Result>(keys: readonly string[], change: () => Promise<Result>): Promise<Result> {
    const result = await this.kernel.database.transaction(async () => {
      const changed = await change();
      for (const key of keys) await this.kernel.notifications.notify(this.options.channel, key);
      const transaction = this.kernel.database.ambientTransaction();
      if (transaction) this.changedIn.add(transaction);
      return changed;
    });
    this.kernel.database.afterCommit(() => {
      for (const key of keys) this.invalidate(key);
    });
    return result;
  }

  /** Removes the value with this key ('' for everything) in this process. */
  private invalidate(key: string): void {
    for (const known of key === '' ? [...this.entries.keys()] : [key]) this.drop(known);
  }

  /** If the key is invalidated while the value is being read, its entry is no longer in the map, so the value is not cached. */
  private async remember(key: string): Promise<Cached<Value> | null> {
    const entry: Entry<Value> = new SharedWork({ keptMs: Number.POSITIVE_INFINITY });
    this.entries.set(key, entry);
    if (this.entries.size > this.options.limit) this.drop(this.entries.keys().next().value as string);
    try {
      const found = await entry.get(async () => await this.load(key));
      if (this.entries.get(key) !== entry) return found;
      if (!found) this.drop(key);
      else this.kernel.budget.add(entry, found.value, () => this.drop(key));
      return found;
    } catch (error) {
      if (this.entries.get(key) === entry) this.drop(key);
      throw error;
    }
  }

  private async load(key: string): Promise<Cached<Value> | null> {
    return await this.kernel.database.outsideTransaction(async () => await this.loadHere(key));
  }

  /** Reads the value in the ambient transaction, if there is one. */
  private async loadHere(key: string): Promise<Cached<Value> | null> {
    const readAt = this.kernel.clock.now();
    const value = await this.options.load(key);
    return value === null ? null : { value, readAt, fromCache: false };
  }

  private drop(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.kernel.budget.release(entry);
  }
}

interface VersionedCacheOptions<Value> {
  /** The name in the metrics. */
  readonly name: string;
  /** Reads the current value from the database; null: it no longer exists. */
  readonly load: (id: number) => Promise<Value | null>;
  /** Maximum number of entries, as for `NotifiedCache`. */
  readonly limit: number;
}

/**
 * Caches database values by id and version. The caller states the version that the database has now, so a change invalidates nothing: its version is
 * not in the cache.
 */
export class VersionedCache<Value extends { readonly version: number }> {
  private readonly entries = new Map<number, Cached<Value>>();
  private readonly lookups: ReturnType<typeof cacheLookups>;

  constructor(
    private readonly options: VersionedCacheOptions<Value>,
    private readonly kernel: { readonly database: Database; readonly clock: Clock; readonly budget: CacheBudget },
  ) {
    this.lookups = cacheLookups(options.name);
  }

  /** The value in this version or a later one; null: it no longer exists. `refresh` reads it again. */
  async get(id: number, version: number, { refresh = false } = {}): Promise<Cached<Value> | null> {
    const known = this.entries.get(id);
    if (known && !refresh && known.value.version >= version) {
      this.lookups.hit.count += 1;
      this.kernel.budget.markUsed(known);
      return { ...known, fromCache: true };
    }
    this.lookups.miss.count += 1;
    const readAt = this.kernel.clock.now();
    // Outside the ambient transaction, whose changes may be rolled back.
    const value = await this.kernel.database.outsideTransaction(async () => await this.options.load(id));
    if (value === null) return null;
    const found = { value, readAt, fromCache: false };
    if ((this.entries.get(id)?.value.version ?? 0) <= value.version) this.keep(id, found);
    return found;
  }

  private keep(id: number, found: Cached<Value>): void {
    this.drop(id);
    this.entries.set(id, found);
    if (this.entries.size > this.options.limit) this.drop(this.entries.keys().next().value as number);
    this.kernel.budget.add(found, found.value, () => this.drop(id));
  }

  private drop(id: number): void {
    const known = this.entries.get(id);
    if (!known) return;
    this.entries.delete(id);
    this.kernel.budget.release(known);
  }
}

/** The caches of this process; tests start several applications, and the metrics show the last one. */
let measured: CacheBudget | null = null;

new Gauge({
  name: 'cache_bytes',
  help: `Estimated memory of all caches together; at most ${MAX_CACHED_BYTES}.`,
  collect() {
    this.set(measured?.bytes ?? 0);
  },
});

/** Creates the caches of a process; call it in a constructor, before the process starts to listen. */
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
    return new NotifiedCache(options, this.kernel());
  }

  createVersioned<Value extends { readonly version: number }>(options: VersionedCacheOptions<Value>): VersionedCache<Value> {
    return new VersionedCache(options, this.kernel());
  }

  private kernel() {
    return { database: this.database, notifications: this.notifications, clock: this.clock, budget: this.budget };
  }
}
