import { mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../postgres/error-fields.js';
import { readSeal, type SealedFile, syncFolder, UnsealedFile } from './sealed-file.js';
import { type StoragePaths, storagePaths } from './storage-paths.js';

/** The storage's folder. What is in it is whole at any moment, also after a kill. */
export class Disk {
  private constructor(
    readonly paths: StoragePaths,
    readonly durable: boolean,
  ) {}

  /** Makes the folders, and forgets what a killed process was writing. Nobody else works in the folder. */
  static async open(dataDir: string, durable: boolean): Promise<Disk> {
    const paths = storagePaths(dataDir);
    await rm(paths.temporary, { recursive: true, force: true });
    for (const folder of Object.values(paths)) await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Disk(paths, durable);
  }

  /** A new file that takes its place when it is complete. */
  async create(): Promise<UnsealedFile> {
    return await UnsealedFile.create(this.paths.temporary, this.durable);
  }

  /** A file that is only a description. */
  async describe(description: object): Promise<SealedFile> {
    const file = await this.create();
    try {
      return await file.seal(description);
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  /** The description at the end of a file; null when there is no such file. */
  async read<T>(name: string): Promise<T | null> {
    const file = await open(name, 'r').catch(nullIfMissing);
    if (file === null) return null;
    return await readSeal<T>(file)
      .then(({ description }) => description)
      .finally(async () => await file.close());
  }

  /** Makes a folder that lasts. */
  async makeFolder(folder: string): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined && this.durable) await syncFolder(path.dirname(folder));
  }

  async remove(name: string): Promise<void> {
    await rm(name, { recursive: true, force: true });
    if (this.durable) await syncFolder(path.dirname(name)).catch(nullIfMissing);
  }
}

/** The names in a folder; none when it is missing. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nullIfMissing)) ?? [];
}

export function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
