import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type ByteRange,
  type Disk,
  errorCode,
  hashOfKey,
  KeyedLock,
  namesIn,
  nullIfMissing,
  objectFile,
  type PartFolders,
  readFile,
  readParts,
  versionsFolder,
} from './disk.js';
import { KeyIndex } from './key-index.js';
import { type ObjectDescription, readSeal, type SealedFile, syncFolder } from './sealed-file.js';

/** An open object, whose data stays available until it is closed. */
export interface OpenObject {
  readonly description: ObjectDescription;
  /** Reads the data; closes the object at the end, or when the reader stops early. */
  read(range: ByteRange): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Checks the existing object, and throws if the change must not happen. */
export type Condition = (existing: ObjectDescription | null) => void;

/** The objects of the bucket. */
export class ObjectStore {
  readonly index: KeyIndex;
  private readonly locks = new KeyedLock();
  private readonly disk: Disk;
  private readonly partFolders: PartFolders;
  private readonly earlier: EarlierVersions;

  constructor(
    parts: { readonly disk: Disk; readonly partFolders: PartFolders },
    private readonly bucket: string,
    /** Whether the bucket keeps versions; otherwise replacing and deleting are permanent. */
    readonly keepsVersions: boolean,
  ) {
    ({ disk: this.disk, partFolders: this.partFolders } = parts);
    this.index = new KeyIndex(this.disk);
    this.earlier = new EarlierVersions(this.disk);
  }

  /** A new version id; undefined in a bucket without versioning. */
  newVersionId(): string | undefined {
    return this.keepsVersions ? randomBytes(16).toString('hex') : undefined;
  }

  /** The current object of a key; null if there is none or it was deleted. */
  async find(key: string): Promise<ObjectDescription | null> {
    return visible(await this.findVersion(key));
  }

  /** The given version of a key, or the current one; it may be a delete marker. */
  async findVersion(key: string, versionId?: string): Promise<ObjectDescription | null> {
    const hash = this.hashOf(key);
    const current = await this.disk.read<ObjectDescription>(objectFile(this.disk.paths, hash));
    if (versionId === undefined || (current && versionOf(current) === versionId)) return current;
    const found = await this.earlier.find(hash, versionId);
    return found && (await this.disk.read<ObjectDescription>(found.file));
  }

  /** Opens the given version or the current one; null if it does not exist or has no data. */
  async open(key: string, versionId?: string): Promise<OpenObject | null> {
    return await this.locks.run(key, async () => {
      const hash = this.hashOf(key);
      const named = versionId === undefined ? null : await this.earlier.find(hash, versionId);
      const file = await open(named?.file ?? objectFile(this.disk.paths, hash), 'r').catch(nullIfMissing);
      const object = file && (await this.describe(file));
      const isMeant =
        object && !object.description.deleteMarker && (versionId ?? versionOf(object.description)) === versionOf(object.description);
      if (isMeant) return object;
      await object?.close();
      return null;
    });
  }

  /** All versions of the object with this key hash, the current one first. */
  async versionsOf(hash: string): Promise<ObjectDescription[]> {
    const current = await this.disk.read<ObjectDescription>(objectFile(this.disk.paths, hash));
    const versions = current ? [current] : [];
    for (const { file, versionId } of await this.earlier.list(hash)) {
      const version = current && versionOf(current) === versionId ? null : await this.disk.read<ObjectDescription>(file);
      if (version) versions.push(version);
    }
    return versions;
  }

  async versionsOfKey(key: string): Promise<ObjectDescription[]> {
    return await this.locks.run(key, async () => await this.versionsOf(this.hashOf(key)));
  }

  /** Makes a sealed file the current object of its key. Readers see either the old or the new object, never a mixture. */
  async put(sealed: SealedFile, description: ObjectDescription, condition?: Condition): Promise<void> {
    await this.locks.run(description.key, async () => {
      const existing = await this.findVersion(description.key);
      condition?.(visible(existing));
      await this.replace(existing, sealed, description);
    });
  }

  /** Deletes the object of a key: with versioning, adds a delete marker and returns it; otherwise deletes permanently and returns null. */
  async delete(key: string, now: Date): Promise<ObjectDescription | null> {
    return await this.locks.run(key, async () => {
      const existing = await this.findVersion(key);
      if (!this.keepsVersions) {
        if (existing) await this.removeCurrent(existing);
        return null;
      }
      const details = { key, size: 0, etag: '', headers: {}, metadata: {}, modifiedAt: now.getTime() };
      const marker = { ...details, versionId: this.newVersionId(), deleteMarker: true } as const;
      await this.replace(existing, await this.disk.describe(marker), marker);
      return marker;
    });
  }

