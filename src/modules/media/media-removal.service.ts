import { Injectable, type OnModuleInit } from '@nestjs/common';
import pLimit from 'p-limit';
import { Clock } from '../../shared/clock.js';
import { Database } from '../../shared/database/index.js';
import { Hooks } from '../../shared/hooks.js';
import { JobsService, UNTIL_DONE } from '../../shared/jobs/index.js';
import { ObjectStorage } from '../../shared/storage/index.js';
import { RENDITIONS_PREFIX } from './accepted-objects.service.js';
import { MediaContainersRepository } from './media-containers.repository.js';
import { MediaItemsRepository, type RemovalScope, type RemovedItem } from './media-items.repository.js';
import { PictureRemovalService } from './pictures/picture-removal.service.js';

const REMOVE_CONTAINER = 'destroy_media_container';
const REMOVE_ITEMS = 'remove_superseded_media';

/** Signed URLs of a superseded file may still be in use by a player or a download. */
const KEPT_MS = 3_600_000;

/** Concurrent calls to the storage. */
const CONCURRENT_CALLS = 16;
const BATCH_SIZE = 500;
/** Ids per find: a find may cost PostgreSQL as much as reading all items of a format, so there should be few. */
const PAGE_SIZE = 10_000;

/** Called with the id of a container whose removal is scheduled, in the same transaction, so that no more renditions of it are made. */
export class ContainerRemovalHooks extends Hooks<number> {}

/** Called with the ids of formats of which media items are deleted, in the same transaction: softly destroyed formats go with their last item. */
export class MediaRemovalHooks extends Hooks<readonly number[]> {}

/**
 * Permanently removes media items: schedules their removal, deletes their objects, and then their rows. The next call continues an interrupted
 * one, because it finds the remaining rows.
 */
@Injectable()
export class MediaRemovalService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly items: MediaItemsRepository,
    private readonly containers: MediaContainersRepository,
    private readonly storage: ObjectStorage,
    private readonly pictures: PictureRemovalService,
    private readonly containerHooks: ContainerRemovalHooks,
    private readonly itemHooks: MediaRemovalHooks,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.handle<{ containerId: number }>(REMOVE_CONTAINER, async ({ containerId }) => await this.removeContainer(containerId));
    this.jobs.handle<{ itemIds: number[] }>(REMOVE_ITEMS, async (scope) => await this.remove(scope));
  }

  /** Counts items of any status. */
  async count(scope: RemovalScope): Promise<number> {
    return await this.items.count(scope);
  }

  /**
   * Removes the items of a scope. Throws `storage_unavailable`; earlier batches stay removed. Items added in the meantime may remain.
   */
  async remove(scope: RemovalScope): Promise<void> {
    const findPage = async (after: number) => await this.items.listIds(scope, { after, limit: PAGE_SIZE });
    for (let ids = await findPage(0); ids.length > 0; ids = await findPage(ids.at(-1) ?? 0)) {
      for (let start = 0; start < ids.length; start += BATCH_SIZE) await this.removeBatch(ids.slice(start, start + BATCH_SIZE));
    }
  }

  /** Adds the job that removes a container with all its files; called in the transaction that marks the container. */
  async scheduleContainerRemoval(containerId: number): Promise<void> {
    await this.containerHooks.run(containerId);
    await this.jobs.add(REMOVE_CONTAINER, { containerId }, { key: `${REMOVE_CONTAINER} ${containerId}`, maxAttempts: UNTIL_DONE });
  }

  /** Adds the job that removes items; called in the transaction that schedules their removal. */
  async scheduleItemRemoval(itemIds: readonly number[], runAt = this.clock.now()): Promise<void> {
    if (itemIds.length > 0) await this.jobs.add(REMOVE_ITEMS, { itemIds }, { runAt, maxAttempts: UNTIL_DONE });
  }

  /** Adds the job that removes superseded items an hour later; called in the transaction that schedules their removal. */
  async scheduleSupersededRemoval(itemIds: readonly number[]): Promise<void> {
    await this.scheduleItemRemoval(itemIds, new Date(this.clock.now().getTime() + KEPT_MS));
  }

  /** Removes a container with all its files; can be repeated. Files added in the meantime are removed as well. */
  async removeContainer(containerId: number): Promise<void> {
    do await this.remove({ containerId });
    while (!(await this.containers.deleteIfEmpty(containerId)));
  }

  /**
   * Removes all containers of a customer with their files; the next call, or a job, continues an interrupted one. Throws
   * `storage_unavailable`.
   */
  async removeOfCustomer(customerId: number): Promise<void> {
    for (;;) {
      const ids = await this.containers.listIdsOfCustomer(customerId, BATCH_SIZE);
      if (ids.length === 0) return;
      await this.database.transaction(async () => {
        for (const id of await this.containers.scheduleRemovals(ids)) await this.scheduleContainerRemoval(id);
      });
      for (const id of ids) await this.removeContainer(id);
    }
  }

  private async removeBatch(ids: readonly number[]): Promise<void> {
    const removed = await this.items.scheduleRemovalOf(ids);
    await this.pictures.removeOf(ids);
    await this.deleteObjects(removed);
    await this.deleteRows(removed);
  }

  /**
   * Deletes rows and notifies the listeners in one transaction, so that after an interruption the rows are found and the listeners notified again.
   */
  private async deleteRows(removed: readonly RemovedItem[]): Promise<void> {
    await this.database.transaction(async () => {
      await this.items.deleteMany(removed.map(({ id }) => id));
      await this.itemHooks.run([...new Set(removed.flatMap(({ formatId }) => formatId ?? []))]);
    });
  }

  /**
   * Deletes objects, and aborts the multipart uploads of items that never arrived, whose parts would otherwise remain. A rendition is written once
   * under its key, so its recorded version is the only one; an upload may have several versions, which the storage has to list.
   */
  private async deleteObjects(removed: readonly RemovedItem[]): Promise<void> {
    const limit = pLimit(CONCURRENT_CALLS);
    const unfinished = removed.filter(({ status }) => status !== 'successful');
    await Promise.all(unfinished.map(({ s3Key }) => limit(async () => await this.abortUploads(s3Key))));
    const renditions = removed.flatMap(({ s3Key: key, version }) =>
      key.startsWith(RENDITIONS_PREFIX) && version !== null ? [{ key, versionId: version }] : [],
    );
    const withVersion = new Set(renditions.map(({ key }) => key));
    await this.storage.deleteVersions(renditions);
    const converted = removed.flatMap(({ webVttKey }) => webVttKey ?? []);
    await this.storage.deleteMany([...removed.map(({ s3Key }) => s3Key).filter((key) => !withVersion.has(key)), ...converted]);
  }

  private async abortUploads(key: string): Promise<void> {
    for await (const upload of this.storage.listMultipartUploads(key))
      if (upload.key === key) await this.storage.abortMultipartUpload(upload);
  }
}
