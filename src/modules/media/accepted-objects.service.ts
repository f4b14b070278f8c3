import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { ObjectStorage, type ObjectUrlOptions, type ReadObject, type StoredObject } from '../../shared/storage/index.js';
import { mediaErrors } from './media.errors.js';
import type { MediaItem } from './media-item.entity.js';

/** The object of a media item as it was when its upload succeeded. */
export type AcceptedObject = Pick<MediaItem, 's3Key' | 'version' | 'etag'>;

type UrlOptions = Omit<ObjectUrlOptions, 'key' | 'version'>;

/** How long an entity tag is cached (contract section 12.10). */
const KEPT_MS = 60_000;
/** Cached entity tags; each takes about 300 bytes. */
const MAX_CACHED = 10_000;

interface CachedEtag {
  readonly etag: Promise<string | null>;
  readonly until: number;
}

/**
 * Reads the objects of media items exactly as they were accepted; all deliveries and transcodings use it. A version never changes, so it costs
 * no call of the storage. Without a version the recorded entity tag is compared with the current one.
 */
@Injectable()
export class AcceptedObjectsService {
  private readonly cached = new Map<string, CachedEtag>();

  constructor(
    private readonly storage: ObjectStorage,
    private readonly clock: Clock,
  ) {}

  /** A URL that reads the object. Throws 409 `object_changed` and `storage_unavailable`. */
  async signedUrl(object: AcceptedObject, options: UrlOptions): Promise<string> {
    await this.requireUnchanged(object);
    return await this.storage.signedUrl({ ...options, key: object.s3Key, version: object.version });
  }

  /** The object as the storage describes it; null when it is gone. Throws like `signedUrl`. */
  async find(object: AcceptedObject): Promise<StoredObject | null> {
    const found = await this.storage.find(object.s3Key, object.version);
    if (found) this.compare(object, found.etag);
    return found;
  }

  /** Opens the object; null when it is gone. Throws like `signedUrl`. */
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

  /** An object that is gone is not reported here: the storage answers the URL itself. */
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

  /** One call of the storage a minute; a failure is not cached. */
  private async etagOf(key: string): Promise<string | null> {
    const now = this.clock.now().getTime();
    const known = this.cached.get(key);
    if (known && known.until > now) return await known.etag;
    const etag = this.storage.find(key).then((found) => found?.etag ?? null);
    if (this.cached.size >= MAX_CACHED) this.cached.clear();
    this.cached.set(key, { etag, until: now + KEPT_MS });
    etag.catch(() => this.cached.delete(key));
    return await etag;
  }
}