  /** Deletes one version permanently and returns it. If it was the current one, the newest other version becomes current. */
  async deleteVersion(key: string, versionId: string): Promise<ObjectDescription | null> {
    return await this.locks.run(key, async () => {
      const hash = this.hashOf(key);
      const found = await this.findVersion(key, versionId);
      const other = await this.earlier.find(hash, versionId);
      if (other) await this.earlier.remove(hash, other);
      const current = await this.findVersion(key);
      if (current && versionOf(current) === versionId) await this.removeCurrent(current);
      else if (found) await this.dropParts(found);
      return found;
    });
  }

  private async replace(existing: ObjectDescription | null, sealed: SealedFile, description: ObjectDescription): Promise<void> {
    const hash = this.hashOf(description.key);
    const target = objectFile(this.disk.paths, hash);
    await this.disk.makeFolder(path.dirname(target));
    if (existing && this.keepsVersions) await this.earlier.keep(hash, existing);
    await sealed.moveTo(target);
    this.index.set(description);
    if (!this.keepsVersions) await this.dropParts(existing);
  }

  private async removeCurrent(current: ObjectDescription): Promise<void> {
    const hash = this.hashOf(current.key);
    const [next] = await this.earlier.list(hash);
    const description = next && (await this.disk.read<ObjectDescription>(next.file));
    if (next && description) {
      await this.earlier.promote(hash, next);
      this.index.set(description);
    } else {
      await this.disk.remove(objectFile(this.disk.paths, hash));
      this.index.delete(current.key);
    }
    await this.dropParts(current);
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
      this.partFolders.acquire(parts.uploadId);
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

  private hashOf(key: string): string {
    return hashOfKey(this.bucket, key);
  }
}

const visible = (version: ObjectDescription | null): ObjectDescription | null => (version?.deleteMarker ? null : version);

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

/** The version id that S3 gives to objects written without versioning. */
const NULL_VERSION = 'null';

export const versionOf = ({ versionId = NULL_VERSION }: ObjectDescription): string => versionId;

/** A version other than the current one. */
export interface EarlierVersion {
  readonly file: string;
  readonly versionId: string;
}

const ORDER_DIGITS = 12;

/**
 * The versions other than the current ones: `<order>-<versionId>` in a folder for each key. A current version gets a second name there
 * before its first name is given to its successor, so that a kill in between loses nothing; for a while, one version has both names.
 */
class EarlierVersions {
  constructor(private readonly disk: Disk) {}

  /** The earlier versions of a key, the newest first. */
  async list(hash: string): Promise<EarlierVersion[]> {
    const folder = versionsFolder(this.disk.paths, hash);
    const names = (await namesIn(folder)).sort().reverse();
    return names.map((name) => ({ file: path.join(folder, name), versionId: name.slice(ORDER_DIGITS + 1) }));
  }

  async find(hash: string, versionId: string): Promise<EarlierVersion | null> {
    return (await this.list(hash)).find((version) => version.versionId === versionId) ?? null;
  }

  /** Keeps the current version of a key, which is about to be replaced, as an earlier version. */
  async keep(hash: string, current: ObjectDescription): Promise<void> {
    const [newest] = await this.list(hash);
    if (newest?.versionId === versionOf(current)) return; // a process was killed between keeping and replacing it
    const order = newest ? Number(path.basename(newest.file).slice(0, ORDER_DIGITS)) + 1 : 1;
    const folder = versionsFolder(this.disk.paths, hash);
    await this.disk.makeFolder(path.dirname(folder));
    await this.disk.makeFolder(folder);
    const name = `${String(order).padStart(ORDER_DIGITS, '0')}-${versionOf(current)}`;
    await link(objectFile(this.disk.paths, hash), path.join(folder, name));
    if (this.disk.durable) await syncFolder(folder);
  }

  /** Makes an earlier version the current one, replacing the file of that one. */
  async promote(hash: string, { file }: EarlierVersion): Promise<void> {
    const target = objectFile(this.disk.paths, hash);
    await rename(file, target);
    if (this.disk.durable) await syncFolder(path.dirname(target));
    await this.removeEmptyFolder(hash);
  }

  async remove(hash: string, { file }: EarlierVersion): Promise<void> {
    await this.disk.remove(file);
    await this.removeEmptyFolder(hash);
  }

  private async removeEmptyFolder(hash: string): Promise<void> {
    await rmdir(versionsFolder(this.disk.paths, hash)).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
    });
  }
}
