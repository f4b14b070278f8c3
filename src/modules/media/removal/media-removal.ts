import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Database } from '../../../shared/database/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import type { ItemStatus } from '../media-item.entity.js';
import { MediaRemovalListeners } from './media-removal-listener.js';

/** Items at a time; they wait for the storage. */
const CONCURRENT_ITEMS = 16;
const PAGE = 500;

/** Which items: all of a container, or all of a format. */
export type RemovalScope = { readonly containerId: number } | { readonly formatId: number };

interface Doomed {
  readonly id: number;
  readonly s3Key: string;
  readonly formatId: number | null;
  /** Before it was condemned. */
  readonly status: ItemStatus;
}

const doom = (condition: string) => `WITH doomed AS (
    SELECT id, status FROM media_items WHERE ${condition} ORDER BY id LIMIT ${PAGE} FOR UPDATE)
  UPDATE media_items SET status = 'deleted' FROM doomed WHERE media_items.id = doomed.id
  RETURNING media_items.id, s3_key AS "s3Key", format_id AS "formatId", doomed.status`;

const DOOM_OF_CONTAINER = doom('media_container_id = $1');
const DOOM_OF_FORMAT = doom('format_id = $1');

const count = (condition: string) => `SELECT count(*)::int AS count FROM media_items WHERE ${condition}`;

const COUNT_OF_CONTAINER = count('media_container_id = $1');
const COUNT_OF_FORMAT = count('format_id = $1');

const FORGET = `DELETE FROM media_items WHERE id = ANY($1::int[]) AND status = 'deleted'`;

/**
 * Removes media items for good: condemned first, then their objects, their rows last. Whoever dies in between is continued by the next
 * call, which finds the rest.
 */
@Injectable()
export class MediaRemoval {
  constructor(
    private readonly database: Database,
    private readonly storage: ObjectStorage,
    private readonly listeners: MediaRemovalListeners,
  ) {}

  /** How many items there are, whatever their status is. */
  async count(scope: RemovalScope): Promise<number> {
    const [text, id] = 'containerId' in scope ? [COUNT_OF_CONTAINER, scope.containerId] : [COUNT_OF_FORMAT, scope.formatId];
    return (await this.database.queryOne<{ count: number }>(text, [id]))?.count ?? 0;
  }

  /** Throws `storage_unavailable`; what was removed by then stays removed. */
  async remove(scope: RemovalScope): Promise<void> {
    const [text, id] = 'containerId' in scope ? [DOOM_OF_CONTAINER, scope.containerId] : [DOOM_OF_FORMAT, scope.formatId];
    for (;;) {
      const { rows: doomed } = await this.database.query<Doomed>(text, [id]);
      if (doomed.length === 0) return;
      await this.removeObjects(doomed);
      await this.forget(doomed);
    }
  }

  /** The rows and what follows from it go together: who dies before finds them again, and the listeners hear of it then. */
  private async forget(gone: readonly Doomed[]): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.query(FORGET, [gone.map(({ id }) => id)]);
      await this.listeners.tell([...new Set(gone.flatMap(({ formatId }) => formatId ?? []))]);
    });
  }

  /** With what may be under way of those that never arrived: their parts would be kept for good. */
  private async removeObjects(doomed: readonly Doomed[]): Promise<void> {
    const limit = pLimit(CONCURRENT_ITEMS);
    const unfinished = doomed.filter(({ status }) => status !== 'successful');
    await Promise.all(unfinished.map(({ s3Key }) => limit(async () => await this.abortUploads(s3Key))));
    await this.storage.deleteMany(doomed.map(({ s3Key }) => s3Key));
  }

  private async abortUploads(key: string): Promise<void> {
    for await (const upload of this.storage.listMultipartUploads(key))
      if (upload.key === key) await this.storage.abortMultipartUpload(upload);
  }
}
