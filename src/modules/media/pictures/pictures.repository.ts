import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, MoreThan } from 'typeorm';
import { Clock } from '../../../shared/clock.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import type { StoredObject } from '../../../shared/storage/index.js';
import { type AcceptedObject, contentMark } from '../accepted-objects.service.js';
import type { MediaItem } from '../media-item.entity.js';
import type { LadderSize } from './picture-ladder.js';
import { PictureSize } from './picture-size.entity.js';
import { PictureSource } from './picture-source.entity.js';

/** A picture from which sizes are made. */
export type PictureItem = Pick<
  MediaItem,
  'id' | 'customerId' | 'mediaContainerId' | 'fileExtension' | 'fileSize' | 'width' | 'height' | 'etag' | 'version' | 's3Key'
>;

/** A size of a picture in the storage. */
export type ReadySize = Pick<PictureSize, 'name' | 'format' | 'width' | 'height' | 'fileSize'> & AcceptedObject;

export interface SizeClaim {
  readonly size: LadderSize;
  readonly format: string;
  readonly s3Key: string;
  readonly expiresAt: Date;
}

/** The largest number of sizes of one picture, so that requests cannot fill a bucket (contract section 13.4). */
export const MAX_SIZES = 360;
/** Kept free for the sizes that pages offer: nine widths in five file types. */
const RESERVED_SIZES = 45;
/** Rows that one statement changes, well within the statement timeout. */
const CHANGED_TOGETHER = 10_000;
/** Signed URLs of a size may still be in use. */
const KEPT_MS = 3_600_000;

/** What is known about some pictures; null: the picture has not been examined. */
export interface KnownPictures {
  readonly find: (item: Identified) => PictureSource | null;
}

type Identified = Pick<PictureItem, 'id' | 'etag' | 'version'>;

const keyOf = (item: Identified) => ({ mediaItemId: item.id, content: contentMark(item) });

