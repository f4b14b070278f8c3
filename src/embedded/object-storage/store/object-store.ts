import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectDescription } from './descriptions.js';
import { type Disk, nullIfMissing } from './disk.js';
import { KeyIndex } from './key-index.js';
import { KeyedLock } from './keyed-lock.js';
import type { PartFolders } from './part-folders.js';
import { type ByteRange, readFile, readParts } from './read-data.js';
import { readSeal, type SealedFile } from './sealed-file.js';
import { hashOfKey, objectFile } from './storage-paths.js';

/** An object that stays as it is while it is read. */
export interface OpenObject {
  readonly description: ObjectDescription;
  /** The data; closes the object at its end, or when the reader gives up. */
  read(range: ByteRange): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Looks at what is there and throws when a change must not happen. */
export type Condition = (existing: ObjectDescription | null) => void;

/** The objects of the bucket. */
export class ObjectStore {
  readonly index: KeyIndex;
  private readonly locks = new KeyedLock();

  constructor(
    private readonly disk: Disk,
    private readonly partFolders: PartFolders,
    private readonly bucket: string,
  ) {
    this.index = new KeyIndex(disk);
  }

  async find(key: string): Promise<ObjectDescription | null> {
    return await this.disk.read<ObjectDescription>(this.fileOf(key));
  }

  /** Null when there is none. */
  async open(key: string): Promise<OpenObject | null> {
    return await this.locks.run(key, async () => {
      const file = await open(this.fileOf(key), 'r').catch(nullIfMissing);
      return file === null ? null : await this.describe(file);
    });
  }

  /** Makes a sealed file the object of its key, replacing another one. It is whole for everybody at any moment. */
  async put(sealed: SealedFile, description: ObjectDescription, condition?: Condition): Promise<void> {
    await this.locks.run(description.key, async () => {
      const existing = await this.find(description.key);
      condition?.(existing);
      const target = this.fileOf(description.key);
      await this.disk.makeFolder(path.dirname(target));
      await sealed.moveTo(target);
      this.index.set(description);
      await this.dropParts(existing);
    });
  }

  /** Nothing happens when there is none. */
  async delete(key: string): Promise<void> {
    await this.locks.run(key, async () => {
      const existing = await this.find(key);
      if (existing === null) return;
      await this.disk.remove(this.fileOf(key));
      this.index.delete(key);
      await this.dropParts(existing);
    });
  }

  private async describe(file: FileHandle): Promise<OpenObject> {
    try {
      const { description } = await readSeal<ObjectDescription>(file);
      const { parts } = description;
      if (parts === undefined)
        return openObject(
          description,
          (range) => readFile(file, range),
          async () => await file.close(),
        );
      await file.close();
      this.partFolders.hold(parts.uploadId);
      const release = async () => await this.partFolders.release(parts.uploadId);
      return openObject(description, (range) => readParts(this.disk.paths, parts, range), release);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private async dropParts(replaced: ObjectDescription | null): Promise<void> {
    if (replaced?.parts) await this.partFolders.remove(replaced.parts.uploadId);
  }

  private fileOf(key: string): string {
    return objectFile(this.disk.paths, hashOfKey(this.bucket, key));
  }
}

function openObject(
  description: ObjectDescription,
  data: (range: ByteRange) => AsyncGenerator<Buffer>,
  close: () => Promise<void>,
): OpenObject {
  async function* read(range: ByteRange): AsyncGenerator<Buffer> {
    try {
      yield* data(range);
    } finally {
      await close();
    }
  }
  return { description, read, close };
}
