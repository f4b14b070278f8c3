import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, IdPool, type Insertion } from '../../shared/database/index.js';
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

/** A file to be compared with what is there. */
interface Candidate {
  readonly index: number;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes. */
  readonly fileSize: number;
  readonly checksum: string | null;
}

/** Candidates of one request. Within a dropsite only what the same creator delivered there counts. */
interface Comparison {
  readonly files: readonly Candidate[];
  readonly customerId: number;
  readonly creatorId: number;
  readonly origin: number | null;
  /** Tells it from others that share a statement. */
  readonly id: string;
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
  readonly version: string | null;
}

const INSERT_CONTAINERS = `INSERT INTO media_containers (id, customer_id, creator_id, origin, type, name, checksum, metadata)
  SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::jsonb[])`;

const INSERT_ITEMS = `INSERT INTO media_items (id, media_container_id, customer_id, bucket, type, file_name, file_extension, file_size, s3_key)
  SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[])`;

const COLUMNS = `id, media_container_id AS "mediaContainerId", customer_id AS "customerId", status, s3_key AS "s3Key", type,
  file_size::float8 AS "fileSize", etag, version`;

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
const FIND_DUPLICATES = `WITH file AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::bigint[], $9::text[])
      AS file (request, customer_id, creator_id, origin, index, name, extension, size, checksum)
  ), alike AS (
    SELECT file.*, i.id AS item_id, i.media_container_id FROM file JOIN media_items i ON i.customer_id = file.customer_id
      AND i.status = 'successful' AND i.file_name = file.name AND i.file_extension = file.extension AND i.file_size = file.size
    UNION ALL
    SELECT file.*, i.id AS item_id, i.media_container_id FROM file
      JOIN media_containers c ON c.customer_id = file.customer_id AND c.checksum = file.checksum
      JOIN media_items i ON i.media_container_id = c.id AND i.status = 'successful'
  )
  SELECT DISTINCT ON (alike.request, alike.index) alike.request, alike.index, c.id AS "mediaContainerId"
  FROM alike JOIN media_containers c ON c.id = alike.media_container_id
  WHERE alike.origin IS NULL OR (c.origin = alike.origin AND c.creator_id = alike.creator_id)
  ORDER BY alike.request, alike.index, alike.item_id DESC`;

/**
 * The life of originals from announcement to success or deletion. Every change is conditional on the status before, so that of two
 * processes (a report and the reaper, say) only one gets through.
 */
@Injectable()
export class MediaIntake {
  private readonly containerIds: IdPool;
  private readonly itemIds: IdPool;
  private readonly findAlike: (comparison: Comparison) => Promise<Map<number, number> | null>;

  constructor(private readonly database: Database) {
    this.containerIds = new IdPool(database, 'media_containers');
    this.itemIds = new IdPool(database, 'media_items');
    this.findAlike = database.batched(
      ({ id }: Comparison) => id,
      async (comparisons) => await this.findAlikeOf(comparisons),
    );
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
    const descriptions = [types, names, column((o) => o.checksum), column((o) => JSON.stringify(o.metadata))];
    const places = [customerIds, column((o) => o.bucket)];
    const files = [types, names, column((o) => o.fileExtension), column((o) => o.fileSize), column((o) => o.s3Key)];
    return [
      { text: INSERT_CONTAINERS, values: [containerIds, ...owners, ...descriptions] },
      { text: INSERT_ITEMS, values: [column((o) => o.mediaId), containerIds, ...places, ...files] },
    ];
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

  /** For the files that are there already: index → media container. */
  async findDuplicates(
    files: readonly Candidate[],
    owner: Pick<MediaOwner, 'customerId' | 'creatorId' | 'origin'>,
  ): Promise<Map<number, number>> {
    if (files.length === 0) return new Map();
    return (await this.findAlike({ ...owner, files, id: randomUUID() })) ?? new Map();
  }

  private async findAlikeOf(comparisons: readonly Comparison[]): Promise<Map<string, Map<number, number>>> {
    const rows = comparisons.flatMap(({ files, ...request }) => files.map((file) => ({ ...request, ...file })));
    const { rows: found } = await this.database.query<{ request: string; index: number; mediaContainerId: number }>(FIND_DUPLICATES, [
      rows.map(({ id }) => id),
      rows.map(({ customerId }) => customerId),
      rows.map(({ creatorId }) => creatorId),
      rows.map(({ origin }) => origin),
      rows.map(({ index }) => index),
      rows.map(({ fileName }) => fileName),
      rows.map(({ fileExtension }) => fileExtension),
      rows.map(({ fileSize }) => fileSize),
      rows.map(({ checksum }) => checksum),
    ]);
    const answers = new Map(comparisons.map(({ id }) => [id, new Map<number, number>()]));
    for (const { request, index, mediaContainerId } of found) answers.get(request)?.set(index, mediaContainerId);
    return answers;
  }

  private async changes(statement: string, values: readonly unknown[]): Promise<boolean> {
    return ((await this.database.query(statement, values)).rowCount ?? 0) > 0;
  }
}
