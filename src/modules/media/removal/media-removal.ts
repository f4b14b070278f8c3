import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Database } from '../../../shared/database/index.js';
import { ObjectStorage } from '../../../shared/storage/index.js';
import type { ItemStatus } from '../media-item.entity.js';
import { MediaRemovalListeners } from './media-removal-listener.js';

/** Items at a time; they wait for the storage. */
const CONCURRENT_ITEMS = 16;
const BATCH = 500;
/** Ids found at once: how PostgreSQL finds them may cost as much as all that a format has, so it is asked seldom. */
const PAGE = 10_000;

/** What the keys of renditions begin with; uploads are elsewhere. */
const RENDITIONS = 'renditions/';

/** Which items: all of a container, all of a format, or these. */
export type RemovalScope = { readonly containerId: number } | { readonly formatId: number } | { readonly itemIds: readonly number[] };

interface Doomed {
  readonly id: number;
  readonly s3Key: string;
  readonly formatId: number | null;
  /** The version that was accepted or written; null: the bucket kept none. */
  readonly version: string | null;
  /** Before it was condemned. */
  readonly status: ItemStatus;
}

/** The statements of a scope, whose value is $1. */
const statementsOf = (condition: string) => ({
  page: `SELECT id FROM media_items WHERE ${condition} AND id > $2 ORDER BY id LIMIT ${PAGE}`,
  count: `SELECT count(*)::int AS count FROM media_items WHERE ${condition}`,
});

const OF_CONTAINER = statementsOf('media_container_id = $1');
const OF_FORMAT = statementsOf('format_id = $1');
const OF_ITEMS = statementsOf('id = ANY($1::int[])');

const DOOM = `WITH doomed AS (SELECT id, status FROM media_items WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE)
  UPDATE media_items SET status = 'deleted' FROM doomed WHERE media_items.id = doomed.id
  RETURNING media_items.id, s3_key AS "s3Key", format_id AS "formatId", version, doomed.status`;

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
    const { statements, value } = readScope(scope);
    return (await this.database.queryOne<{ count: number }>(statements.count, [value]))?.count ?? 0;
  }

  /** Throws `storage_unavailable`; what was removed by then stays removed. An item that is added meanwhile may be left. */
  async remove(scope: RemovalScope): Promise<void> {
    for (let ids = await this.findPage(scope, 0); ids.length > 0; ids = await this.findPage(scope, ids.at(-1) ?? 0)) {
      for (let start = 0; start < ids.length; start += BATCH) await this.removeBatch(ids.slice(start, start + BATCH));
    }
  }

  private async removeBatch(ids: readonly number[]): Promise<void> {
    const { rows: doomed } = await this.database.query<Doomed>(DOOM, [ids]);
    await this.removeObjects(doomed);
    await this.forget(doomed);
  }

  /** Behind what was removed already, which PostgreSQL may still have to step over. */
  private async findPage(scope: RemovalScope, after: number): Promise<number[]> {
    const { statements, value } = readScope(scope);
    return (await this.database.query<{ id: number }>(statements.page, [value, after])).rows.map(({ id }) => id);
  }

  /** The rows and what follows from it go together: who dies before finds them again, and the listeners hear of it then. */
  private async forget(gone: readonly Doomed[]): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.query(FORGET, [gone.map(({ id }) => id)]);
      await this.listeners.tell([...new Set(gone.flatMap(({ formatId }) => formatId ?? []))]);
    });
  }

  /**
   * With what may be under way of those that never arrived: their parts would be kept for good. A rendition is written once under its key, so
   * its version is all that there is; a sender may have uploaded several versions, which the storage has to list.
   */
  private async removeObjects(doomed: readonly Doomed[]): Promise<void> {
    const limit = pLimit(CONCURRENT_ITEMS);
    const unfinished = doomed.filter(({ status }) => status !== 'successful');
    await Promise.all(unfinished.map(({ s3Key }) => limit(async () => await this.abortUploads(s3Key))));
    const written = doomed.flatMap(({ s3Key: key, version }) =>
      key.startsWith(RENDITIONS) && version !== null ? [{ key, versionId: version }] : [],
    );
    const known = new Set(written.map(({ key }) => key));
    await this.storage.deleteVersions(written);
    await this.storage.deleteMany(doomed.map(({ s3Key }) => s3Key).filter((key) => !known.has(key)));
  }

  private async abortUploads(key: string): Promise<void> {
    for await (const upload of this.storage.listMultipartUploads(key))
      if (upload.key === key) await this.storage.abortMultipartUpload(upload);
  }
}

function readScope(scope: RemovalScope) {
  if ('containerId' in scope) return { statements: OF_CONTAINER, value: scope.containerId };
  if ('formatId' in scope) return { statements: OF_FORMAT, value: scope.formatId };
  return { statements: OF_ITEMS, value: scope.itemIds };
}
