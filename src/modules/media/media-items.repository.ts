import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, In, Not } from 'typeorm';
import { asJsonBytes, Database, IdPool, type Insertion, type Portion } from '../../shared/database/index.js';
import type { StoredObject } from '../../shared/storage/index.js';
import { type FileDescription, type MeasuredTimes, type MediaFacts, NO_FACTS } from './file-description.js';
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
  LIST_UNDESCRIBED,
  MOVE_TO_BUCKET,
  RECORD_DESCRIPTION,
  RECORD_TIMES,
  SCHEDULE_REMOVAL,
  SCHEDULE_REMOVAL_OF_OLDER,
  SCHEDULE_REMOVAL_OF_OTHER_TRACKS,
  SUM,
} from './media-items.queries.js';
import type { MediaOwner, NewItem, NewRendition, PlannedItem, RenditionSource } from './new-media-item.js';
import { readWebVttKey } from './tracks/web-vtt-key.js';

/** The properties of an object that the storage reports. */
type ObjectFacts = Pick<StoredObject, 'size' | 'etag' | 'version'>;

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

/** Descriptions of files are recorded by `recordDescription`. */
type ItemChanges = Partial<Omit<MediaItem, 'fileDescription'>> & { readonly fileDescription?: null };

const NOTHING_READ: UploadedFile = { facts: NO_FACTS, webVttKey: null };

/** What an inspection found out about a file. */
export interface InspectedFile extends Pick<MediaItem, 'scripted' | 'webVttKey'> {
  readonly description: FileDescription;
}

/** Rows that one statement changes, well within the statement timeout. */
const MOVED_TOGETHER = 10_000;

/** Items that have not been uploaded, or not in time; their objects may still arrive. */
const OPEN: readonly ItemStatus[] = ['prepared', 'unsuccessful'];

/**
 * Makes all changes to `media_items`. Each depends on the previous status, so that only one of two concurrent processes (such as a report and
 * the reaper) succeeds.
 */
@Injectable()
export class MediaItemsRepository {
  private readonly containerIds: IdPool;
  private readonly itemIds: IdPool;

  constructor(private readonly database: Database) {
    this.containerIds = new IdPool(database, 'media_containers');
    this.itemIds = new IdPool(database, 'media_items');
  }

  /** Reserves an id of a media item for each file, and one of a media container for each original; `insertions` inserts them. */
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

  /** Builds the statements that insert planned items, with the status `prepared`, and the containers of originals. */
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

  /** Inserts a planned item, with the status `prepared`. */
  async insertPlanned(item: PlannedItem): Promise<void> {
    for (const { text, values } of this.insertions([item])) await this.database.query(text, [...values]);
  }

