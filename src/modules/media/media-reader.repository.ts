import { Injectable } from '@nestjs/common';
import { Any, In } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { FileDescription } from './file-description.js';
import { type ContainerFlag, type License, MediaContainer } from './media-container.entity.js';
import { type ItemStatus, MediaItem, StreamingIndex, type TrackRole } from './media-item.entity.js';

/** The fields of a container that deliveries use. */
export type DeliverableContainer = Pick<
  MediaContainer,
  'id' | 'customerId' | 'creatorId' | 'type' | 'flag' | 'name' | 'description' | 'start' | 'end'
> & { readonly license: License | null };

/** A successful file that was not made in a test mode. */
export type DeliverableItem = Pick<
  MediaItem,
  | 'id'
  | 'mediaContainerId'
  | 'formatId'
  | 'type'
  | 'fileName'
  | 'fileExtension'
  | 'fileSize'
  | 'width'
  | 'height'
  | 'duration'
  | 'codec'
  | 's3Key'
  | 'etag'
  | 'version'
  | 'scripted'
  | 'webVttKey'
  | 'role'
  | 'language'
  | 'label'
  | 'isDefault'
  | 'streaming'
  | 'storyboard'
>;

const DESCRIPTION = { id: true, type: true, name: true, description: true, tags: true, license: true, metadata: true } as const;

/** The descriptive fields of a container. */
export type ContainerDescription = Omit<Pick<MediaContainer, keyof typeof DESCRIPTION>, 'id'>;

/** A container with the original from which renditions are made. */
export type ContainerSource = Pick<MediaContainer, 'id' | 'type' | 'flag'> & {
  /** Null: the original has not been uploaded, or is deleted. */
  readonly originalId: number | null;
};

/** A container and its deliverable files, in the order of their ids. */
export interface ContainerForDelivery {
  readonly container: DeliverableContainer;
  /** The original and its renditions. */
  readonly items: readonly DeliverableItem[];
  /** The files with a role. */
  readonly tracks: readonly DeliverableItem[];
}

/** The languages of a container's tracks of one role. */
export interface TrackLanguages {
  /** The container. */
  readonly id: number;
  readonly role: TrackRole;
  readonly languages: readonly (string | null)[];
}

/** A file to be compared with the stored ones. */
interface Candidate {
  readonly index: number;
  readonly fileName: string;
  readonly fileExtension: string;
  /** Bytes. */
  readonly fileSize: number;
  readonly checksum: string | null;
}

/** The columns of a DeliverableContainer. */
const CONTAINER_COLUMNS = `id, customer_id AS "customerId", creator_id AS "creatorId", type, flag, name, description, license, start, "end"`;

/** The columns of a DeliverableItem. */
const ITEM_COLUMNS = `id, media_container_id AS "mediaContainerId", format_id AS "formatId", type, file_name AS "fileName",
  file_extension AS "fileExtension", file_size::float8 AS "fileSize", width, height, duration, codec, s3_key AS "s3Key",
  etag, version, scripted, web_vtt_key AS "webVttKey", role, language, label, is_default AS "isDefault", streaming, storyboard`;

/** The deliverable files of containers ($1). */
const FIND_ITEMS = `SELECT ${ITEM_COLUMNS} FROM media_items
  WHERE media_container_id = ANY($1::int[]) AND status = 'successful' AND NOT test ORDER BY id`;

/** Reads media for other modules, without a cache. */
@Injectable()
export class MediaReaderRepository {
  constructor(private readonly database: Database) {}

  /** Finds the positions of a streaming rendition's segments in its file; null: the item has no segments. */
  async findStreamingIndex(mediaItemId: number): Promise<StreamingIndex | null> {
    return await this.database.repository(StreamingIndex).findOneBy({ mediaItemId });
  }

  /** Finds containers with any flags and dates, and their files. */
  async findForDelivery(ids: readonly number[]): Promise<ContainerForDelivery[]> {
    if (ids.length === 0) return [];
    // Raw SQL: every delivery runs it, so building entities would be expensive.
    const [{ rows: containers }, { rows: items }] = await Promise.all([
      this.database.query<DeliverableContainer>(`SELECT ${CONTAINER_COLUMNS} FROM media_containers WHERE id = ANY($1::int[])`, [ids]),
      this.database.query<DeliverableItem>(FIND_ITEMS, [ids]),
    ]);
    return assemble(containers, items);
  }

  /** Finds those containers that belong to the customer, with their files, in the order of their ids. */
  async findMany(customerId: number, ids: readonly number[]): Promise<ContainerForDelivery[]> {
    const known = ids.filter((id) => Math.abs(id) <= MAX_ID);
    const [containers, { rows: items }] = await Promise.all([
      this.findContainers(customerId, known),
      this.database.query<DeliverableItem>(FIND_ITEMS, [known]),
    ]);
    return assemble(containers, items);
  }

