import { Injectable } from '@nestjs/common';
import { ObjectStorage } from '../../shared/storage/index.js';
import { ChecksumsJob } from './checksums/checksums.job.js';
import type { MediaFacts } from './file-description.js';
import { FileDescriptionsRepository } from './file-descriptions.repository.js';
import { LostRenditions } from './lost-renditions.port.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaItemsRepository, type SuccessfulItem } from './media-items.repository.js';
import { MediaRemovalService } from './media-removal.service.js';
import type { NewRendition, RenditionSource } from './new-media-item.js';
import { NewMediaItemsRepository } from './new-media-items.repository.js';

/** The facts read from an original; technicalMetadata is null if it was not read. */
export interface OriginalReport {
  readonly facts: MediaFacts;
  readonly technicalMetadata: object | null;
}

/** The result for a rendition whose object is lost or damaged. */
export interface LostRenditionRepair {
  /** False: the rendition stays unchanged, because it is no longer successful, or because its damaged object cannot be made again. */
  readonly marked: boolean;
  /** The id of the transcoding that replaces it; null: its format or original is gone. */
  readonly jobId: string | null;
}

/** Stores the results of transcodings. All methods run in the ambient transaction. */
@Injectable()
export class MediaRenditionsService {
  constructor(
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly newItems: NewMediaItemsRepository,
    private readonly descriptions: FileDescriptionsRepository,
    private readonly removal: MediaRemovalService,
    private readonly storage: ObjectStorage,
    private readonly lost: LostRenditions,
    private readonly checksums: ChecksumsJob,
  ) {}

  /** Keeps container and original from being removed until the transaction ends. False if their removal is done or scheduled. */
  async lockSource({ mediaContainerId, sourceMediaId }: RenditionSource): Promise<boolean> {
    return await this.containers.lockWithOriginal(mediaContainerId, sourceMediaId);
  }

  /**
   * Adds a rendition in the storage as a media item and returns its id, and before it the `others` of the same format, so that the rendition is the
   * newest one. Older items of its format are superseded: they are no longer delivered, and a job removes them an hour later. The source must be
   * locked before.
   */
  async add(source: RenditionSource, rendition: NewRendition, others: readonly NewRendition[] = []): Promise<number> {
    const ids: number[] = [];
    for (const one of [...others, rendition]) ids.push(await this.insert(source, one));
    await this.removal.scheduleSupersededRemoval(await this.items.scheduleRemovalOfOlder(source, Math.min(...ids)));
    return Math.max(...ids);
  }

  private async insert(source: RenditionSource, rendition: NewRendition): Promise<number> {
    const id = await this.newItems.insertRendition(source, rendition, this.storage.location.bucket);
    if (id === null) throw new Error(`The original ${source.sourceMediaId} is gone, although it was locked.`);
    if (rendition.crc32 === null) await this.checksums.request(`media item ${id}`, [id]);
    return id;
  }

  /**
   * Marks a rendition whose object is missing or damaged as unsuccessful, and requests its replacement if possible. A rendition that is only
   * damaged stays unchanged if it cannot be made again. Throws `quota_exceeded`.
   */
  async replaceLost(item: SuccessfulItem, { isDamagedOnly }: { isDamagedOnly: boolean }): Promise<LostRenditionRepair> {
    const jobId = await this.lost.makeAgain(item);
    if (jobId === null && isDamagedOnly) return { marked: false, jobId };
    return { marked: await this.items.markLost(item.id), jobId };
  }

  /** Records the facts read from the original. */
  async describeOriginal(
    { mediaContainerId, sourceMediaId }: RenditionSource,
    { facts, technicalMetadata }: OriginalReport,
  ): Promise<void> {
    await this.descriptions.fillInFacts(sourceMediaId, facts);
    if (technicalMetadata) await this.containers.recordTechnicalMetadata(mediaContainerId, technicalMetadata);
  }
}
