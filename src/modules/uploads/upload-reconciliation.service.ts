import { Injectable } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { ObjectStorage, type StoredObject } from '../../shared/storage/index.js';
import { type MediaItem, MediaItemsRepository } from '../media/index.js';
import { UPLOADS_PREFIX } from './batches/upload-key.js';
import { uploadErrors } from './uploads.errors.js';

/**
 * orphan_object: an object without a media item; lost_object: a successful item without its object; changed_object: the size, entity tag or
 * version differs from the recorded one.
 */
export type DifferenceKind = 'orphan_object' | 'lost_object' | 'changed_object';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly key: string;
  /** Of the item; null for an orphan. */
  readonly mediaId: number | null;
  readonly mended: boolean;
}

export interface ReconciliationReport {
  readonly objects: number;
  /** Successful media items. */
  readonly items: number;
  readonly differences: readonly Difference[];
}

/** When more than this share is missing on one side, the service probably uses a wrong bucket or an old database. */
const MAX_MISSING_SHARE = 0.5;
const PAGE_SIZE = 1_000;

type Finding = Omit<Difference, 'mended'> & { readonly object: StoredObject | null };

/** Compares the uploads in the database with the objects in the storage. Items that have not been reported are left to the reaper. */
@Injectable()
export class UploadReconciliationService {
  constructor(
    private readonly config: Config,
    private readonly media: MediaItemsRepository,
    private readonly storage: ObjectStorage,
  ) {}

  /**
   * Reports every difference and, with `mend`, repairs it: orphans older than UPLOAD_REAP_AFTER_SECONDS are deleted, items whose object is
   * lost become unsuccessful, changed items get the size, tag and version of their object. Throws `bucket_doubtful` when most objects or items are missing.
   */
  async reconcile({ now, mend }: { now: Date; mend: boolean }): Promise<ReconciliationReport> {
    const { objects, findings: inStorage } = await this.findOrphans();
    const { items, findings: inDatabase } = await this.findBrokenItems();
    if (mend)
      assertPlausible({ items, lost: inDatabase.filter(({ kind }) => kind === 'lost_object').length, objects, orphans: inStorage.length });
    const differences: Difference[] = [];
    for (const { object, ...finding } of [...inStorage, ...inDatabase]) {
      differences.push({ ...finding, mended: mend && (await this.mend({ object, ...finding }, now)) });
    }
    return { objects, items, differences };
  }

  private async findOrphans(): Promise<{ objects: number; findings: Finding[] }> {
    const findings: Finding[] = [];
    let objects = 0;
    for await (const page of pagesOf(this.storage.list(UPLOADS_PREFIX), PAGE_SIZE)) {
      objects += page.length;
      const known = new Set((await this.media.findManyByKey(page.map(({ key }) => key))).map(({ s3Key }) => s3Key));
      const orphans = page.filter(({ key }) => !known.has(key));
      findings.push(...orphans.map((object) => ({ kind: 'orphan_object' as const, key: object.key, mediaId: null, object })));
    }
    return { objects, findings };
  }

  private async findBrokenItems(): Promise<{ items: number; findings: Finding[] }> {
    const findings: Finding[] = [];
    let items = 0;
    for (let after = 0; ; ) {
      const page = await this.media.listSuccessful(UPLOADS_PREFIX, { after, limit: PAGE_SIZE });
      items += page.length;
      for (const item of page) {
        const object = await this.storage.find(item.s3Key, item.version);
        const found = { key: item.s3Key, mediaId: item.id, object };
        if (!object) findings.push({ kind: 'lost_object', ...found });
        else if (isChanged(item, object)) findings.push({ kind: 'changed_object', ...found });
        after = item.id;
      }
      if (page.length < PAGE_SIZE) return { items, findings };
    }
  }

  private async mend({ kind, key, mediaId, object }: Finding, now: Date): Promise<boolean> {
    if (kind === 'lost_object') return mediaId !== null && (await this.media.markLost(mediaId));
    if (kind === 'changed_object') return mediaId !== null && object !== null && (await this.media.updateObject(mediaId, object));
    const isOld = object !== null && object.modifiedAt.getTime() < now.getTime() - this.config.uploadReapAfterSeconds * 1_000;
    if (isOld) await this.storage.delete(key);
    return isOld;
  }
}

const isChanged = ({ fileSize, etag, version }: Pick<MediaItem, 'fileSize' | 'etag' | 'version'>, object: StoredObject): boolean =>
  fileSize !== object.size || etag !== object.etag || version !== object.version;

function assertPlausible({ items, lost, objects, orphans }: { items: number; lost: number; objects: number; orphans: number }): void {
  if (lost > items * MAX_MISSING_SHARE) {
    throw uploadErrors.bucket_doubtful(
      `${lost} of ${items} uploaded objects are missing: is S3_BUCKET the right bucket? Nothing was changed.`,
    );
  }
  if (orphans > objects * MAX_MISSING_SHARE) {
    const detail = `${orphans} of ${objects} objects are missing in the database: is it the right one, and not an old one? Nothing was changed.`;
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
