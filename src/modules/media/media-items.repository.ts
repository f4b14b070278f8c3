import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, In, MoreThan, Not } from 'typeorm';
import { Database, type Portion } from '../../shared/database/index.js';
import type { StoredObject } from '../../shared/storage/index.js';
import { type MediaFacts, NO_FACTS } from './file-description.js';
import { type ItemStatus, MediaItem, type TrackRole } from './media-item.entity.js';
import type { RenditionSource } from './new-media-item.js';
import { readWebVttKey } from './tracks/web-vtt-key.js';

/** The properties of an object that the storage reports. */
type ObjectFacts = Pick<StoredObject, 'size' | 'etag' | 'version' | 'crc32'>;

/** Selects all items of a container, all items of a format, or individual items. */
export type RemovalScope = { readonly containerId: number } | { readonly formatId: number } | { readonly itemIds: readonly number[] };

/** An item whose removal is scheduled. */
export type RemovedItem = Pick<MediaItem, 'id' | 's3Key' | 'formatId' | 'version' | 'webVttKey'> & {
  /** The status before its removal was scheduled. */
  readonly status: ItemStatus;
};

/** What was read from a file before its success is recorded. */
export interface UploadedFile extends Pick<MediaItem, 'webVttKey'> {
  readonly facts: MediaFacts;
}

/** FileDescriptionsRepository records descriptions of files. */
type ItemChanges = Partial<Omit<MediaItem, 'fileDescription'>> & { readonly fileDescription?: null };

const NOTHING_READ: UploadedFile = { facts: NO_FACTS, webVttKey: null };

/** Rows that one statement changes, well within the statement timeout. */
const MOVED_TOGETHER = 10_000;

/** The columns of a SuccessfulItem. */
const SUCCESSFUL = {
  ...{ id: true, customerId: true, mediaContainerId: true, formatId: true },
  ...{ bucket: true, s3Key: true, fileSize: true, etag: true, version: true },
} as const;

/** The recorded properties of an item's object, and what is needed to make a rendition again. */
export type SuccessfulItem = Pick<MediaItem, keyof typeof SUCCESSFUL>;

/** Items that have not been uploaded, or not in time; their objects may still arrive. */
const OPEN: readonly ItemStatus[] = ['prepared', 'unsuccessful'];

/**
 * Makes the changes to `media_items`; NewMediaItemsRepository inserts them, FileDescriptionsRepository records their content. Each change depends on the previous status, so that only one of two concurrent processes (such as a report and
 * the reaper) succeeds.
 */
@Injectable()
export class MediaItemsRepository {
  constructor(private readonly database: Database) {}

  /** Finds an item by its key, which is unique across buckets. */
  async findByKey(s3Key: string): Promise<MediaItem | null> {
    return await this.repository.findOneBy({ s3Key });
  }

  /** Finds the items with these keys, in no particular order. */
  async findManyByKey(keys: readonly string[]): Promise<MediaItem[]> {
    return await this.repository.findBy({ s3Key: Any([...keys]) });
  }

