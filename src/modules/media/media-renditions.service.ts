import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { JobsService, UNTIL_DONE } from '../../shared/jobs/index.js';
import { ObjectStorage } from '../../shared/storage/index.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { type MediaFacts, MediaItemsRepository, type NewRendition, type RenditionSource } from './media-items.repository.js';
import { MediaRemovalService } from './media-removal.service.js';

const REMOVE_SUPERSEDED = 'remove_superseded_media';

/** Signed URLs of a superseded rendition may still be in use by a player or a download. */
const KEPT_MS = 3_600_000;

/** What was read from an original; technicalMetadata null: it was not read. */
export interface OriginalReport {
  readonly facts: MediaFacts;
  readonly technicalMetadata: object | null;
}

/** Stores the results of transcodings. All methods run in the ambient transaction. */
@Injectable()
export class MediaRenditionsService implements OnModuleInit {
  constructor(
    private readonly clock: Clock,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly jobs: JobsService,
    private readonly removal: MediaRemovalService,
    private readonly storage: ObjectStorage,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ itemIds: number[] }>(REMOVE_SUPERSEDED, async (scope) => await this.removal.remove(scope));
  }

  /** Keeps container and original from being removed until the transaction ends. False when they are removed, or about to be. */
  async lockSource({ mediaContainerId, sourceMediaId }: RenditionSource): Promise<boolean> {
    return await this.containers.lockWithOriginal(mediaContainerId, sourceMediaId);
  }

  /**
   * Adds a rendition that is in the storage as a media item; its id. Older items of its format are superseded: they are no longer delivered, and
   * a job removes them an hour later. Lock the source before.
   */
  async add(source: RenditionSource, rendition: NewRendition): Promise<number> {
    const id = await this.items.insertRendition(source, rendition, this.storage.location.bucket);
    if (id === null) throw new Error(`The original ${source.sourceMediaId} is gone, although it was locked.`);
    const itemIds = await this.items.scheduleRemovalOfOlder(source, id);
    const runAt = new Date(this.clock.now().getTime() + KEPT_MS);
    if (itemIds.length > 0) await this.jobs.add(REMOVE_SUPERSEDED, { itemIds }, { runAt, maxAttempts: UNTIL_DONE });
    return id;
  }

  /** Records what was read from the original. */
  async describeOriginal(
    { mediaContainerId, sourceMediaId }: RenditionSource,
    { facts, technicalMetadata }: OriginalReport,
  ): Promise<void> {
    await this.items.fillInFacts(sourceMediaId, facts);
    if (technicalMetadata) await this.containers.recordTechnicalMetadata(mediaContainerId, technicalMetadata);
  }
}
