import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { collect, type ListedVersion, ObjectStorage, type ObjectVersion } from '../../../shared/storage/index.js';
import { type MediaItem, MediaItemsRepository, wasAccepted } from '../../media/index.js';
import type { BatchItem, UploadBatch } from './upload-batch.entity.js';
import { uploadPrefix } from './upload-key.js';

/** Concurrent calls for the multipart uploads of a batch; they mostly wait for the storage. */
const CONCURRENT_CALLS = 16;
/** The smallest unit of common file systems: so many bytes are counted for an entry beside its content, so that empty entries are limited, too. */
const ENTRY_BYTES = 4_096;
/** What any batch may occupy beyond twice its announced bytes, because announced sizes may be wrong or unknown. */
const SLACK_BYTES = 64 * 1024 ** 2;

/** What the storage contains under the prefix of a batch. */
export interface StoredBatch {
  /** Bytes of all versions, and of the parts of open multipart uploads, by key. */
  readonly bytes: ReadonlyMap<string, number>;
  /** The number of versions, open multipart uploads and their parts. */
  readonly entries: number;
  /** Empty in a bucket without versions. */
  readonly versions: readonly ListedVersion[];
}

/** Measures and removes what the storage contains under the prefix of a batch. */
@Injectable()
export class BatchObjectsService {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly media: MediaItemsRepository,
  ) {}

  async measure(batch: Pick<UploadBatch, 'customerId' | 'uploadId'>): Promise<StoredBatch> {
    const prefix = uploadPrefix(batch);
    const [versions, parts] = await Promise.all([collect(this.storage.listVersions(prefix)), this.listParts(prefix)]);
    const entries = [...(versions.length > 0 ? versions : await collect(this.storage.list(prefix))), ...parts];
    const bytes = new Map<string, number>();
    for (const { key, size } of entries) bytes.set(key, (bytes.get(key) ?? 0) + size);
    return { bytes, entries: entries.length, versions };
  }

  /** Removes everything that was uploaded under the prefix of a batch, except the objects of accepted items. */
  async discard(batch: Pick<UploadBatch, 'customerId' | 'uploadId' | 'items'>): Promise<void> {
    await this.abortMultipartUploads(batch);
    const originals = await this.media.findMany(batch.items.map(({ mediaId }) => mediaId));
    const accepted = new Set(originals.filter(wasAccepted).map(({ s3Key }) => s3Key));
    await this.storage.deleteMany(batch.items.map(({ key }) => key).filter((key) => !accepted.has(key)));
    await this.removeOtherVersions(batch, originals);
  }

  async abortMultipartUploads(batch: Pick<UploadBatch, 'customerId' | 'uploadId'>): Promise<void> {
    const limit = pLimit(CONCURRENT_CALLS);
    const uploads = await collect(this.storage.listMultipartUploads(uploadPrefix(batch)));
    await Promise.all(uploads.map((upload) => limit(async () => await this.storage.abortMultipartUpload(upload))));
  }

  /**
   * Removes all versions of accepted objects but the accepted ones: they are never delivered but use storage. If the accepted version is missing, the
   * bucket is a copy in which every object has another version (docs/backup.md), and nothing is deleted.
   */
  async removeOtherVersions(
    batch: Pick<UploadBatch, 'customerId' | 'uploadId'>,
    originals: readonly Pick<MediaItem, 's3Key' | 'status' | 'version'>[],
    listed?: readonly ObjectVersion[],
  ): Promise<void> {
    const accepted = new Map(originals.map(({ s3Key, status, version }) => [s3Key, status === 'successful' ? version : null]));
    const present = new Set<string>();
    const others: ObjectVersion[] = [];
    for (const found of listed ?? (await collect(this.storage.listVersions(uploadPrefix(batch))))) {
      const version = accepted.get(found.key);
      if (version === found.versionId) present.add(found.key);
      else if (version) others.push(found);
    }
    await this.storage.deleteVersions(others.filter(({ key }) => present.has(key)));
  }

  /** Open multipart uploads, as entries without content, and their parts. */
  private async listParts(prefix: string): Promise<{ key: string; size: number }[]> {
    const limit = pLimit(CONCURRENT_CALLS);
    const uploads = await collect(this.storage.listMultipartUploads(prefix));
    const sizes = await Promise.all(uploads.map((upload) => limit(async () => await collect(this.storage.listPartSizes(upload)))));
    return uploads.flatMap(({ key }, n) => [0, ...(sizes[n] ?? [])].map((size) => ({ key, size })));
  }
}

/** The bytes that the sender of a batch announced. */
export const announcedBytesOf = (items: readonly Pick<BatchItem, 'size'>[]): number => items.reduce((sum, { size }) => sum + size, 0);

export const storedBytesOf = ({ bytes }: Pick<StoredBatch, 'bytes'>): number => [...bytes.values()].reduce((sum, size) => sum + size, 0);

/** Whether more is stored for these items than is allowed: twice the announced bytes and 64 MiB. */
export const exceedsLimit = (items: readonly Pick<BatchItem, 'size'>[], stored: Pick<StoredBatch, 'bytes' | 'entries'>): boolean =>
  storedBytesOf(stored) + stored.entries * ENTRY_BYTES > 2 * announcedBytesOf(items) + SLACK_BYTES;
