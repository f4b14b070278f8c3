import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { ContainerType, MetadataEntry } from './media-container.entity.js';
import type { ItemStatus } from './media-item.entity.js';

/** A file that somebody is about to upload; it gets a media container of its own. */
export interface NewOriginal {
  readonly type: ContainerType;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes, as announced. */
  readonly fileSize: number;
  readonly s3Key: string;
  readonly checksum: string | null;
  readonly metadata: readonly MetadataEntry[];
}

export interface PreparedOriginal {
  readonly mediaContainerId: number;
  readonly mediaId: number;
  readonly s3Key: string;
}

/** An original as uploads know it. */
export interface Original {
  readonly id: number;
  readonly mediaContainerId: number;
  readonly customerId: number;
  readonly status: ItemStatus;
  readonly s3Key: string;
  readonly type: ContainerType;
  readonly fileSize: number;
  readonly etag: string | null;
}

/** Containers and their originals of one statement; the ids of the containers are drawn first, so that each original finds its own. */
const PREPARE = `WITH input AS MATERIALIZED (
    SELECT *, nextval(pg_get_serial_sequence('media_containers', 'id'))::int AS container_id
    FROM unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::jsonb[])
      AS file (type, name, extension, size, s3_key, checksum, metadata)
  ), containers AS (
    INSERT INTO media_containers (id, customer_id, creator_id, type, name, origin, checksum, metadata)
    SELECT container_id, $1, $2, type, name, $3, checksum, metadata FROM input
  )
  INSERT INTO media_items (media_container_id, customer_id, type, file_name, file_extension, file_size, bucket, s3_key)
  SELECT container_id, $1, type, name, extension, size, $4, s3_key FROM input
  RETURNING id AS "mediaId", media_container_id AS "mediaContainerId", s3_key AS "s3Key"`;

const COLUMNS = `id, media_container_id AS "mediaContainerId", customer_id AS "customerId", status, s3_key AS "s3Key", type,
  file_size::float8 AS "fileSize", etag`;

const FIND_BY_KEY = `SELECT ${COLUMNS} FROM media_items WHERE bucket = $1 AND s3_key = $2`;

const FIND_MANY = `SELECT ${COLUMNS} FROM media_items WHERE id = ANY($1::int[]) ORDER BY id`;

const FIND_MANY_BY_KEY = `SELECT ${COLUMNS} FROM media_items WHERE s3_key = ANY($1::text[])`;

const LIST_SUCCESSFUL = `SELECT ${COLUMNS} FROM media_items
  WHERE status = 'successful' AND starts_with(s3_key, $1) AND id > $2 ORDER BY id LIMIT $3`;

const CORRECT = `UPDATE media_items SET file_size = $2, etag = $3, version = $4 WHERE id = $1 AND status = 'successful'`;

const LOSE = `UPDATE media_items SET status = 'unsuccessful' WHERE id = $1 AND status = 'successful'`;

const SUCCEED = `UPDATE media_items SET status = 'successful', file_size = $2, etag = $3, version = $4
  WHERE id = $1 AND status IN ('prepared', 'unsuccessful')`;

const GIVE_UP = `UPDATE media_items SET status = 'unsuccessful' WHERE id = ANY($1::int[]) AND status = 'prepared'`;

const CONDEMN = `UPDATE media_items SET status = 'deleted' WHERE id = $1 AND status IN ('prepared', 'unsuccessful')`;

const REPRIEVE = `UPDATE media_items SET status = 'unsuccessful' WHERE id = $1 AND status = 'deleted'`;

/** The row of a file that is gone, and its container if nothing else was in it. */
const FORGET = `WITH gone AS (DELETE FROM media_items WHERE id = $1 AND status = 'deleted' RETURNING id, media_container_id)
  DELETE FROM media_containers c USING gone WHERE c.id = gone.media_container_id
    AND NOT EXISTS (SELECT FROM media_items i WHERE i.media_container_id = c.id AND i.id <> gone.id)`;

