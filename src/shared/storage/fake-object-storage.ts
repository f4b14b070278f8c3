import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BucketVersioning } from './bucket-versioning.js';
import {
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type ObjectVersion,
  type OpenMultipartUpload,
  type Reading,
  type ReadObject,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.js';
import { unsignedUrl } from './sign-object-url.js';
import { storageUnavailable } from './storage.errors.js';

/** An object storage in memory, for tests; held to the same contract as the adapter. Its bucket keeps no versions. */
export class FakeObjectStorage extends ObjectStorage {
  readonly location = { bucket: 'media', region: 'us-east-1', endpoint: 'http://storage.invalid' };
  readonly objects = new Map<string, StoredObject>();
  readonly contents = new Map<string, Buffer>();
  readonly contentTypes = new Map<string, string>();
  readonly multipartUploads = new Map<string, OpenMultipartUpload>();
  /** False: every call fails. */
  available = true;

  /** An object of this size; what is read of it are zeros, unless it has a content. */
  put(key: string, object: { size: number; etag?: string; modifiedAt?: Date }, content: string | Buffer = Buffer.alloc(object.size)): void {
    this.objects.set(key, { key, version: null, etag: 'etag', modifiedAt: new Date(), ...object });
    this.contents.set(key, Buffer.from(content));
  }

  readonly readsVersions = true;

  async versioning(): Promise<BucketVersioning> {
    this.answer();
    return { status: 'never', readable: true };
  }

  async find(key: string): Promise<StoredObject | null> {
    this.answer();
    return this.objects.get(key) ?? null;
  }

  async read(key: string, { range }: Reading = {}): Promise<ReadObject | null> {
    this.answer();
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
    this.answer();
    const content = await readFile(file);
    this.put(key, { size: content.length, etag: createHash('md5').update(content).digest('hex') }, content);
    this.contentTypes.set(key, contentType);
    return this.objects.get(key) as StoredObject;
  }

  async signedUrl(options: ObjectUrlOptions): Promise<string> {
    return unsignedUrl(this.location, options).href;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    this.answer();
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield this.objects.get(key) as StoredObject;
  }

  async *listVersions(): AsyncIterable<ObjectVersion> {
    this.answer();
    yield* [];
  }

  async deleteVersions(): Promise<void> {
    this.answer();
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.delete(key);
  }

  async delete(key: string): Promise<void> {
    this.answer();
    this.objects.delete(key);
    this.contents.delete(key);
  }

  async *listMultipartUploads(prefix: string): AsyncIterable<OpenMultipartUpload> {
    this.answer();
    for (const upload of this.multipartUploads.values()) if (upload.key.startsWith(prefix)) yield upload;
  }

  async abortMultipartUpload({ multipartId }: OpenMultipartUpload): Promise<void> {
    this.answer();
    this.multipartUploads.delete(multipartId);
  }

  private answer(): void {
    if (!this.available) throw storageUnavailable();
  }
}
