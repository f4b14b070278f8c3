import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BucketVersioning } from './bucket-versioning.js';
import {
  type ListedVersion,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type OpenMultipartUpload,
  type ReadObject,
  type ReadOptions,
  type StoredHeaders,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.port.js';
import { unsignedUrl } from './object-url.js';
import { storageUnavailable } from './storage.errors.js';

/** An in-memory object storage for tests; it passes the same contract tests as the adapter. Its bucket has no versioning. */
export class FakeObjectStorage extends ObjectStorage {
  readonly location = { bucket: 'media', region: 'us-east-1', endpoint: 'http://storage.invalid' };
  readonly objects = new Map<string, StoredObject>();
  readonly contents = new Map<string, Buffer>();
  readonly contentTypes = new Map<string, string>();
  readonly multipartUploads = new Map<string, OpenMultipartUpload>();
  /** The sizes of parts by the id of their multipart upload. */
  readonly partSizes = new Map<string, number[]>();
  /** If false, every call fails. */
  available = true;

  /** Adds an object of this size; it reads as zeros unless it has content. */
  put(key: string, object: { size: number; etag?: string; modifiedAt?: Date }, content: string | Buffer = Buffer.alloc(object.size)): void {
    this.objects.set(key, { key, version: null, crc32: null, etag: 'etag', modifiedAt: new Date(), ...object });
    this.contents.set(key, Buffer.from(content));
  }

  readonly readsVersions = true;

  async findProblem(): Promise<string | null> {
    return this.available ? null : 'The object storage does not answer.';
  }

  async versioning(): Promise<BucketVersioning> {
    this.requireAvailable();
    return { status: 'never', readable: true };
  }

  async find(key: string): Promise<StoredObject | null> {
    this.requireAvailable();
    return this.objects.get(key) ?? null;
  }

  async findHeaders(key: string): Promise<StoredHeaders | null> {
    this.requireAvailable();
    if (!this.objects.has(key)) return null;
    return { contentType: this.contentTypes.get(key) ?? null, contentDisposition: null, contentEncoding: null };
  }

  async read(key: string, { range }: ReadOptions = {}): Promise<ReadObject | null> {
    this.requireAvailable();
    const [object, content] = [this.objects.get(key), this.contents.get(key)];
    if (!object || !content) return null;
    const total = content.length;
    if (range && range.start >= total) throw new UnsatisfiableRange();
    const part = range && { start: range.start, end: Math.min(range.end ?? total, total - 1), total };
    const bytes = part ? content.subarray(part.start, part.end + 1) : content;
    return {
      body: Readable.from([bytes]),
      size: bytes.length,
      etag: object.etag,
      contentType: this.contentTypes.get(key) ?? null,
      range: part ?? null,
    };
  }

  async write(key: string, { file, contentType, signal }: NewObject): Promise<StoredObject> {
    signal?.throwIfAborted();
    this.requireAvailable();
    const content = typeof file === 'string' ? await readFile(file) : Buffer.from(file);
    this.put(key, { size: content.length, etag: createHash('md5').update(content).digest('hex') }, content);
    this.contentTypes.set(key, contentType);
    return this.objects.get(key) as StoredObject;
  }

  async signedUrl(options: ObjectUrlOptions): Promise<string> {
    return unsignedUrl(this.location, options).href;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    this.requireAvailable();
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield this.objects.get(key) as StoredObject;
  }

  async *listVersions(): AsyncIterable<ListedVersion> {
    this.requireAvailable();
    yield* [];
  }

  async deleteVersions(): Promise<void> {
    this.requireAvailable();
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.delete(key);
  }

  async delete(key: string): Promise<void> {
    this.requireAvailable();
    this.objects.delete(key);
    this.contents.delete(key);
  }

  async *listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload> {
    this.requireAvailable();
    for (const upload of this.multipartUploads.values()) if (upload.key.startsWith(prefix)) yield upload;
  }

  async *listPartSizes({ multipartId }: OpenMultipartUpload): AsyncIterable<number> {
    this.requireAvailable();
    yield* this.partSizes.get(multipartId) ?? [];
  }

  async abortMultipartUpload({ multipartId }: OpenMultipartUpload): Promise<void> {
    this.requireAvailable();
    this.multipartUploads.delete(multipartId);
    this.partSizes.delete(multipartId);
  }

  private requireAvailable(): void {
    if (!this.available) throw storageUnavailable();
  }
}
