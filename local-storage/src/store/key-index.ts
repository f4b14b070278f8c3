import path from 'node:path';
import { type Disk, KeyedLock, namesIn } from './disk.js';
import type { ObjectDescription } from './sealed-file.js';

/** The properties of an object that a listing shows. */
export type Entry = Pick<ObjectDescription, 'key' | 'size' | 'etag' | 'modifiedAt' | 'checksum' | 'deleteMarker'>;

const READ_AT_ONCE = 32;

/** All keys, for listings. Read from the disk at the first listing, so that a start need not wait for it. */
export class KeyIndex {
  private readonly entries = new Map<string, Entry>();
  /** Keys that changed while the disk was being read, so that the values read may be outdated. */
  private readonly changed = new Set<string>();
  private state: 'unread' | 'reading' | 'read' = 'unread';
  private readonly lock = new KeyedLock();
  private sorted: { readonly objects: readonly string[]; readonly all: readonly string[] } | null = null;

  constructor(private readonly disk: Disk) {}

  set(entry: Entry): void {
    if (this.state === 'unread') return;
    this.changed.add(entry.key);
    const before = this.entries.get(entry.key);
    if (!before || before.deleteMarker !== entry.deleteMarker) this.sorted = null;
    this.entries.set(entry.key, summary(entry));
  }

  delete(key: string): void {
    if (this.state === 'unread') return;
    this.changed.add(key);
    if (this.entries.delete(key)) this.sorted = null;
  }

  /** The keys of objects that are not deleted. */
  async keys(): Promise<readonly string[]> {
    return (await this.sort()).objects;
  }

  /** The keys of all objects, including those behind a delete marker. */
  async keysOfVersions(): Promise<readonly string[]> {
    return (await this.sort()).all;
  }

  get(key: string): Entry | undefined {
    return this.entries.get(key);
  }

  private async sort(): Promise<NonNullable<KeyIndex['sorted']>> {
    if (this.state !== 'read') await this.lock.run('', async () => await this.load());
    if (this.sorted) return this.sorted;
    const all = [...this.entries.keys()].sort(compareKeys);
    this.sorted = { all, objects: all.filter((key) => !this.entries.get(key)?.deleteMarker) };
    return this.sorted;
  }

  /** Reads the disk once; after a failure the next listing reads it again. */
  private async load(): Promise<void> {
    if (this.state === 'read') return;
    this.state = 'reading';
    const { objects } = this.disk.paths;
    for (const shard of await namesIn(objects)) {
      const names = await namesIn(path.join(objects, shard));
      for (let at = 0; at < names.length; at += READ_AT_ONCE) {
        const files = names.slice(at, at + READ_AT_ONCE).map((name) => path.join(objects, shard, name));
        const found = await Promise.all(files.map((file) => this.disk.read<ObjectDescription>(file)));
        for (const one of found) if (one !== null && !this.changed.has(one.key)) this.entries.set(one.key, summary(one));
      }
    }
    this.sorted = null;
    this.state = 'read';
  }
}

const summary = ({ key, size, etag, modifiedAt, checksum, deleteMarker }: Entry): Entry => ({
  ...{ key, size, etag, modifiedAt },
  ...{ checksum, deleteMarker },
});

/**
 * Compares by UTF-8 bytes, as S3 sorts. JavaScript compares UTF-16, which differs where one side has a surrogate (a character
 * beyond U+FFFF) and the other a character from U+E000.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index += 1;
  if (index === length) return a.length - b.length;
  return rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10_000 : unit);

/** The index of the first element of a sorted list that is not less than `key`; with `after`, of the first one that is greater. */
export function positionOf(sorted: readonly string[], key: string, { after = false } = {}): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareKeys(sorted[middle] ?? '', key);
    if (order < 0 || (after && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
