import { Injectable } from '@nestjs/common';
import { ObjectStorage, type ObjectUrlOptions, type ReadObject, type StoredObject } from '../../shared/storage/index.js';
import { Clock } from '../../shared/time/index.js';
import { mediaErrors } from './media.errors.js';
import type { MediaItem } from './media-item.entity.js';

/** The object of a media item as it was at its success. */
export type AcceptedObject = Pick<MediaItem, 's3Key' | 'version' | 'etag'>;

/** How a URL reads an object, whichever it is. */
type UrlOptions = Omit<ObjectUrlOptions, 'key' | 'version'>;

/** How long an answer of the storage counts (contract section 12.10). */
const KEPT_MS = 60_000;
/** Entity tags that are remembered; each takes some 300 bytes. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly etag: Promise<string | null>;
  readonly until: number;
}

/**
 * The objects of media items, exactly as they were accepted: everything that delivers or converts one reads it here. A version names its bytes
 * for ever, so it costs no call of the storage. Without a version the entity tag is compared with the one of now.
 */
@Injectable()
export class AcceptedObjects {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly storage: ObjectStorage,
    private readonly clock: Clock,
  ) {}

  /** A URL that reads the object. Throws 409 `object_changed` and `storage_unavailable`. */
  async signedUrl(object: AcceptedObject, options: UrlOptions): Promise<string> {
    await this.requireUnchanged(object);
    return await this.storage.signedUrl({ ...options, key: object.s3Key, version: object.version });
  }

  /** The object as the storage describes it; null: it is gone. Throws as `signedUrl`. */
  async find(object: AcceptedObject): Promise<StoredObject | null> {
    const found = await this.storage.find(object.s3Key, object.version);
    if (found) this.compare(object, found.etag);
    return found;
  }

  /** Opens the object; null: it is gone. Throws as `signedUrl`. */
  async read(object: AcceptedObject): Promise<ReadObject | null> {
    const found = await this.storage.read(object.s3Key, { version: object.version });
    try {
      if (found) this.compare(object, found.etag);
    } catch (error) {
      found?.body.destroy();
      throw error;
    }
    return found;
  }

  /** What is gone altogether is not looked for: the storage says so itself. */
  private async requireUnchanged(object: AcceptedObject): Promise<void> {
    if (this.isPinned(object) || object.etag === null) return;
    const etag = await this.etagOf(object.s3Key);
    if (etag !== null) this.compare(object, etag);
  }

  private compare(object: AcceptedObject, etag: string): void {
    if (this.isPinned(object) || object.etag === null || object.etag === etag) return;
    throw mediaErrors.object_changed('The file was replaced in the object storage after its upload was accepted.');
  }

  private isPinned({ version }: AcceptedObject): boolean {
    return version !== null && this.storage.readsVersions;
  }

  /** One call of the storage for all who ask within a minute; a failure is not remembered. */
  private async etagOf(key: string): Promise<string | null> {
    const now = this.clock.now().getTime();
    const known = this.remembered.get(key);
    if (known && known.until > now) return await known.etag;
    const etag = this.storage.find(key).then((found) => found?.etag ?? null);
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(key, { etag, until: now + KEPT_MS });
    etag.catch(() => this.remembered.delete(key));
    return await etag;
  }
}