  /** Finds when containers of the customer are available, in no particular order. */
  async findPeriods(customerId: number, ids: readonly number[]): Promise<Pick<DeliverableContainer, 'start' | 'end' | 'license'>[]> {
    const select = { id: true, start: true, end: true, license: true } as const;
    return await this.database.repository(MediaContainer).find({ select, where: { customerId, id: In([...ids]) } });
  }

  /**
   * A text that changes with the containers and their deliverable files, whatever changes, apart from single checksums: with these when the last one of a
   * file in these formats, or of a track, is known.
   */
  async versionOf(customerId: number, ids: readonly number[], formatIds: readonly number[]): Promise<string> {
    // Raw SQL: hashes the rows in the database, because reading a thousand of them takes longer than most answers that depend on them.
    const found = await this.database.queryOne<{ version: string }>(
      `SELECT concat(
          (SELECT md5(string_agg(concat_ws(' ', id, version, flag, start, "end", doomed), ',' ORDER BY id)) FROM media_containers
            WHERE customer_id = $1 AND id = ANY($2::int[])),
          (SELECT md5(string_agg(concat_ws(' ', id, revision, version, etag), ',' ORDER BY id))
            || bool_and(crc32 IS NOT NULL OR (format_id <> ALL($3::int[]) AND role IS NULL)) FROM media_items
            WHERE media_container_id = ANY($2::int[]) AND status = 'successful' AND NOT test)) AS version`,
      [customerId, ids, formatIds],
    );
    return found?.version ?? '';
  }

  /** Finds the id of the container that has a media item of the customer, or null. */
  async findContainerOf(customerId: number, mediaId: number): Promise<number | null> {
    if (Math.abs(mediaId) > MAX_ID) return null;
    const items = this.database.repository(MediaItem);
    const item = await items.findOne({ select: { id: true, mediaContainerId: true }, where: { customerId, id: mediaId } });
    return item?.mediaContainerId ?? null;
  }

  /** Finds a container of the customer without its files, or null. */
  async findContainer(customerId: number, id: number): Promise<DeliverableContainer | null> {
    return Math.abs(id) > MAX_ID ? null : ((await this.findContainers(customerId, [id]))[0] ?? null);
  }

  /** Finds those containers of the customer that are not being removed, each with its original if it has been uploaded. */
  async findOriginals(customerId: number, ids: readonly number[]): Promise<ContainerSource[]> {
    const known = ids.filter((id) => Math.abs(id) <= MAX_ID);
    // Raw SQL: a lateral join finds the first item of each container without a role, which is the original; renditions come later.
    const { rows } = await this.database.query<ContainerSource>(
      `SELECT c.id, c.type, c.flag, first.id AS "originalId" FROM media_containers c
        LEFT JOIN LATERAL (SELECT id, status FROM media_items WHERE media_container_id = c.id AND role IS NULL ORDER BY id LIMIT 1) first
          ON first.status = 'successful'
        WHERE c.customer_id = $1 AND c.id = ANY($2::int[]) AND NOT c.doomed ORDER BY c.id`,
      [customerId, known],
    );
    return rows;
  }

  /** Finds the flags of those containers to which files can be added. */
  async findFlags(customerId: number, ids: readonly number[]): Promise<ReadonlyMap<number, ContainerFlag>> {
    const known = ids.filter((id) => Math.abs(id) <= MAX_ID);
    if (known.length === 0) return new Map();
    const where = { customerId, id: Any(known), removalScheduled: false };
    const found = await this.database.repository(MediaContainer).find({ select: { id: true, flag: true }, where });
    return new Map(found.map(({ id, flag }) => [id, flag]));
  }

  /** Finds the languages of the tracks of these containers, for each container and role. A poster has the language null. */
  async findTrackLanguages(ids: readonly number[]): Promise<readonly TrackLanguages[]> {
    // Raw SQL: a batch may name a thousand containers, of which TypeORM would build all items.
    const { rows } = await this.database.query<TrackLanguages>(
      `SELECT media_container_id AS id, role, array_agg(language) AS languages FROM media_items
        WHERE media_container_id = ANY($1::int[]) AND role IS NOT NULL AND status = 'successful' GROUP BY media_container_id, role`,
      [ids],
    );
    return rows;
  }

  async containerExists(customerId: number, id: number): Promise<boolean> {
    return (await this.findContainer(customerId, id)) !== null;
  }

  /** Finds the descriptive fields of a container of the customer, or null. */
  async findDescription(customerId: number, id: number): Promise<ContainerDescription | null> {
    return await this.database.repository(MediaContainer).findOne({ select: DESCRIPTION, where: { customerId, id } });
  }

  /** Finds what the inspection found out about a file; null: it has not been inspected. */
  async findFileDescription(mediaId: number): Promise<FileDescription | null> {
    const item = await this.database
      .repository(MediaItem)
      .findOne({ select: { id: true, fileDescription: true as never }, where: { id: mediaId } });
    return item?.fileDescription ?? null;
  }

