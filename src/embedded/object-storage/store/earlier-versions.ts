import { link, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../postgres/to-startup-error.js';
import type { ObjectDescription } from './descriptions.js';
import { type Disk, namesIn, objectFile, versionsFolder } from './disk.js';
import { syncFolder } from './sealed-file.js';

/** What S3 calls the version of an object that was written while its bucket kept none. */
export const NULL_VERSION = 'null';

export const versionOf = ({ versionId = NULL_VERSION }: ObjectDescription): string => versionId;

/** A version that is not the current one. */
export interface EarlierVersion {
  readonly file: string;
  readonly versionId: string;
}

const ORDER_DIGITS = 12;

/**
 * The versions of objects that are not the current ones: `<order>-<versionId>` in a folder for each key. A current version gets a second name
 * there before its own is given to the next one, so that a kill in between loses nothing; then one version has both names for a while.
 */
export class EarlierVersions {
  constructor(private readonly disk: Disk) {}

  /** The newest first. */
  async list(hash: string): Promise<EarlierVersion[]> {
    const folder = versionsFolder(this.disk.paths, hash);
    const names = (await namesIn(folder)).sort().reverse();
    return names.map((name) => ({ file: path.join(folder, name), versionId: name.slice(ORDER_DIGITS + 1) }));
  }

  async find(hash: string, versionId: string): Promise<EarlierVersion | null> {
    return (await this.list(hash)).find((version) => version.versionId === versionId) ?? null;
  }

  /** Keeps the current version of a key, which is about to be replaced. */
  async keep(hash: string, current: ObjectDescription): Promise<void> {
    const [newest] = await this.list(hash);
    if (newest?.versionId === versionOf(current)) return; // a kill came between this and the replacement
    const order = newest ? Number(path.basename(newest.file).slice(0, ORDER_DIGITS)) + 1 : 1;
    const folder = versionsFolder(this.disk.paths, hash);
    await this.disk.makeFolder(path.dirname(folder));
    await this.disk.makeFolder(folder);
    const name = `${String(order).padStart(ORDER_DIGITS, '0')}-${versionOf(current)}`;
    await link(objectFile(this.disk.paths, hash), path.join(folder, name));
    if (this.disk.durable) await syncFolder(folder);
  }

  /** Makes a version the current one, in place of another. */
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