/** Successful files of the customer that are the same by name, extension and size, or by checksum; the newest of each. */
const FIND_DUPLICATES = `SELECT DISTINCT ON (file.index) file.index, i.media_container_id AS "mediaContainerId"
  FROM unnest($2::int[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS file (index, name, extension, size, checksum)
  JOIN media_items i ON i.customer_id = $1 AND i.status = 'successful' AND (
    (i.file_name = file.name AND i.file_extension = file.extension AND i.file_size = file.size)
    OR i.media_container_id IN (SELECT id FROM media_containers c WHERE c.customer_id = $1 AND c.checksum = file.checksum))
  JOIN media_containers c ON c.id = i.media_container_id
  WHERE $7::int IS NULL OR (c.origin = $7 AND c.creator_id = $8)
  ORDER BY file.index, i.id DESC`;

/**
 * The life of originals from announcement to success or deletion. Every change is conditional on the status before, so that of two
 * processes (a report and the reaper, say) only one gets through.
 */
@Injectable()
export class MediaIntake {
  constructor(private readonly database: Database) {}

  /** Makes a media container with a prepared original for each file. `origin`: the dropsite, or null. */
  async prepare(
    files: readonly NewOriginal[],
    owner: { customerId: number; creatorId: number; origin: number | null; bucket: string },
  ): Promise<PreparedOriginal[]> {
    const { rows } = await this.database.query<PreparedOriginal>(PREPARE, [
      owner.customerId,
      owner.creatorId,
      owner.origin,
      owner.bucket,
      files.map(({ type }) => type),
      files.map(({ fileName }) => fileName),
      files.map(({ fileExtension }) => fileExtension),
      files.map(({ fileSize }) => fileSize),
      files.map(({ s3Key }) => s3Key),
      files.map(({ checksum }) => checksum),
      files.map(({ metadata }) => JSON.stringify(metadata)),
    ]);
    return rows;
  }

  async findByKey(bucket: string, key: string): Promise<Original | null> {
    return await this.database.queryOne<Original>(FIND_BY_KEY, [bucket, key]);
  }

  /** Those of the originals that still exist. */
  async findMany(mediaIds: readonly number[]): Promise<Original[]> {
    return (await this.database.query<Original>(FIND_MANY, [mediaIds])).rows;
  }

  /** Those of the keys that media items have, in no order. */
  async findManyByKey(keys: readonly string[]): Promise<Original[]> {
    return (await this.database.query<Original>(FIND_MANY_BY_KEY, [keys])).rows;
  }

  /** Successful items whose key begins with `prefix`, a page in the order of their ids. */
  async listSuccessful(prefix: string, page: { after: number; limit: number }): Promise<Original[]> {
    return (await this.database.query<Original>(LIST_SUCCESSFUL, [prefix, page.after, page.limit])).rows;
  }

  /** The object of a successful item is another than was recorded. */
  async correct(mediaId: number, object: { size: number; etag: string; version: string | null }): Promise<boolean> {
    return await this.changes(CORRECT, [mediaId, object.size, object.etag, object.version]);
  }

  /** The object of a successful item is gone. */
  async lose(mediaId: number): Promise<boolean> {
    return await this.changes(LOSE, [mediaId]);
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

  /** For the files that are there already: index → media container. Within a dropsite only what the same creator delivered there counts. */
  async findDuplicates(
    files: readonly { index: number; fileName: string; fileExtension: string; fileSize: number; checksum: string | null }[],
    { customerId, origin, creatorId }: { customerId: number; origin: number | null; creatorId: number },
  ): Promise<Map<number, number>> {
    const { rows } = await this.database.query<{ index: number; mediaContainerId: number }>(FIND_DUPLICATES, [
      customerId,
      files.map(({ index }) => index),
      files.map(({ fileName }) => fileName),
      files.map(({ fileExtension }) => fileExtension),
      files.map(({ fileSize }) => fileSize),
      files.map(({ checksum }) => checksum),
      origin,
      creatorId,
    ]);
    return new Map(rows.map(({ index, mediaContainerId }) => [index, mediaContainerId]));
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}
