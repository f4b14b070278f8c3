import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ObjectDescription, readSeal, type SealedFile, syncFolder, UnsealedFile } from './sealed-file.js';

/** The storage's folder. Its files are complete at any moment, even after a kill. */
export class Disk {
  private constructor(
    readonly paths: StoragePaths,
    readonly durable: boolean,
  ) {}

  /** Creates the folders, and deletes the unfinished files of a killed process. No other process may use the folder. */
  static async open(dataDir: string, durable: boolean): Promise<Disk> {
    const paths = storagePaths(dataDir);
    await rm(paths.temporary, { recursive: true, force: true });
    for (const folder of Object.values(paths)) await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Disk(paths, durable);
  }

  /** Creates a temporary file, which is moved to its final path when it is complete. */
  async create(): Promise<UnsealedFile> {
    return await UnsealedFile.create(this.paths.temporary, this.durable);
  }

  /** Creates a file that contains only a description. */
  async describe(description: object): Promise<SealedFile> {
    const file = await this.create();
    try {
      return await file.seal(description);
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  /** The description at the end of a file; null if the file does not exist. */
  async read<T>(name: string): Promise<T | null> {
    const file = await open(name, 'r').catch(nullIfMissing);
    if (file === null) return null;
    return await readSeal<T>(file)
      .then(({ description }) => description)
      .finally(async () => await file.close());
  }

  /** Creates a folder; with `durable` it survives a failure of the machine. */
  async makeFolder(folder: string): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined && this.durable) await syncFolder(path.dirname(folder));
  }

  async remove(name: string): Promise<void> {
    await rm(name, { recursive: true, force: true });
    if (this.durable) await syncFolder(path.dirname(name)).catch(nullIfMissing);
  }
}

/** The names in a folder; empty if the folder is missing. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nullIfMissing)) ?? [];
}

/** The `code` of a system error, such as `ENOENT`. Checks the shape, because under Jest errors of Node's modules belong to another realm. */
export function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

export function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

/** The folders of the storage. */
export interface StoragePaths {
  /** Unfinished files; emptied at start. */
  readonly temporary: string;
  readonly objects: string;
  /** For each key, one folder with the versions other than the current one. */
  readonly versions: string;
  /** One file for each multipart upload that is neither completed nor aborted. */
  readonly uploads: string;
  /** One folder with the parts of each multipart upload, including completed ones. */
  readonly parts: string;
}

const storagePaths = (dataDir: string): StoragePaths => ({
  temporary: path.join(dataDir, 'temporary'),
  objects: path.join(dataDir, 'objects'),
  versions: path.join(dataDir, 'versions'),
  uploads: path.join(dataDir, 'uploads'),
  parts: path.join(dataDir, 'parts'),
});

/** Converts any key to a safe name of fixed length. */
export const hashOfKey = (bucket: string, key: string): string => createHash('sha256').update(`${bucket}/${key}`).digest('hex');

/** The file of an object, in one of 256 folders. */
export const objectFile = ({ objects }: StoragePaths, hash: string): string => path.join(objects, hash.slice(0, 2), hash);

/** The folder of the earlier versions of an object. */
export const versionsFolder = ({ versions }: StoragePaths, hash: string): string => path.join(versions, hash.slice(0, 2), hash);

/** An upload id contains the hash of its object's key, so that leftovers of a killed process can be told from parts in use. */
export const makeUploadId = (hash: string): string => `${hash}-${randomBytes(16).toString('hex')}`;

/** The hash of the key of an upload; null if the text is not an upload id. */
export const hashOfUpload = (uploadId: string): string | null => /^([0-9a-f]{64})-[0-9a-f]{32}$/.exec(uploadId)?.[1] ?? null;

export const uploadFile = ({ uploads }: StoragePaths, uploadId: string): string => path.join(uploads, `${uploadId}.json`);

export const partsFolder = ({ parts }: StoragePaths, uploadId: string): string => path.join(parts, uploadId);

export const partFile = (paths: StoragePaths, uploadId: string, number: number): string =>
  path.join(partsFolder(paths, uploadId), String(number).padStart(5, '0'));

/** Runs one piece of work at a time for each key, in the order of the calls. */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.tails.get(key) ?? Promise.resolve()).then(work);
    const tail = mine.catch(() => {}); // the caller receives the error; the next piece of work runs anyway
    this.tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}

/** Large reads are faster, but many simultaneous downloads must not need much memory. */
const READ_BYTES = 256 * 1024;

/** Bytes from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Reads a range of an open file. @throws Error if the file is shorter */
export async function* readFile(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const wanted = Math.min(READ_BYTES, end - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('A file of the object storage is shorter than it was.');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Reads a range of the concatenated data of the part files. */
export async function* readParts(
  paths: StoragePaths,
  parts: NonNullable<ObjectDescription['parts']>,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { number, size } of parts.list) {
    const inPart = { start: Math.max(0, range.start - offset), end: Math.min(size, range.end - offset) };
    offset += size;
    if (inPart.start >= inPart.end) continue;
    const file = await open(partFile(paths, parts.uploadId, number), 'r');
    try {
      yield* readFile(file, inPart);
    } finally {
      await file.close();
    }
  }
}

/** The folders with parts: a folder that is being read is kept until its last reader releases it, even if its object was replaced. */
export class PartFolders {
  private readonly readers = new Map<string, number>();
  private readonly replaced = new Set<string>();

  constructor(private readonly disk: Disk) {}

  acquire(uploadId: string): void {
    this.readers.set(uploadId, (this.readers.get(uploadId) ?? 0) + 1);
  }

  async release(uploadId: string): Promise<void> {
    const left = (this.readers.get(uploadId) ?? 1) - 1;
    if (left > 0) return void this.readers.set(uploadId, left);
    this.readers.delete(uploadId);
    if (this.replaced.delete(uploadId)) await this.remove(uploadId);
  }

  async remove(uploadId: string): Promise<void> {
    if (this.readers.has(uploadId)) this.replaced.add(uploadId);
    else await this.disk.remove(partsFolder(this.disk.paths, uploadId));
  }
}
