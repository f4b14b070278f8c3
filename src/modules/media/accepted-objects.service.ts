import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { SharedWork } from '../../shared/shared-work.js';
import {
  type ByteRange,
  CdnUrls,
  ObjectStorage,
  type ObjectUrlOptions,
  type ReadObject,
  type StoredHeaders,
  type StoredObject,
} from '../../shared/storage/index.js';
import { mediaErrors } from './media.errors.js';
import type { MediaItem } from './media-item.entity.js';

/** Identifies the object of a media item as it was when its upload succeeded. */
export type AcceptedObject = Pick<MediaItem, 's3Key' | 'version' | 'etag'>;

type UrlOptions = Omit<ObjectUrlOptions, 'key' | 'version'>;

/** Identifies the content of an accepted object: 16 hexadecimal digits, different for each version. */
export const contentMark = ({ etag, version }: Omit<AcceptedObject, 's3Key'>): string =>
  createHash('sha256').update(`${etag} ${version}`).digest('hex').slice(0, 16);

/** Only the service writes keys with this prefix: each attempt at a rendition has a separate key and the media type of its extension. */
export const RENDITIONS_PREFIX = 'renditions/';

/** How long an entity tag is cached (contract section 12.10). */
const KEPT_MS = 60_000;
/** Cached entity tags, and cached verdicts on stored headers; each takes about 300 bytes. */
const MAX_CACHED = 10_000;

/**
 * Reads the objects of media items exactly as they were accepted; all deliveries and transcodings use it. A version never changes, so it needs
 * no check. Without a version, the recorded entity tag is compared with the current one.
 */
@Injectable()
export class AcceptedObjectsService {
  private readonly etags = new SharedWork<string | null, string>({
    keptMs: KEPT_MS,
    limit: MAX_CACHED,
    now: () => this.clock.now().getTime(),
  });
  /** By version and key: whether browsers treat the stored object as the media type of its extension. */
  private readonly fitForCdn = new SharedWork<boolean, string>({ keptMs: Number.POSITIVE_INFINITY, limit: MAX_CACHED });

  constructor(
    private readonly storage: ObjectStorage,
    private readonly cdn: CdnUrls,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a URL that reads the object, from the CDN if there is one and the response needs no special headers. The CDN ignores
   * `expiresInSeconds`: all of its URLs have the same lifetime. Throws 409 `object_changed` and `storage_unavailable`.
   */
  async signedUrl(object: AcceptedObject, options: UrlOptions): Promise<string> {
    await this.requireUnchanged(object);
    if (this.cdn.isConfigured && (await this.isForCdn(object, options))) return this.cdn.urlOf(object.s3Key, object.version);
    return await this.storage.signedUrl({ ...options, key: object.s3Key, version: object.version });
  }

  /** Like `signedUrl`, but always from the storage: the URL expires at the requested time, and the response has the requested headers. */
  async storageUrl(object: AcceptedObject, options: UrlOptions): Promise<string> {
    await this.requireUnchanged(object);
    return await this.storage.signedUrl({ ...options, key: object.s3Key, version: object.version });
  }

  /**
   * A CDN sends the stored headers and may cache a response forever. Therefore the storage itself serves downloads, objects that may be replaced
   * under their key, and uploads whose stored media type differs from that of their extension.
   */
  private async isForCdn(object: AcceptedObject, { disposition, contentType }: UrlOptions): Promise<boolean> {
    if (disposition === 'attachment' || (contentType !== undefined && ACTIVE_TYPE.test(contentType))) return false;
    if (object.s3Key.startsWith(RENDITIONS_PREFIX)) return true;
    return contentType !== undefined && this.isPinned(object) && (await this.isStoredAs(object, contentType));
  }

  /** Whether browsers treat the stored object as `contentType`; asked once per version. False if the storage does not respond. */
  private async isStoredAs({ s3Key, version }: AcceptedObject, contentType: string): Promise<boolean> {
    const ask = async () => {
      const headers = await this.storage.findHeaders(s3Key, version);
      return headers === null || isInertAs(contentType, headers);
    };
    return await this.fitForCdn.get(ask, `${version} ${s3Key}`).catch(() => false); // the storage has logged why
  }

  /** Returns the object's description by the storage; null if it is gone. Throws like `signedUrl`. */
  async find(object: AcceptedObject): Promise<StoredObject | null> {
    const found = await this.storage.find(object.s3Key, object.version);
    if (found) this.compare(object, found.etag);
    return found;
  }

  /** Opens the object or a range of it; null if it is gone. Throws like `signedUrl`. */
  async read(object: AcceptedObject, range?: ByteRange): Promise<ReadObject | null> {
    const found = await this.storage.read(object.s3Key, { version: object.version, range });
    try {
      if (found) this.compare(object, found.etag);
    } catch (error) {
      found?.body.destroy();
      throw error;
    }
    return found;
  }

  /** Does not report a missing object, because the storage does so when the URL is requested. */
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

  /** Calls the storage at most once a minute for a key; failures are not cached. */
  private async etagOf(key: string): Promise<string | null> {
    return await this.etags.get(async () => (await this.storage.find(key))?.etag ?? null, key);
  }
}

/** Media types of documents whose scripts browsers run. */
const ACTIVE_TYPE = /html|xml|script/i;
/** What storages report if an upload named no media type. Browsers do not show such a file as a document; players detect its content. */
const UNNAMED_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** Whether browsers treat a response with these headers like the expected media type, or as a file without a type. */
export function isInertAs(expected: string, { contentType, contentDisposition, contentEncoding }: StoredHeaders): boolean {
  if (contentDisposition !== null || contentEncoding !== null) return false;
  if (contentType?.includes(',')) return false; // of several types, browsers use the last
  const [stored = ''] = (contentType ?? '').toLowerCase().split(';', 1);
  const type = stored.trim();
  if (UNNAMED_TYPES.has(type) || type === expected) return true;
  const [family = ''] = expected.split('/');
  // Clients use different names for the same type, such as audio/mp3 and audio/mpeg.
  return ['audio', 'video', 'image'].includes(family) && type.startsWith(`${family}/`) && !ACTIVE_TYPE.test(type);
}
