import path from 'node:path';
import type { ObjectDescription } from './descriptions.js';
import { type Disk, namesIn } from './disk.js';
import { compareKeys } from './key-order.js';

/** What a listing shows of an object. */
export type Entry = Pick<ObjectDescription, 'key' | 'size' | 'etag' | 'modifiedAt' | 'checksum'>;

const READ_AT_ONCE = 32;

/** All keys, for listings. Read from the disk when the first listing is asked for, because a start must not wait for it. */
export class KeyIndex {
  private readonly entries = new Map<string, Entry>();
  /** Keys that changed while the disk was read: what was read of them may be old. */
  private readonly changed = new Set<string>();
  private loading: Promise<void> | null = null;
  private sorted: readonly string[] | null = null;

  constructor(private readonly disk: Disk) {}

  set({ key, size, etag, modifiedAt, checksum }: Entry): void {
    if (this.loading === null) return;
    this.changed.add(key);
    if (!this.entries.has(key)) this.sorted = null;
    this.entries.set(key, { key, size, etag, modifiedAt, checksum });
  }

  delete(key: string): void {
    if (this.loading === null) return;
    this.changed.add(key);
    if (this.entries.delete(key)) this.sorted = null;
  }

  async keys(): Promise<readonly string[]> {
    this.loading ??= this.load();
    await this.loading;
    this.sorted ??= [...this.entries.keys()].sort(compareKeys);
    return this.sorted;
  }

  get(key: string): Entry | undefined {
    return this.entries.get(key);
  }

  private async load(): Promise<void> {
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
  }
}

const summary = ({ key, size, etag, modifiedAt, checksum }: ObjectDescription): Entry => ({ key, size, etag, modifiedAt, checksum });
