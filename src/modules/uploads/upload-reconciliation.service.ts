import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Config } from '../../shared/config/index.js';
import { Database } from '../../shared/database/index.js';
import { DomainError } from '../../shared/errors.js';
import { ObjectStorage, type StoredObject } from '../../shared/storage/index.js';
import {
  MediaItemsRepository,
  MediaRenditionsService,
  PictureRemovalService,
  type PictureSize,
  PicturesRepository,
  RENDITIONS_PREFIX,
  type SuccessfulItem,
} from '../media/index.js';
import { UPLOADS_PREFIX } from './batches/upload-key.js';
import { uploadErrors } from './uploads.errors.js';

/**
 * orphan_object: an object without a media item; lost_object: a successful item without its object; changed_object: another object under
 * the key of an item.
 */
export type DifferenceKind = 'orphan_object' | 'lost_object' | 'changed_object';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly key: string;
  /** The media item; null for an orphan. */
  readonly mediaId: number | null;
  readonly mended: boolean;
  /** The transcoding that makes a lost or changed rendition again; absent: none was requested. */
  readonly jobId?: string;
}

export interface ReconciliationReport {
  readonly objects: number;
  /** Successful media items. */
  readonly items: number;
  /** Items whose object was copied to another place, so that its bucket, version or entity tag differs from the recorded one. */
  readonly copies: number;
  /** The number of copies of which only the size could be compared, because entity tags of multipart uploads depend on the size of the parts. */
  readonly copiesComparedBySize: number;
  readonly differences: readonly Difference[];
}

/** If more than this share is missing on one side, the service probably uses a wrong bucket or an old database. */
const MAX_MISSING_SHARE = 0.5;
const PAGE_SIZE = 1_000;
/** Concurrent calls to the storage. */
const CONCURRENT_CALLS = 16;
/** After this time, an attempt that uploaded a rendition has recorded it, or has ended. */
const RENDITION_MIN_AGE_MS = 3_600_000;

interface Finding {
  readonly kind: DifferenceKind;
  readonly key: string;
  readonly item: SuccessfulItem | null;
  readonly object: StoredObject | null;
}

interface Comparison extends Pick<ReconciliationReport, 'items' | 'copies' | 'copiesComparedBySize'> {
  /** The number of items that are not renditions. */
  readonly uploads: number;
  /** In the order of their items. */
  readonly findings: readonly Finding[];
}