  /** Inserts a rendition as a successful item, with the index of its segments if it has any. Returns its id; null if the original is gone. */
  async insertRendition(source: RenditionSource, rendition: NewRendition, bucket: string): Promise<number | null> {
    const { type, fileExtension, fileSize, facts, s3Key, etag, version, test, streaming, storyboard, track } = rendition;
    const values = [source.sourceMediaId, source.formatId, type, fileExtension, fileSize, ...valuesOf(facts)];
    const places = [
      bucket,
      s3Key,
      etag,
      version,
      test,
      streaming && JSON.stringify(streaming.facts),
      storyboard && JSON.stringify(storyboard),
      ...[track?.language ?? null, track?.label ?? null, track?.isDefault ?? false],
    ];
    const item = await this.database.queryOne<{ id: number }>(INSERT_RENDITION, [...values, ...places]);
    if (item && streaming) await this.database.repository(StreamingIndex).insert({ mediaItemId: item.id, ...streaming.index });
    return item?.id ?? null;
  }

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
    return (await this.database.query<SuccessfulItem>(LIST_SUCCESSFUL, [after, limit])).rows;
  }

  /** Returns the number of a customer's successful items, and their bytes. */
  async sum(customerId: number): Promise<{ bytes: number; items: number }> {
    const row = await this.database.queryOne<{ bytes: number; items: number }>(SUM, [customerId]);
    return { bytes: row?.bytes ?? 0, items: row?.items ?? 0 };
  }

  /** Counts items of any status. */
  async count(scope: RemovalScope): Promise<number> {
    return await this.repository.countBy(conditionOf(scope));
  }

  /** Finds those formats that have media items of any status. */
  async findFormatsInUse(formatIds: readonly number[]): Promise<number[]> {
    return (await this.database.query<{ id: number }>(FIND_FORMATS_IN_USE, [formatIds])).rows.map(({ id }) => id);
  }

  /** Lists the ids of a scope after `after`, in ascending order; they may include ids of items that do not exist. */
  async listIds(scope: RemovalScope, { after, limit }: Portion): Promise<number[]> {
    if ('itemIds' in scope)
      return [...scope.itemIds]
        .sort((a, b) => a - b)
        .filter((id) => id > after)
        .slice(0, limit);
    const [statement, owner] = 'containerId' in scope ? [LIST_IDS_OF_CONTAINER, scope.containerId] : [LIST_IDS_OF_FORMAT, scope.formatId];
    return (await this.database.query<{ id: number }>(statement, [owner, after, limit])).rows.map(({ id }) => id);
  }

  /** Records that the object is in the storage, and what was read from it. False if the item was already successful, or its removal is scheduled. */
  async markUploaded(
    id: number,
    { size: fileSize, etag, version }: ObjectFacts,
    { facts, webVttKey }: UploadedFile = NOTHING_READ,
  ): Promise<boolean> {
    const { width, height, duration, codec } = facts;
    const read = { width, height, duration, codec, webVttKey };
    return await this.update({ id, status: In([...OPEN]) }, { status: 'successful', fileSize, etag, version, ...read });
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
  async updateObject(id: number, { size: fileSize, etag, version }: ObjectFacts, bucket: string): Promise<boolean> {
    await this.update({ id, status: 'successful', etag: Not(etag) }, { scripted: null, fileDescription: null, webVttKey: null });
    return await this.update({ id, status: 'successful' }, { bucket, fileSize, etag, version });
  }

  /** Records the bucket of all items of any status: current uploads are expected there from then on. */
  async moveToBucket(bucket: string): Promise<void> {
    for (let after = 0; ; ) {
      const { rows } = await this.database.query<{ id: number }>(MOVE_TO_BUCKET, [bucket, after, MOVED_TOGETHER]);
      if (rows.length === 0) return;
      after = Math.max(...rows.map(({ id }) => id));
    }
  }

  /** Records what an inspection found out. False if the item is no longer successful, or has another object than the one that was read. */
  async recordDescription({ id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>, found: InspectedFile): Promise<boolean> {
    const { description, scripted, webVttKey } = found;
    const values = [id, etag, version, JSON.stringify(description), scripted, webVttKey, ...valuesOf(description)];
    return (await this.database.query(RECORD_DESCRIPTION, values)).rowCount === 1;
  }

  /** Adds to the description of an item when its streams play, unless it has another object by now than the one that was read. */
  async recordTimes({ id, etag, version }: Pick<MediaItem, 'id' | 'etag' | 'version'>, times: readonly MeasuredTimes[]): Promise<void> {
    await this.database.query(RECORD_TIMES, [id, etag, version, JSON.stringify(times)]);
  }

  /** Requests another inspection of a text track whose WebVTT is gone: the storage may have been restored without it. */
  async requestWebVtt(id: number, webVttKey: string): Promise<void> {
    await this.update({ id, webVttKey }, { webVttKey: null, fileDescription: null });
  }

  /** Lists the ids of up to `limit` items that were not inspected, because an earlier version of the service stored them; text tracks first. */
  async listUndescribed(limit: number): Promise<number[]> {
    return (await this.database.query<{ id: number }>(LIST_UNDESCRIBED, [limit])).rows.map(({ id }) => id);
  }

  /** Adds the facts of an item that are not known yet. */
  async fillInFacts(id: number, facts: MediaFacts): Promise<void> {
    await this.database.query(FILL_IN_FACTS, [id, ...valuesOf(facts)]);
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
    return (await this.database.query<RemovedItem>(SCHEDULE_REMOVAL, [ids])).rows;
  }

  /** Schedules the removal of the items of a format that are older than `id`; returns their ids. */
  async scheduleRemovalOfOlder({ mediaContainerId, formatId }: RenditionSource, id: number): Promise<number[]> {
    const { rows } = await this.database.query<{ id: number }>(SCHEDULE_REMOVAL_OF_OLDER, [mediaContainerId, formatId, id]);
    return rows.map((row) => row.id);
  }

  /** Schedules the removal of the other successful tracks with the same role and language; returns their ids. */
  async scheduleRemovalOfOtherTracks({ id, mediaContainerId, role, language }: MediaItem): Promise<number[]> {
    const values = [mediaContainerId, role, language, id];
    return (await this.database.query<{ id: number }>(SCHEDULE_REMOVAL_OF_OTHER_TRACKS, values)).rows.map((row) => row.id);
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
    await this.database.query(DELETE_WITH_EMPTY_CONTAINER, [id]);
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

/** The recorded properties of an item's object, and what is needed to make a rendition again. */
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
