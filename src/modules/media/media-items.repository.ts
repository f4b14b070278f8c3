import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, In, Not } from 'typeorm';
import { asJsonBytes, Database, IdPool, type Insertion, type Portion } from '../../shared/database/index.js';
import type { StoredObject } from '../../shared/storage/index.js';
import { type ItemStatus, MediaItem, StreamingIndex, type TrackRole } from './media-item.entity.js';
import {
  DELETE_WITH_EMPTY_CONTAINER,
  FILL_IN_FACTS,
  FIND_FORMATS_IN_USE,
  INSERT_CONTAINERS,
  INSERT_ITEMS,
  INSERT_RENDITION,
  LIST_IDS_OF_CONTAINER,
  LIST_IDS_OF_FORMAT,
  LIST_SUCCESSFUL,
  MOVE_TO_BUCKET,
  RECORD_SCRIPTS,
  SCHEDULE_REMOVAL,
  SCHEDULE_REMOVAL_OF_OLDER,
  SCHEDULE_REMOVAL_OF_OTHER_TRACKS,
  SUM,
} from './media-items.queries.js';
import type { MediaFacts, MediaOwner, NewItem, NewRendition, PlannedItem, RenditionSource } from './new-media-item.js';

/** What the storage reports of an object. */
type ObjectFacts = Pick<StoredObject, 'size' | 'etag' | 'version'>;

/** Which items: all of a container, all of a format, or these. */
export type RemovalScope = { readonly containerId: number } | { readonly formatId: number } | { readonly itemIds: readonly number[] };

/** An item whose removal is scheduled. */
export type RemovedItem = Pick<MediaItem, 'id' | 's3Key' | 'formatId' | 'version'> & {
  /** Before its removal was scheduled. */
  readonly status: ItemStatus;
};

/** Rows that one statement changes; it ends well within the time limit of a statement. */
const MOVED_TOGETHER = 10_000;

/** Not uploaded yet, or not in time; their objects may still arrive. */
const OPEN: readonly ItemStatus[] = ['prepared', 'unsuccessful'];

/**
 * The life of a media item: every change of a row of `media_items`. Each is conditional on the status before, so that of two processes (a
 * report and the reaper, say) only one succeeds.
 */
@Injectable()
export class MediaItemsRepository {
  private readonly containerIds: IdPool;
  private readonly itemIds: IdPool;

  constructor(private readonly database: Database) {
    this.containerIds = new IdPool(database, 'media_containers');
    this.itemIds = new IdPool(database, 'media_items');
  }

  /** Draws the id of a media item for each file, and that of a media container for each original; `insertions` inserts them. */
  async plan(files: readonly NewItem[], owner: MediaOwner): Promise<PlannedItem[]> {
    const originals = files.filter(({ track }) => track === null);
    const [containers, items] = await Promise.all([this.containerIds.take(originals.length), this.itemIds.take(files.length)]);
    const containerOf = new Map(originals.map((original, n) => [original, Number(containers[n])]));
    return files.map((file, n) => ({
      ...file,
      ...owner,
      mediaContainerId: file.track?.mediaContainerId ?? Number(containerOf.get(file)),
      mediaId: Number(items[n]),
    }));
  }

  /** The statements that insert planned items, which are `prepared`, and the containers of originals. */
  insertions(planned: readonly PlannedItem[]): Insertion[] {
    const originals = planned.filter(({ track }) => track === null);
    const of = <Value>(read: (original: PlannedItem) => Value): Value[] => originals.map(read);
    const owners = [of((o) => o.mediaContainerId), of((o) => o.customerId), of((o) => o.creatorId), of((o) => o.origin)];
    const descriptions = [of((o) => o.type), of((o) => o.fileName), of((o) => o.checksum), asJsonBytes(of((o) => o.metadata))];
    const column = <Value>(read: (item: PlannedItem) => Value): Value[] => planned.map(read);
    const ids = [column((i) => i.mediaId), column((i) => i.mediaContainerId), column((i) => i.customerId)];
    const places = [column((i) => i.bucket), column((i) => i.formatId), column((i) => i.type)];
    const files = [column((i) => i.fileName), column((i) => i.fileExtension), column((i) => i.fileSize), column((i) => i.s3Key)];
    const names = [column((i) => i.track?.role ?? null), column((i) => i.track?.language ?? null), column((i) => i.track?.label ?? null)];
    return [
      { text: INSERT_CONTAINERS, values: [...owners, ...descriptions] },
      { text: INSERT_ITEMS, values: [...ids, ...places, ...files, ...names, column((i) => i.track?.isDefault ?? false)] },
    ];
  }

