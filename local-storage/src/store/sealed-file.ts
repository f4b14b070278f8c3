import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Checksum } from '../body/payload.js';

/** A checksum of an object: of all its bytes, or of the checksums of its parts. */
export interface ObjectChecksum extends Checksum {
  readonly type: 'FULL_OBJECT' | 'COMPOSITE';
}

/** The headers and metadata that a client sent with an object. */
export interface ObjectDetails {
  /** Content-Type and similar headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** By the name that follows x-amz-meta-. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** The description of an object, stored at the end of its file. */
export interface ObjectDescription extends ObjectDetails {
  readonly key: string;
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  readonly checksum?: ObjectChecksum;
  /** Absent: the version `null`, written while the bucket had no versioning. */
  readonly versionId?: string;
  /** Marks a version without data that records the deletion of the object. */
  readonly deleteMarker?: true;
  /** For a multipart upload, whose data stays in the files of its parts. */
  readonly parts?: { readonly uploadId: string; readonly list: readonly { readonly number: number; readonly size: number }[] };
}

/** A multipart upload that is neither completed nor aborted. */
export interface UploadDescription extends ObjectDetails {
  readonly uploadId: string;
  readonly key: string;
  readonly startedAt: number;
  readonly checksum?: Pick<ObjectChecksum, 'algorithm' | 'type'>;
}

/** A part of a multipart upload; stored at the end of its file. */
export interface PartDescription {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: number;
  readonly checksum?: Checksum;
}

/** A file ends with a description (JSON), its length in four bytes and this mark: data and description appear with one rename. */
const MARK = Buffer.from('MDPBLOB1');
const FOOTER_BYTES = 4 + MARK.length;
/** Large enough to read most descriptions and the footer at once. */
const GUESS_BYTES = 4_096;
/** Data is collected to this size before it is written, because each write is dispatched to another thread. */
const WRITE_BYTES = 1024 ** 2;

export interface Sealed<T> {
  readonly description: T;
  /** The size of the data, without the description. */
  readonly dataBytes: number;
}

/** Reads the description of an open file. @throws Error if the file is damaged or of another format */
export async function readSeal<T>(file: FileHandle): Promise<Sealed<T>> {
  const { size } = await file.stat();
  const end = await readEnd(file, size, Math.min(size, GUESS_BYTES));
  if (end.length < FOOTER_BYTES || !end.subarray(-MARK.length).equals(MARK)) throw new Error('A file of the object storage is damaged.');
  const length = end.readUInt32BE(end.length - FOOTER_BYTES);
  const whole = length + FOOTER_BYTES <= end.length ? end : await readEnd(file, size, length + FOOTER_BYTES);
  const description = whole.subarray(whole.length - FOOTER_BYTES - length, whole.length - FOOTER_BYTES).toString();
  return { description: JSON.parse(description) as T, dataBytes: size - FOOTER_BYTES - length };
}

async function readEnd(file: FileHandle, size: number, count: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, size - count);
  return buffer.subarray(0, bytesRead);
}

/** An unfinished file, in the temporary folder until it is complete and on the disk. */
export class UnsealedFile {
  private collected: Buffer[] = [];
  private collectedBytes = 0;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly name: string,
    private readonly file: FileHandle,
    private readonly durable: boolean,
  ) {}

  static async create(temporary: string, durable: boolean): Promise<UnsealedFile> {
    const name = path.join(temporary, randomBytes(16).toString('hex'));
    return new UnsealedFile(name, await open(name, 'wx', 0o600), durable);
  }

  /** Appends data. Waits only while earlier data is being written, so that receiving and writing overlap. */
  append(data: Buffer): Promise<void> | void {
    this.collected.push(data);
    this.collectedBytes += data.length;
    if (this.collectedBytes >= WRITE_BYTES) return this.flush();
  }

  /** Appends the description; returns the complete file once all of it is on the disk. */
  async seal(description: object): Promise<SealedFile> {
    const text = Buffer.from(JSON.stringify(description));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    this.collected.push(text, length, MARK);
    this.collectedBytes += text.length + FOOTER_BYTES;
    await this.flush();
    await this.writing;
    if (this.durable) await this.file.datasync();
    await this.file.close();
    return new SealedFile(this.name, this.durable);
  }

  /** Deletes the file. */
  async discard(): Promise<void> {
    await this.writing.catch(() => {}); // the error has already been reported
    await this.file.close().catch(() => {}); // it is already closed
    await rm(this.name, { force: true });
  }

  private async flush(): Promise<void> {
    const buffers = this.collected;
    const bytes = this.collectedBytes;
    this.collected = [];
    this.collectedBytes = 0;
    await this.writing;
    this.writing = this.write(buffers, bytes);
    this.writing.catch(() => {}); // reported by the next flush or by seal
  }

  private async write(buffers: Buffer[], bytes: number): Promise<void> {
    const { bytesWritten } = await this.file.writev(buffers);
    if (bytesWritten !== bytes) throw new Error(`Only ${bytesWritten} of ${bytes} bytes could be written: the disk is full.`);
  }
}

/** A complete file that has not been moved to its final path. */
export class SealedFile {
  constructor(
    private readonly name: string,
    private readonly durable: boolean,
  ) {}

  /** Moves the file atomically to its final path, replacing an existing file; the folder must exist. */
  async moveTo(target: string): Promise<void> {
    await rename(this.name, target);
    if (this.durable) await syncFolder(path.dirname(target));
  }

  async discard(): Promise<void> {
    await rm(this.name, { force: true });
  }
}

/** Makes the entries of a folder survive a failure of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(async () => await handle.close());
}