/** Compares the media in the database with the objects in the storage. Items that have not been reported are left to the reaper. */
@Injectable()
export class UploadReconciliationService {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly media: MediaItemsRepository,
    private readonly renditions: MediaRenditionsService,
    private readonly pictures: PicturesRepository,
    private readonly pictureRemoval: PictureRemovalService,
    private readonly storage: ObjectStorage,
  ) {}

  /**
   * Reports every difference and, with `mend`, repairs it: old orphans are deleted; lost and damaged renditions are made again; other items whose
   * object is lost become unsuccessful; changed uploads and copies get the size, tag and version of their object. Throws `bucket_doubtful` if most
   * uploads or objects are missing; then only copies have been recorded.
   */
  async reconcile({ now, mend }: { now: Date; mend: boolean }): Promise<ReconciliationReport> {
    const { objects, orphans } = await this.findOrphans();
    const { findings, uploads, ...counts } = await this.compareItems(mend);
    if (mend) {
      const lost = findings.filter(({ kind, key }) => kind === 'lost_object' && !isRendition(key)).length;
      assertPlausible({ uploads, lost, objects, orphans: orphans.length });
      await this.media.moveToBucket(this.storage.location.bucket);
    }
    const differences: Difference[] = [];
    for (const finding of [...orphans, ...findings]) {
      const { kind, key, item } = finding;
      differences.push({ kind, key, mediaId: item?.id ?? null, ...(mend ? await this.mend(finding, now) : { mended: false }) });
    }
    return { objects, ...counts, differences: [...differences, ...(await this.findLostSizes(mend))] };
  }

  /** Finds the sizes of pictures whose objects are lost. With `mend` they are removed, so that the next request makes them again. */
  private async findLostSizes(mend: boolean): Promise<Difference[]> {
    const limit = pLimit(CONCURRENT_CALLS);
    const differences: Difference[] = [];
    for (let after = 0; ; ) {
      const page = await this.pictures.listReady({ after, limit: PAGE_SIZE });
      const lost: PictureSize[] = [];
      const check = async (size: PictureSize) => void ((await this.storage.find(size.s3Key, size.version)) ?? lost.push(size));
      await Promise.all(page.map((size) => limit(async () => await check(size))));
      if (mend) await this.pictures.removeLost(lost.map(({ id }) => id));
      differences.push(
        ...lost.map(({ s3Key: key, mediaItemId: mediaId }) => ({ kind: 'lost_object' as const, key, mediaId, mended: mend })),
      );
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE_SIZE) return differences;
    }
  }

  private async findOrphans(): Promise<{ objects: number; orphans: Finding[] }> {
    const orphans: Finding[] = [];
    let objects = 0;
    for (const prefix of [UPLOADS_PREFIX, RENDITIONS_PREFIX]) {
      for await (const page of pagesOf(this.storage.list(prefix), PAGE_SIZE)) {
        objects += page.length;
        const keys = page.map(({ key }) => key);
        const [known, sizes] = [await this.media.findKnownKeys(keys), await this.pictures.findKnownKeys(keys)];
        for (const object of page)
          if (!known.has(object.key) && !sizes.has(object.key))
            orphans.push({ kind: 'orphan_object', key: object.key, item: null, object });
      }
    }
    return { objects, orphans };
  }

  /**
   * Compares the items with their objects. With `record`, copies are recorded immediately: after a restore every item is a copy, and the report does
   * not list them.
   */
  private async compareItems(record: boolean): Promise<Comparison> {
    const { bucket } = this.storage.location;
    const findings: Finding[] = [];
    const limit = pLimit(CONCURRENT_CALLS);
    let [items, uploads, copies, copiesComparedBySize] = [0, 0, 0, 0];
    const compare = async (item: SuccessfulItem): Promise<void> => {
      const object = await this.findObject(item);
      const finding = { key: item.s3Key, item, object };
      if (!object) return void findings.push({ kind: 'lost_object', ...finding });
      const relation = relationOf(item, object, bucket);
      if (relation === 'changed') findings.push({ kind: 'changed_object', ...finding });
      if (relation !== 'copied') return;
      copies += 1;
      if (item.etag !== object.etag) copiesComparedBySize += 1;
      if (!record) return;
      await this.media.updateObject(item.id, object, bucket);
      await this.pictureRemoval.removeOf([item.id]); // the sizes were copied as well, and have other versions
    };
    for (let after = 0; ; ) {
      const page = await this.media.listSuccessful({ after, limit: PAGE_SIZE });
      items += page.length;
      uploads += page.filter(({ s3Key }) => !isRendition(s3Key)).length;
      await Promise.all(page.map((item) => limit(async () => await compare(item))));
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE_SIZE) break;
    }
    findings.sort((one, other) => (one.item?.id ?? 0) - (other.item?.id ?? 0));
    return { items, uploads, copies, copiesComparedBySize, findings };
  }

  /** Reads the recorded version of an object or, if that does not exist, the current one, because a copy has its own version ids. */
  private async findObject({ s3Key, version }: SuccessfulItem): Promise<StoredObject | null> {
    const recorded = await this.storage.find(s3Key, version);
    return recorded ?? (version === null ? null : await this.storage.find(s3Key));
  }

  private async mend({ key, item, object }: Finding, now: Date): Promise<Pick<Difference, 'mended' | 'jobId'>> {
    if (!item) return { mended: object !== null && (await this.deleteOrphan(object, now)) };
    if (isRendition(key)) return await this.replaceRendition(item, { isDamagedOnly: object !== null });
    const mended = object
      ? await this.media.updateObject(item.id, object, this.storage.location.bucket)
      : await this.media.markLost(item.id);
    await this.pictureRemoval.removeOf([item.id]);
    return { mended };
  }

  private async deleteOrphan({ key, modifiedAt }: StoredObject, now: Date): Promise<boolean> {
    const minAgeMs = Math.max(this.config.uploadReapAfterSeconds * 1_000, isRendition(key) ? RENDITION_MIN_AGE_MS : 0);
    const isOld = modifiedAt.getTime() < now.getTime() - minAgeMs;
    if (isOld) await this.storage.delete(key);
    return isOld;
  }

  /** Requests a lost or damaged rendition again, because the service can make it from the original. */
  private async replaceRendition(item: SuccessfulItem, damage: { isDamagedOnly: boolean }): Promise<Pick<Difference, 'mended' | 'jobId'>> {
    try {
      const { marked, jobId } = await this.database.transaction(async () => await this.renditions.replaceLost(item, damage));
      return { mended: marked, ...(jobId !== null && { jobId }) };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'quota_exceeded') return { mended: false }; // the next run continues
      throw error;
    }
  }
}

const isRendition = (key: string): boolean => key.startsWith(RENDITIONS_PREFIX);

/**
 * Compares an object with what was recorded. A copy has the same size and content, and therefore the same entity tag if it was written in one
 * request; version ids differ, unless the storage itself replicates.
 */
function relationOf(item: SuccessfulItem, object: StoredObject, bucket: string): 'same' | 'copied' | 'changed' {
  if (item.fileSize !== object.size) return 'changed';
  const isElsewhere = item.bucket !== bucket;
  if (item.etag === object.etag && item.version === object.version) return isElsewhere ? 'copied' : 'same';
  if (item.etag !== object.etag && !dependsOnParts(item.etag) && !dependsOnParts(object.etag)) return 'changed';
  // In the same bucket, a file without a version gets one only when it is written again.
  return item.version === null && object.version !== null && !isElsewhere ? 'changed' : 'copied';
}

/** The entity tag of a multipart upload ends with the number of its parts. */
const dependsOnParts = (etag: string | null): boolean => etag === null || /-\d+$/.test(etag);

/** Throws `bucket_doubtful` if too much is missing. All renditions may be missing, because a backup may omit them. */
function assertPlausible({ uploads, lost, objects, orphans }: Record<'uploads' | 'lost' | 'objects' | 'orphans', number>): void {
  if (lost > uploads * MAX_MISSING_SHARE) {
    throw uploadErrors.bucket_doubtful(
      `${lost} of ${uploads} uploaded objects are missing: is S3_BUCKET the right bucket? Nothing was deleted or marked.`,
    );
  }
  if (orphans > objects * MAX_MISSING_SHARE) {
    const detail = `${orphans} of ${objects} objects are missing from the database: is it the right database, and not an old one? Nothing was deleted or marked.`;
    throw uploadErrors.bucket_doubtful(detail);
  }
}

async function* pagesOf<T>(elements: AsyncIterable<T>, size: number): AsyncIterable<T[]> {
  let page: T[] = [];
  for await (const element of elements) {
    page.push(element);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