/** Makes all changes of picture sizes: claimed → ready → removed → deleted. Each depends on the key of the claim, which fences off late processes. */
@Injectable()
export class PicturesRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** What is known about a picture; null: it has not been examined. */
  async findSource(item: Identified): Promise<PictureSource | null> {
    return await this.database.repository(PictureSource).findOneBy(keyOf(item));
  }

  /** What is known about the pictures of these containers. */
  async findSourcesOf(containerIds: readonly number[]): Promise<KnownPictures> {
    // Raw SQL: a join without building the items.
    const { rows } = await this.database.query<PictureSource>(
      `SELECT media_item_id AS "mediaItemId", content, readable, s.width, s.height, animated, transparent
        FROM media_items i JOIN picture_sources s ON s.media_item_id = i.id WHERE i.media_container_id = ANY($1::int[])`,
      [containerIds],
    );
    const known = new Map(rows.map((row) => [`${row.mediaItemId} ${row.content}`, row]));
    return { find: (item) => known.get(`${item.id} ${contentMark(item)}`) ?? null };
  }

  /** Records what was found out about a picture; its item may be gone meanwhile. */
  async recordSource(item: Identified, facts: Omit<PictureSource, 'mediaItemId' | 'content'>): Promise<void> {
    const { mediaItemId, content } = keyOf(item);
    const { readable, width, height, animated, transparent } = facts;
    // Raw SQL: inserts only for an item that exists, and locks it against its deletion.
    await this.database.query(
      `INSERT INTO picture_sources (media_item_id, content, readable, width, height, animated, transparent)
        SELECT id, $2, $3, $4, $5, $6, $7 FROM media_items WHERE id = $1 FOR KEY SHARE
        ON CONFLICT (media_item_id, content) DO UPDATE SET readable = excluded.readable`,
      [mediaItemId, content, readable, width, height, animated, transparent],
    );
  }

  /** The sizes of a picture that are in the storage, all of them or that of a name and format. */
  async findReady(item: Identified, only: { readonly name?: string; readonly format?: string } = {}): Promise<ReadySize[]> {
    return await this.sizes.findBy({ ...keyOf(item), status: 'ready', ...only });
  }

  /**
   * Claims a size for one process. `claimed`; `busy`: another process makes or has made it; `refused`: the picture has too many sizes, or is no
   * longer delivered.
   */
  async claim(item: PictureItem, { size, format, s3Key, expiresAt }: SizeClaim): Promise<'claimed' | 'busy' | 'refused'> {
    const { mediaItemId, content } = keyOf(item);
    const now = this.clock.now();
    return await this.database.transaction(async () => {
      await this.database.lock(`picture sizes ${mediaItemId}`); // so that simultaneous claims count each other
      const same = { mediaItemId, content, name: size.name, format };
      const found = await this.sizes.findBy({ ...same, status: Any(['claimed', 'ready']) } as FindOptionsWhere<PictureSize>);
      const [expired] = found.filter((one) => one.status === 'claimed' && one.expiresAt < now);
      if (found.length > 0 && !expired) return 'busy';
      if (expired) await this.sizes.update({ id: expired.id }, { status: 'removed' });
      // Raw SQL: the item must be successful in the same content, and stay so until the commit; its removal finds this row afterwards.
      const { rowCount } = await this.database.query(
        `INSERT INTO picture_sizes (customer_id, media_item_id, content, name, format, width, height, s3_key, status, expires_at)
          SELECT customer_id, id, $2, $3, $4, $5, $6, $7, 'claimed', $8 FROM media_items
          WHERE id = $1 AND status = 'successful' AND etag IS NOT DISTINCT FROM $9 AND version IS NOT DISTINCT FROM $10
            AND (SELECT count(*) FROM picture_sizes WHERE media_item_id = $1 AND status <> 'removed') < $11
          FOR SHARE`,
        [
          ...[mediaItemId, content, size.name, format, size.width, size.height, s3Key, expiresAt],
          ...[item.etag, item.version, size.isPlain ? MAX_SIZES : MAX_SIZES - RESERVED_SIZES],
        ],
      );
      return rowCount === 1 ? 'claimed' : 'refused';
    });
  }

  /** Records that the object of a claim is in the storage. False: the claim was lost, so that the object is not known. */
  async markReady(s3Key: string, { size: fileSize, etag, version }: Pick<StoredObject, 'size' | 'etag' | 'version'>): Promise<boolean> {
    const { affected } = await this.sizes.update({ s3Key, status: 'claimed' }, { status: 'ready', fileSize, etag, version });
    return (affected ?? 0) > 0;
  }

  /** Ends a claim without success; the object is deleted if it was written. */
  async release(s3Key: string): Promise<void> {
    await this.sizes.update({ s3Key, status: 'claimed' }, { status: 'removed', expiresAt: this.clock.now() });
  }

  /** Removes all sizes of these media items; returns those whose objects can be deleted now, because no process is writing them. */
  async remove(mediaItemIds: readonly number[]): Promise<Pick<PictureSize, 'id' | 's3Key'>[]> {
    // Raw SQL: returns the changed rows; a claim keeps its end, after which its object is deleted.
    const { rows } = await this.database.query<Pick<PictureSize, 'id' | 's3Key'>>(
      `WITH removed AS (
          UPDATE picture_sizes SET status = 'removed', expires_at = CASE status WHEN 'ready' THEN $2 ELSE expires_at END
          WHERE media_item_id = ANY($1::int[]) AND status <> 'removed' RETURNING id, s3_key, expires_at
        ) SELECT id, s3_key AS "s3Key" FROM removed WHERE expires_at <= $2`,
      [mediaItemIds, this.clock.now()],
    );
    return rows;
  }

  /** Removes sizes whose objects are lost. */
  async removeLost(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.sizes.update({ id: Any([...ids]), status: 'ready' }, { status: 'removed', expiresAt: this.clock.now() });
  }

  /** Removes all sizes of all customers, and what is known about their pictures; returns the number of sizes. They are made again on request. */
  async removeAll(): Promise<number> {
    const expiresAt = new Date(this.clock.now().getTime() + KEPT_MS);
    await this.database.query('DELETE FROM picture_sources');
    for (let total = 0; ; ) {
      // Raw SQL: updates one page, because the table is too large for one statement.
      const { rowCount } = await this.database.query(
        `UPDATE picture_sizes SET status = 'removed', expires_at = $1
          WHERE id IN (SELECT id FROM picture_sizes WHERE status = 'ready' LIMIT $2)`,
        [expiresAt, CHANGED_TOGETHER],
      );
      if (!rowCount) return total;
      total += rowCount;
    }
  }

  /** Finds sizes whose objects are to be deleted: removed ones, and claims of processes that have died. */
  async findExpired(now: Date, limit: number): Promise<Pick<PictureSize, 'id' | 's3Key'>[]> {
    // Raw SQL: TypeORM cannot compare a status and a time in the form of the partial index.
    const { rows } = await this.database.query<Pick<PictureSize, 'id' | 's3Key'>>(
      `SELECT id, s3_key AS "s3Key" FROM picture_sizes WHERE status <> 'ready' AND expires_at < $1 LIMIT $2`,
      [now, limit],
    );
    return rows;
  }

  /** Deletes rows whose objects are gone. */
  async delete(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.sizes.delete({ id: Any([...ids]) });
  }

  /** The bytes of a customer's sizes. */
  async sumBytes(customerId: number): Promise<number> {
    return Number((await this.sizes.sum('fileSize', { customerId })) ?? 0);
  }

  /** Finds which of these objects are sizes. */
  async findKnownKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.sizes.findBy({ s3Key: Any([...keys]) })).map(({ s3Key }) => s3Key));
  }

  /** Lists a page of sizes that are in the storage, in the order of their ids. */
  async listReady({ after, limit }: Portion): Promise<PictureSize[]> {
    return await this.sizes.find({ where: { id: MoreThan(after), status: 'ready' }, order: { id: 'ASC' }, take: limit });
  }

  private get sizes() {
    return this.database.repository(PictureSize);
  }
}
