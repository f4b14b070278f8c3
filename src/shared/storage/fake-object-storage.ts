import { ObjectStorage, type OpenMultipartUpload, type StoredObject } from './object-storage.js';
import { storageUnavailable } from './storage.errors.js';

/** An object storage in memory, for tests; held to the same contract as the adapter. */
export class FakeObjectStorage extends ObjectStorage {
  readonly location = { bucket: 'media', region: 'us-east-1', endpoint: 'http://storage.invalid' };
  readonly objects = new Map<string, StoredObject>();
  readonly multipartUploads = new Map<string, OpenMultipartUpload>();
  /** False: every call fails. */
  available = true;

  put(key: string, content: { size: number; etag?: string; modifiedAt?: Date }): void {
    this.objects.set(key, { key, version: null, etag: 'etag', modifiedAt: new Date(), ...content });
  }

  async find(key: string): Promise<StoredObject | null> {
    this.answer();
    return this.objects.get(key) ?? null;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    this.answer();
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    for (const key of keys) yield this.objects.get(key) as StoredObject;
  }

  async delete(key: string): Promise<void> {
    this.answer();
    this.objects.delete(key);
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
