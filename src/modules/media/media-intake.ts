import { Injectable } from '@nestjs/common';
import { asJsonBytes, Database, IdPool, type Insertion } from '../../shared/database/index.js';
import type { ContainerType, MetadataEntry } from './media-container.entity.js';
import { ORIGINAL_COLUMNS, type Original } from './original.js';

/** A file that somebody is about to upload; it gets a media container of its own. */
export interface NewOriginal {
  readonly type: ContainerType;
  /** The format of originals of this type. */
  readonly formatId: number;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes, as announced. */
  readonly fileSize: number;
  readonly s3Key: string;
  readonly checksum: string | null;
  readonly metadata: readonly MetadataEntry[];
}

/** Whose media it will be. */
export interface MediaOwner {
  readonly customerId: number;
  readonly creatorId: number;
  /** The dropsite that it is delivered to, or null. */
  readonly origin: number | null;
  readonly bucket: string;
}

/** A file with the ids that its container and its original will have. */
export interface PlannedOriginal extends NewOriginal, MediaOwner {
  readonly mediaContainerId: number;
  readonly mediaId: number;
}

const INSERT_CONTAINERS = `INSERT INTO media_containers (id, customer_id, creator_id, origin, type, name, checksum, metadata)
  SELECT * FROM ROWS FROM (unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[]),
    jsonb_array_elements(convert_from($8::bytea, 'UTF8')::jsonb))`;

const INSERT_ITEMS = `INSERT INTO media_items (id, media_container_id, customer_id, bucket, format_id, type, file_name, file_extension, file_size, s3_key)
  SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[])`;

const FIND_BY_KEY = `SELECT ${ORIGINAL_COLUMNS} FROM media_items WHERE s3_key = $1`;

const FIND_MANY = `SELECT ${ORIGINAL_COLUMNS} FROM media_items WHERE id = ANY($1::int[]) ORDER BY id`;

const SUCCEED = `UPDATE media_items SET status = 'successful', file_size = $2, etag = $3, version = $4
  WHERE id = $1 AND status IN ('prepared', 'unsuccessful')`;

const GIVE_UP = `UPDATE media_items SET status = 'unsuccessful' WHERE id = ANY($1::int[]) AND status = 'prepared'`;

const CONDEMN = `UPDATE media_items SET status = 'deleted' WHERE id = $1 AND status IN ('prepared', 'unsuccessful')`;

const REPRIEVE = `UPDATE media_items SET status = 'unsuccessful' WHERE id = $1 AND status = 'deleted'`;

/** The row of a file that is gone, and its container if nothing else was in it. */
const FORGET = `WITH gone AS (DELETE FROM media_items WHERE id = $1 AND status = 'deleted' RETURNING id, media_container_id)
  DELETE FROM media_containers c USING gone WHERE c.id = gone.media_container_id
    AND NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = c.id AND i.id <> gone.id)`;

/**
 * The life of originals from announcement to success or deletion. Every change is conditional on the status before, so that of two
 * processes (a report and the reaper, say) only one gets through.
 */
@Injectable()
export class MediaIntake {
  private readonly containerIds: IdPool;
  private readonly itemIds: IdPool;

  constructor(private readonly database: Database) {
    this.containerIds = new IdPool(database, 'media_containers');
    this.itemIds = new IdPool(database, 'media_items');
  }

  /** Draws the ids of a media container and an original for each file; `insertions` makes them. */
  async plan(files: readonly NewOriginal[], owner: MediaOwner): Promise<PlannedOriginal[]> {
    const [containers, items] = await Promise.all([this.containerIds.take(files.length), this.itemIds.take(files.length)]);
    return files.map((file, n) => ({ ...file, ...owner, mediaContainerId: Number(containers[n]), mediaId: Number(items[n]) }));
  }

  /** What inserts planned containers and their prepared originals. */
  insertions(planned: readonly PlannedOriginal[]): Insertion[] {
    const column = <Value>(of: (original: PlannedOriginal) => Value): Value[] => planned.map(of);
    const [containerIds, customerIds] = [column((o) => o.mediaContainerId), column((o) => o.customerId)];
    const [types, names] = [column((o) => o.type), column((o) => o.fileName)];
    const owners = [customerIds, column((o) => o.creatorId), column((o) => o.origin)];
    const descriptions = [types, names, column((o) => o.checksum), asJsonBytes(column((o) => o.metadata))];
    const places = [customerIds, column((o) => o.bucket), column((o) => o.formatId)];
    const files = [types, names, column((o) => o.fileExtension), column((o) => o.fileSize), column((o) => o.s3Key)];
    return [
      { text: INSERT_CONTAINERS, values: [containerIds, ...owners, ...descriptions] },
      { text: INSERT_ITEMS, values: [column((o) => o.mediaId), containerIds, ...places, ...files] },
    ];
  }

  /** Keys are unique across buckets. */
  async findByKey(key: string): Promise<Original | null> {
    return await this.database.queryOne<Original>(FIND_BY_KEY, [key]);
  }

  /** Those of the originals that still exist. */
  async findMany(mediaIds: readonly number[]): Promise<Original[]> {
    return (await this.database.query<Original>(FIND_MANY, [mediaIds])).rows;
  }

  /** The ids of those of the originals that may still be uploaded. */
  async findOpen(mediaIds: readonly number[]): Promise<ReadonlySet<number>> {
    const originals = await this.findMany(mediaIds);
    return new Set(originals.filter(({ status }) => status === 'prepared' || status === 'unsuccessful').map(({ id }) => id));
  }

  /** The object is there. False when the item was successful before, or is being deleted. */
  async succeed(mediaId: number, object: { size: number; etag: string; version: string | null }): Promise<boolean> {
    return await this.changes(SUCCEED, [mediaId, object.size, object.etag, object.version]);
  }

  /** Their batch ended without them. */
  async giveUp(mediaIds: readonly number[]): Promise<void> {
    await this.database.query(GIVE_UP, [mediaIds]);
  }

  /** From now on its object may be deleted. False when its success was reported meanwhile. */
  async condemn(mediaId: number): Promise<boolean> {
    return await this.changes(CONDEMN, [mediaId]);
  }

  /** Takes that back: its object turned out to be new. */
  async reprieve(mediaId: number): Promise<void> {
    await this.database.query(REPRIEVE, [mediaId]);
  }

  /** Deletes the row of a condemned item whose object is gone, and its container if that is empty then. */
  async forget(mediaId: number): Promise<void> {
    await this.database.query(FORGET, [mediaId]);
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}
