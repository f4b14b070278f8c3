import { type FileHandle, open } from 'node:fs/promises';
import type { ObjectDescription } from './descriptions.js';
import { type Disk, partFile, partsFolder, type StoragePaths } from './disk.js';

/** As large as it can be while many downloads at once need little memory. */
const READ_BYTES = 256 * 1024;

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A range of an open file. @throws Error when the file is shorter */
export async function* readFile(file: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const wanted = Math.min(READ_BYTES, end - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('A file of the object storage is shorter than it was.');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A range of the data that lies in the files of parts, one after the other. */
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

/** The folders with parts: one that is being read stays until the last reader has let go, also when its object was replaced. */
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
