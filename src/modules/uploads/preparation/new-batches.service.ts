import { Injectable } from '@nestjs/common';
import { Clock } from '../../../shared/clock.js';
import { Database, isUniqueViolation } from '../../../shared/database/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import { ActivitiesRepository, type NewActivity, type Outcome } from '../../activity/index.js';
import { FormatReaderService } from '../../formats/index.js';
import {
  IN_TRASH,
  MAX_TRACKS,
  MediaReaderRepository,
  NewMediaItemsRepository,
  type NewTrack,
  type PlannedItem,
  type TrackLanguages,
} from '../../media/index.js';
import type { BatchItem, ItemProblem } from '../batches/upload-batch.entity.js';
import { type BatchOwner, type PreparedBatch, UploadBatchesRepository } from '../batches/upload-batches.repository.js';
import { type CheckedPayload, describeExisting, refuseItems } from './check-payload.js';
import { type Problem, problem } from './item-problems.js';

/** All data of a batch, before it is stored. */
export interface BatchPlan {
  readonly media: readonly PlannedItem[];
  readonly items: BatchItem[];
  readonly problems: ItemProblem[];
}

/** A new batch with its media and the result of its job. */
export interface NewRecord {
  readonly batch: PreparedBatch;
  readonly media: readonly PlannedItem[];
  readonly activity: NewActivity & Outcome;
}

/** Plans new batches, and inserts each with its media and the result of its job in one transaction. */
@Injectable()
export class NewBatchesService {
  constructor(
    private readonly database: Database,
    private readonly batches: UploadBatchesRepository,
    private readonly newItems: NewMediaItemsRepository,
    private readonly media: MediaReaderRepository,
    private readonly formats: FormatReaderService,
    private readonly activities: ActivitiesRepository,
    private readonly storage: ObjectStorage,
    private readonly clock: Clock,
  ) {}

  /** Refuses tracks for containers to which nothing, or no further track of the role, can be added. */
  async refuseTracks(checked: CheckedPayload, customerId: number): Promise<CheckedPayload> {
    const ids = [...new Set(checked.items.flatMap(({ track }) => track?.mediaContainerId ?? []))];
    if (ids.length === 0) return checked;
    const flags = await this.media.findFlags(customerId, ids);
    const places = new TrackPlaces(await this.media.findTrackLanguages([...flags.keys()]));
    return refuseItems(checked, ({ track }) => track && (findContainerProblem(track.mediaContainerId, flags) ?? places.take(track)));
  }

  /** Converts a checked payload to media with their ids, the items of the batch, and the problems to report. */
  async plan(checked: CheckedPayload, owner: BatchOwner): Promise<BatchPlan> {
    const [media, duplicates] = await Promise.all([this.planMedia(checked, owner), this.findExisting(checked, owner)]);
    const items = media.map(({ mediaContainerId, mediaId, s3Key: key, type, fileSize: size }, position) => {
      const index = checked.items[position]?.index ?? position;
      return { index, mediaContainerId, mediaId, key, type, size };
    });
    return { media, items, problems: [...checked.problems, ...duplicates].sort((a, b) => a.index - b.index) };
  }

  /**
   * Inserts a batch; false if the customer has a batch with this uploadId. `admit` runs in the same transaction and may refuse the batch by throwing.
   */
  async insert({ batch, media, activity }: NewRecord, admit?: () => Promise<void>): Promise<boolean> {
    try {
      await this.database.attempt(async () => {
        await this.database.transaction(async () => {
          // The batch first: of two equal requests, the second waits here for the first, and does not count against any limit.
          await this.batches.insertPrepared(batch, this.clock.now());
          await this.newItems.insert(media);
          await this.activities.succeed(activity, activity);
          await admit?.();
        });
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /** Adds the media of a batch that a job prepares. Throws if the batch has already been prepared, or is deleted. */
  async completePreparation(batchId: number, { batch, media, activity }: NewRecord): Promise<void> {
    await this.database.transaction(async () => {
      await this.newItems.insert(media);
      if (!(await this.batches.markPrepared(batchId, batch))) throw new Error(`The batch ${batchId} is no longer being prepared.`);
      await this.activities.succeed(activity, activity);
    });
  }

  private async planMedia({ items, uploads }: CheckedPayload, { customerId, creatorId, userId, dropsiteId }: BatchOwner) {
    const formatIds = await this.formats.originalIds();
    const files = items.map((item, position) => ({
      ...item,
      formatId: item.track ? null : formatIds[item.type],
      s3Key: uploads[position]?.key ?? '',
    }));
    const senderId = dropsiteId === null ? null : userId;
    return await this.newItems.plan(files, { customerId, creatorId, origin: dropsiteId, senderId, bucket: this.storage.location.bucket });
  }

  /** Finds duplicates. At a dropsite only the request itself is searched, because a sender must not learn what the customer has stored. */
  private async findExisting({ items, problems }: CheckedPayload, { customerId, dropsiteId }: BatchOwner): Promise<ItemProblem[]> {
    if (dropsiteId !== null) return [];
    const repeated = new Set(problems.map(({ index }) => index));
    const candidates = items.filter(({ index, track }) => track === null && !repeated.has(index));
    return [...(await this.media.findDuplicates(customerId, candidates))].map(([index, containerId]) =>
      describeExisting(index, containerId),
    );
  }
}

/** The tracks that containers have, and that earlier items of a request add. A track of the same role and language replaces the other one. */
class TrackPlaces {
  private readonly languages = new Map<string, Set<string | null>>();

  constructor(found: readonly TrackLanguages[]) {
    for (const { id, role, languages } of found) this.languages.set(`${id} ${role}`, new Set(languages));
  }

  /** Takes the place of a track; the problem if all places are taken. */
  take({ mediaContainerId, role, language }: NewTrack): Problem | null {
    const taken = this.languages.get(`${mediaContainerId} ${role}`) ?? new Set();
    this.languages.set(`${mediaContainerId} ${role}`, taken);
    if (taken.size >= MAX_TRACKS && !taken.has(language))
      return problem('too_many_tracks', `The media container ${mediaContainerId} already has ${MAX_TRACKS} tracks of the role ${role}.`);
    taken.add(language);
    return null;
  }
}

function findContainerProblem(id: number, flags: ReadonlyMap<number, number>): Problem | null {
  const flag = flags.get(id);
  if (flag === undefined) return problem('not_found', `There is no media container ${id}.`);
  return flag === IN_TRASH ? problem('media_container_in_trash', `The media container ${id} is in the trash; restore it first.`) : null;
}