  /** Inserts a rendition as a successful item, with the index of its segments if it has any. Its id; null when the original is gone. */
  async insertRendition(source: RenditionSource, rendition: NewRendition, bucket: string): Promise<number | null> {
    const { type, fileExtension, fileSize, facts, s3Key, etag, version, test, streaming, storyboard } = rendition;
    const values = [source.sourceMediaId, source.formatId, type, fileExtension, fileSize, ...valuesOf(facts)];
    const places = [
      bucket,
      s3Key,
      etag,
      version,
      test,
      streaming && JSON.stringify(streaming.facts),
      storyboard && JSON.stringify(storyboard),
    ];
    const item = await this.database.queryOne<{ id: number }>(INSERT_RENDITION, [...values, ...places]);
    if (item && streaming) await this.database.repository(StreamingIndex).insert({ mediaItemId: item.id, ...streaming.index });
    return item?.id ?? null;
  }

  /** Keys are unique across buckets. */
  async findByKey(s3Key: string): Promise<MediaItem | null> {
    return await this.repository.findOneBy({ s3Key });
  }

  /** Those of the keys that media items have, in no order. */
  async findManyByKey(keys: readonly string[]): Promise<MediaItem[]> {
    return await this.repository.findBy({ s3Key: Any([...keys]) });
  }

  /** Those of the items that exist, in the order of their ids. */
  async findMany(ids: readonly number[]): Promise<MediaItem[]> {
    return await this.repository.find({ where: { id: Any([...ids]) }, order: { id: 'ASC' } });
  }

  /** The ids of those of the items that may still be uploaded. */
  async findOpen(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const items = await this.findMany(ids);
    return new Set(items.filter(({ status }) => OPEN.includes(status)).map(({ id }) => id));
  }

  /** All items of the containers, in the order of their ids. */
  async findByContainers(containerIds: readonly number[]): Promise<MediaItem[]> {
    return await this.repository.find({ where: { mediaContainerId: In([...containerIds]) }, order: { id: 'ASC' } });
  }

  /** Successful items, a page in the order of their ids. */
  async listSuccessful({ after, limit }: Portion): Promise<SuccessfulItem[]> {
    return (await this.database.query<SuccessfulItem>(LIST_SUCCESSFUL, [after, limit])).rows;
  }

  /** Successful items of a customer, and their bytes. */
  async sum(customerId: number): Promise<{ bytes: number; items: number }> {
    const row = await this.database.queryOne<{ bytes: number; items: number }>(SUM, [customerId]);
    return { bytes: row?.bytes ?? 0, items: row?.items ?? 0 };
  }

  /** How many items there are, whatever their status. */
  async count(scope: RemovalScope): Promise<number> {
    return await this.repository.countBy(conditionOf(scope));
  }

  /** Those of the formats that have media items, whatever their status. */
  async findFormatsInUse(formatIds: readonly number[]): Promise<number[]> {
    return (await this.database.query<{ id: number }>(FIND_FORMATS_IN_USE, [formatIds])).rows.map(({ id }) => id);
  }

  /** The ids of a scope after `after`, in their order; ids of items that do not exist may be among them. */
  async listIds(scope: RemovalScope, { after, limit }: Portion): Promise<number[]> {
    if ('itemIds' in scope)
      return [...scope.itemIds]
        .sort((a, b) => a - b)
        .filter((id) => id > after)
        .slice(0, limit);
    const [statement, owner] = 'containerId' in scope ? [LIST_IDS_OF_CONTAINER, scope.containerId] : [LIST_IDS_OF_FORMAT, scope.formatId];
    return (await this.database.query<{ id: number }>(statement, [owner, after, limit])).rows.map(({ id }) => id);
  }

  /** Its object is in the storage. False when the item was successful before, or its removal is scheduled. */
  async markUploaded(id: number, { size: fileSize, etag, version }: ObjectFacts): Promise<boolean> {
    return await this.update({ id, status: In([...OPEN]) }, { status: 'successful', fileSize, etag, version });
  }

  /** Their batch ended without them. */
  async markFailed(ids: readonly number[]): Promise<void> {
    await this.update({ id: Any([...ids]), status: 'prepared' }, { status: 'unsuccessful' });
  }

  /** The object of a successful item is gone. */
  async markLost(id: number): Promise<boolean> {
    return await this.update({ id, status: 'successful' }, { status: 'unsuccessful', etag: null, version: null });
  }

  /** The object of a successful item differs from the recorded one, or is in another bucket. */
  async updateObject(id: number, { size: fileSize, etag, version }: ObjectFacts, bucket: string): Promise<boolean> {
    return await this.update({ id, status: 'successful' }, { bucket, fileSize, etag, version, scripted: null });
  }