  /** Finds which of these objects belong to items: their files, and their text tracks as WebVTT. */
  async findKnownKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const ids = keys.flatMap((key) => readWebVttKey(key) ?? []);
    const [files, tracks] = [await this.findManyByKey(keys), ids.length > 0 ? await this.findMany(ids) : []];
    return new Set([...files.map(({ s3Key }) => s3Key), ...tracks.flatMap(({ webVttKey }) => webVttKey ?? [])]);
  }

  /** Finds those items that exist, in the order of their ids. */
  async findMany(ids: readonly number[]): Promise<MediaItem[]> {
    return await this.repository.find({ where: { id: Any([...ids]) }, order: { id: 'ASC' } });
  }

  /** Finds the ids of those items that may still be uploaded. */
  async findOpen(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const items = await this.findMany(ids);
    return new Set(items.filter(({ status }) => OPEN.includes(status)).map(({ id }) => id));
  }

  /** Finds all items of the containers, in the order of their ids. */
  async findByContainers(containerIds: readonly number[]): Promise<MediaItem[]> {
    return await this.repository.find({ where: { mediaContainerId: In([...containerIds]) }, order: { id: 'ASC' } });
  }

  /** Lists a page of successful items, in the order of their ids. */
  async listSuccessful({ after, limit }: Portion): Promise<SuccessfulItem[]> {
    const where = { status: 'successful', id: MoreThan(after) } as const;
    return await this.repository.find({ select: SUCCESSFUL, where, order: { id: 'ASC' }, take: limit });
  }

  /** Returns the number of a customer's successful items, and their bytes. */
  async sum(customerId: number): Promise<{ bytes: number; items: number }> {
    // Raw SQL: two aggregates in one statement.
    const row = await this.database.queryOne<{ bytes: number; items: number }>(
      `SELECT count(*)::int AS items, coalesce(sum(file_size), 0)::float8 AS bytes FROM media_items WHERE customer_id = $1 AND status = 'successful'`,
      [customerId],
    );
    return { bytes: row?.bytes ?? 0, items: row?.items ?? 0 };
  }

  /** Counts items of any status. */
  async count(scope: RemovalScope): Promise<number> {
    return await this.repository.countBy(conditionOf(scope));
  }

  /** Finds those formats that have media items of any status. */
  async findFormatsInUse(formatIds: readonly number[]): Promise<number[]> {
    // Raw SQL: PostgreSQL stops at the first item of each format.
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT id FROM unnest($1::int[]) AS formats (id)
        WHERE EXISTS (SELECT FROM media_items WHERE media_items.format_id = formats.id)`,
      [formatIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists the ids of a scope after `after`, in ascending order; they may include ids of items that do not exist. */
  async listIds(scope: RemovalScope, { after, limit }: Portion): Promise<number[]> {
    if ('itemIds' in scope)
      return [...scope.itemIds]
        .sort((a, b) => a - b)
        .filter((id) => id > after)
        .slice(0, limit);
    const where = { ...conditionOf(scope), id: MoreThan(after) };
    const rows = await this.repository.find({ select: { id: true }, where, order: { id: 'ASC' }, take: limit });
    return rows.map(({ id }) => id);
  }

  /** Records that the object is in the storage, and what was read from it. False if the item was already successful, or its removal is scheduled. */
  async markUploaded(
    id: number,
    { size: fileSize, etag, version, crc32 }: ObjectFacts,
    { facts, webVttKey }: UploadedFile = NOTHING_READ,
  ): Promise<boolean> {
    const { width, height, duration, codec } = facts;
    const read = { width, height, duration, codec, webVttKey };
    return await this.update({ id, status: In([...OPEN]) }, { status: 'successful', fileSize, etag, version, crc32, ...read });
  }

  /** Records that the batch of these items ended without them. */
  async markFailed(ids: readonly number[]): Promise<void> {
    await this.update({ id: Any([...ids]), status: 'prepared' }, { status: 'unsuccessful' });
  }

  /** Records that the object of a successful item is gone. False if the item was not successful. */
  async markLost(id: number): Promise<boolean> {
    return await this.update({ id, status: 'successful' }, { status: 'unsuccessful', etag: null, version: null });
  }

  /** Records that the object of a successful item differs from the recorded one, or is in another bucket. */
  async updateObject(id: number, { size: fileSize, etag, version, crc32 }: ObjectFacts, bucket: string): Promise<boolean> {
    await this.update({ id, status: 'successful', etag: Not(etag) }, { scripted: null, fileDescription: null, webVttKey: null, crc32 });
    return await this.update({ id, status: 'successful' }, { bucket, fileSize, etag, version });
  }

  /** Records the bucket of all items of any status: current uploads are expected there from then on. */
  async moveToBucket(bucket: string): Promise<void> {
    for (let after = 0; ; ) {
      // Raw SQL: updates one page, because the table is too large for one statement.
      const { rows } = await this.database.query<{ id: number }>(
        `UPDATE media_items SET bucket = $1
          WHERE id IN (SELECT id FROM media_items WHERE bucket <> $1 AND id > $2 ORDER BY id LIMIT $3) RETURNING id`,
        [bucket, after, MOVED_TOGETHER],
      );
      if (rows.length === 0) return;
      after = Math.max(...rows.map(({ id }) => id));
    }
  }

  /** Schedules the removal of an item that was not uploaded. False if its success was reported in the meantime. */
  async scheduleRemoval(id: number): Promise<boolean> {
    return await this.update({ id, status: In([...OPEN]) }, { status: 'deleted' });
  }

  /** Cancels the removal of an item whose object turned out to be new. */
  async cancelRemoval(id: number): Promise<void> {
    await this.update({ id, status: 'deleted' }, { status: 'unsuccessful' });
  }

  /** Schedules the removal of these items, whatever their status. */
  async scheduleRemovalOf(ids: readonly number[]): Promise<RemovedItem[]> {
    // Raw SQL: locks a batch of items in the order of their ids, to avoid deadlocks, and returns each with its previous status.
    const { rows } = await this.database.query<RemovedItem>(
      `WITH before AS (SELECT id, status FROM media_items WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE)
        UPDATE media_items SET status = 'deleted' FROM before WHERE media_items.id = before.id
        RETURNING media_items.id, s3_key AS "s3Key", format_id AS "formatId", version, web_vtt_key AS "webVttKey", before.status`,
      [ids],
    );
    return rows;
  }

  /** Schedules the removal of the items of a format that are older than `id`; returns their ids. */
  async scheduleRemovalOfOlder({ mediaContainerId, formatId }: RenditionSource, id: number): Promise<number[]> {
    // Raw SQL: returns the ids of the changed rows.
    const { rows } = await this.database.query<{ id: number }>(
      `UPDATE media_items SET status = 'deleted'
        WHERE media_container_id = $1 AND format_id = $2 AND id < $3 AND status <> 'deleted' RETURNING id`,
      [mediaContainerId, formatId, id],
    );
    return rows.map((row) => row.id);
  }

  /** Schedules the removal of the other successful tracks with the same role and language; returns their ids. */
  async scheduleRemovalOfOtherTracks({ id, mediaContainerId, role, language }: MediaItem): Promise<number[]> {
    const values = [mediaContainerId, role, language, id];
    // Raw SQL: returns the ids of the changed rows, and compares NULL as equal.
    const { rows } = await this.database.query<{ id: number }>(
      `UPDATE media_items SET status = 'deleted'
        WHERE media_container_id = $1 AND role = $2 AND language IS NOT DISTINCT FROM $3 AND id <> $4 AND status = 'successful' RETURNING id`,
      values,
    );
    return rows.map((row) => row.id);
  }

  /** Counts the successful tracks of the same role in the same container. */
  async countTracks({ mediaContainerId, role }: MediaItem & { readonly role: TrackRole }): Promise<number> {
    return await this.repository.countBy({ mediaContainerId, role, status: 'successful' });
  }

  /** Makes sure that no other track of these roles is the default. */
  async clearOtherDefaults({ id, mediaContainerId }: MediaItem, roles: readonly TrackRole[]): Promise<void> {
    await this.update({ id: Not(id), mediaContainerId, role: In([...roles]), status: 'successful', isDefault: true }, { isDefault: false });
  }

  /** Changes the language, label and default of a track. */
  async describeTrack({ id, language, label, isDefault }: MediaItem): Promise<void> {
    await this.update({ id }, { language, label, isDefault });
  }

  /** Deletes an item whose removal is scheduled and whose object is gone, and its container if it is then empty. */
  async delete(id: number): Promise<void> {
    // Raw SQL: deletes the item and, if it was the last one, its container in one statement.
    await this.database.query(
      `WITH deleted AS (DELETE FROM media_items WHERE id = $1 AND status = 'deleted' RETURNING id, media_container_id)
        DELETE FROM media_containers c USING deleted WHERE c.id = deleted.media_container_id
          AND NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = c.id AND i.id <> deleted.id)`,
      [id],
    );
  }

  /**
   * Deletes those of the items that have not arrived, and the containers that are then empty; returns how many of each. The reaper may have scheduled
   * the removal of an item: then it finds no row.
   */
  async deleteUnarrived(ids: readonly number[]): Promise<{ items: number; containers: number }> {
    // Raw SQL: deletes items and containers in one statement.
    const row = await this.database.queryOne<{ items: number; containers: number }>(
      `WITH deleted AS (DELETE FROM media_items WHERE id = ANY($1::int[])
            AND (status IN ('prepared', 'unsuccessful') OR (status = 'deleted' AND etag IS NULL)) RETURNING id, media_container_id),
          emptied AS (DELETE FROM media_containers c WHERE id IN (SELECT media_container_id FROM deleted)
            AND NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = c.id AND i.id NOT IN (SELECT id FROM deleted)) RETURNING id)
        SELECT (SELECT count(*)::int FROM deleted) AS items, (SELECT count(*)::int FROM emptied) AS containers`,
      [ids],
    );
    return row ?? { items: 0, containers: 0 };
  }

  /** Deletes items whose removal is scheduled and whose objects are gone. */
  async deleteMany(ids: readonly number[]): Promise<void> {
    await this.repository.delete({ id: Any([...ids]), status: 'deleted' });
  }

  private async update(where: FindOptionsWhere<MediaItem>, changes: ItemChanges): Promise<boolean> {
    return ((await this.repository.update(where, changes)).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(MediaItem);
  }
}

/** Whether the success of an item was recorded, even if its removal was scheduled later: only then is an entity tag recorded. */
export const wasAccepted = ({ status, etag }: Pick<MediaItem, 'status' | 'etag'>): boolean =>
  status === 'successful' || (status === 'deleted' && etag !== null);

function conditionOf(scope: RemovalScope): FindOptionsWhere<MediaItem> {
  if ('containerId' in scope) return { mediaContainerId: scope.containerId };
  if ('formatId' in scope) return { formatId: scope.formatId };
  return { id: Any([...scope.itemIds]) };
}