  /**
   * Finds the id of a container's first successful file that is not a track, or null. Waits for the transactions that are reporting files, so that
   * a listener which has subscribed to event:s3success misses no file: each is found here, or its event is published later.
   */
  async findFirstUploaded(customerId: number, containerId: number): Promise<number | null> {
    // Raw SQL: FOR SHARE in a single statement waits for the transactions that are reporting items; TypeORM can lock only inside a
    // transaction.
    const find = async () =>
      await this.database.query<{ id: number; status: ItemStatus; test: boolean }>(
        `SELECT id, status, test FROM media_items
          WHERE customer_id = $1 AND media_container_id = $2 AND role IS NULL ORDER BY id FOR SHARE`,
        [customerId, containerId],
      );
    const { rows } = await this.database.outsideTransaction(find); // the locks end with the statement
    return rows.find(({ status, test }) => status === 'successful' && !test)?.id ?? null;
  }

  /** Finds the files that the customer has already stored: index → media container. */
  async findDuplicates(customerId: number, files: readonly Candidate[]): Promise<Map<number, number>> {
    if (files.length === 0) return new Map();
    // Raw SQL: compares all candidates in one statement. For each, finds the newest successful original of the customer with the same name,
    // extension and size, or the same checksum. Ignores tracks, and containers in the trash (flag 1) or being removed.
    const { rows } = await this.database.query<{ index: number; mediaContainerId: number }>(
      `WITH file AS (
          SELECT * FROM unnest($2::int[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS file (index, name, extension, size, checksum)
        ), alike AS (
          SELECT file.index, i.id, i.media_container_id AS "mediaContainerId" FROM file JOIN media_items i ON i.customer_id = $1
            AND i.status = 'successful' AND i.role IS NULL AND i.file_name = file.name AND i.file_extension = file.extension AND i.file_size = file.size
          UNION ALL
          SELECT file.index, i.id, i.media_container_id FROM file
            JOIN media_containers c ON c.customer_id = $1 AND c.checksum = file.checksum
            JOIN media_items i ON i.media_container_id = c.id AND i.status = 'successful' AND i.role IS NULL
        )
        SELECT DISTINCT ON (index) index, "mediaContainerId" FROM alike
        WHERE EXISTS (SELECT FROM media_containers c WHERE c.id = "mediaContainerId" AND c.flag <> 1 AND NOT c.doomed)
          AND NOT EXISTS (SELECT FROM media_items earlier
            WHERE earlier.media_container_id = "mediaContainerId" AND earlier.role IS NULL AND earlier.id < alike.id)
        ORDER BY index, id DESC`,
      [
        customerId,
        files.map(({ index }) => index),
        files.map(({ fileName }) => fileName),
        files.map(({ fileExtension }) => fileExtension),
        files.map(({ fileSize }) => fileSize),
        files.map(({ checksum }) => checksum),
      ],
    );
    return new Map(rows.map(({ index, mediaContainerId }) => [index, mediaContainerId]));
  }

  /**
   * Finds for each of these containers of the customer the oldest other one whose original has the same size and CRC-32 and which is not in the trash:
   * container → other container.
   */
  async findSameContent(customerId: number, containerIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
    // Raw SQL: compares all containers of a page in one statement, which for each reads the index of contents until it finds one.
    const { rows } = await this.database.query<{ id: number; other: number }>(
      `SELECT original.id, other.id AS other FROM unnest($2::int[]) AS wanted (id)
          CROSS JOIN LATERAL (SELECT wanted.id, first.* FROM (SELECT status, crc32, file_size FROM media_items
            WHERE media_container_id = wanted.id AND role IS NULL ORDER BY id LIMIT 1) AS first WHERE status = 'successful' AND crc32 IS NOT NULL) AS original
          CROSS JOIN LATERAL (SELECT i.media_container_id AS id FROM media_items i JOIN media_containers c ON c.id = i.media_container_id
            WHERE i.customer_id = $1 AND i.crc32 = original.crc32 AND i.file_size = original.file_size AND i.media_container_id <> original.id
              AND i.status = 'successful' AND i.role IS NULL AND i.s3_key NOT LIKE 'renditions/%' AND c.flag <> 1 AND NOT c.doomed
            ORDER BY i.media_container_id LIMIT 1) AS other`,
      [customerId, containerIds],
    );
    return new Map(rows.map(({ id, other }) => [id, other]));
  }

  private async findContainers(customerId: number, ids: readonly number[]): Promise<DeliverableContainer[]> {
    // Raw SQL with the columns of `findForDelivery`.
    const { rows } = await this.database.query<DeliverableContainer>(
      `SELECT ${CONTAINER_COLUMNS} FROM media_containers WHERE customer_id = $1 AND id = ANY($2::int[]) ORDER BY id`,
      [customerId, ids],
    );
    return rows;
  }
}

const assemble = (containers: readonly DeliverableContainer[], items: readonly DeliverableItem[]): ContainerForDelivery[] =>
  containers.map((container) => {
    const files = items.filter((item) => item.mediaContainerId === container.id);
    return { container, items: files.filter(({ role }) => role === null), tracks: files.filter(({ role }) => role !== null) };
  });