  /** Records the bucket of all items, whatever their status: those that are still being uploaded are expected there from now on. */
  async moveToBucket(bucket: string): Promise<void> {
    for (let after = 0; ; ) {
      const { rows } = await this.database.query<{ id: number }>(MOVE_TO_BUCKET, [bucket, after, MOVED_TOGETHER]);
      if (rows.length === 0) return;
      after = Math.max(...rows.map(({ id }) => id));
    }
  }

  /** Records whether a PDF contains scripts, if it is still the object that was read. */
  async recordScripts({ id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>, scripted: boolean): Promise<void> {
    await this.database.query(RECORD_SCRIPTS, [id, scripted, etag, version]);
  }

  /** Adds the facts of an item that are not known yet. */
  async fillInFacts(id: number, facts: MediaFacts): Promise<void> {
    await this.database.query(FILL_IN_FACTS, [id, ...valuesOf(facts)]);
  }

  /** From now on the object of an item that was not uploaded may be deleted. False when its success was reported meanwhile. */
  async scheduleRemoval(id: number): Promise<boolean> {
    return await this.update({ id, status: In([...OPEN]) }, { status: 'deleted' });
  }

  /** The object of an item whose removal was scheduled turned out to be new. */
  async cancelRemoval(id: number): Promise<void> {
    await this.update({ id, status: 'deleted' }, { status: 'unsuccessful' });
  }

  /** From now on the objects of these items may be deleted, whatever their status. */
  async scheduleRemovalOf(ids: readonly number[]): Promise<RemovedItem[]> {
    return (await this.database.query<RemovedItem>(SCHEDULE_REMOVAL, [ids])).rows;
  }

  /** From now on the items of a format that are older than `id` may be deleted. Their ids. */
  async scheduleRemovalOfOlder({ mediaContainerId, formatId }: RenditionSource, id: number): Promise<number[]> {
    const { rows } = await this.database.query<{ id: number }>(SCHEDULE_REMOVAL_OF_OLDER, [mediaContainerId, formatId, id]);
    return rows.map((row) => row.id);
  }

  /** From now on the other successful tracks of the same role and language may be deleted. Their ids. */
  async scheduleRemovalOfOtherTracks({ id, mediaContainerId, role, language }: MediaItem): Promise<number[]> {
    const values = [mediaContainerId, role, language, id];
    return (await this.database.query<{ id: number }>(SCHEDULE_REMOVAL_OF_OTHER_TRACKS, values)).rows.map((row) => row.id);
  }

  /** From now on no other track of these roles is the default. */
  async clearOtherDefaults({ id, mediaContainerId }: MediaItem, roles: readonly TrackRole[]): Promise<void> {
    await this.update({ id: Not(id), mediaContainerId, role: In([...roles]), status: 'successful' }, { isDefault: false });
  }

  /** Changes how a track is described. */
  async describeTrack({ id, language, label, isDefault }: MediaItem): Promise<void> {
    await this.update({ id }, { language, label, isDefault });
  }

  /** Deletes an item whose removal is scheduled and whose object is gone, and its container if that is empty then. */
  async delete(id: number): Promise<void> {
    await this.database.query(DELETE_WITH_EMPTY_CONTAINER, [id]);
  }

  /** Deletes items whose removal is scheduled and whose objects are gone. */
  async deleteMany(ids: readonly number[]): Promise<void> {
    await this.repository.delete({ id: Any([...ids]), status: 'deleted' });
  }

  private async update(where: FindOptionsWhere<MediaItem>, changes: Partial<MediaItem>): Promise<boolean> {
    return ((await this.repository.update(where, changes)).affected ?? 0) > 0;
  }

  private get repository() {
    return this.database.repository(MediaItem);
  }
}

/** Whether the success of an item was recorded, also if it was removed since: only then its object has a recorded tag. */
export const wasAccepted = ({ status, etag }: Pick<MediaItem, 'status' | 'etag'>): boolean =>
  status === 'successful' || (status === 'deleted' && etag !== null);

/** What is recorded of the object of an item, and what is needed to make a rendition again. */
export type SuccessfulItem = Pick<
  MediaItem,
  'id' | 'customerId' | 'mediaContainerId' | 'formatId' | 'bucket' | 's3Key' | 'fileSize' | 'etag' | 'version'
>;

const valuesOf = ({ width, height, duration, codec }: MediaFacts): unknown[] => [width, height, duration, codec];

function conditionOf(scope: RemovalScope): FindOptionsWhere<MediaItem> {
  if ('containerId' in scope) return { mediaContainerId: scope.containerId };
  if ('formatId' in scope) return { formatId: scope.formatId };
  return { id: Any([...scope.itemIds]) };
}
