import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { License, MediaContainer } from './media-container.entity.js';
import type { MediaItem } from './media-item.entity.js';

/** What those who deliver need of a container. */
export type DeliverableContainer = Pick<
  MediaContainer,
  'id' | 'customerId' | 'creatorId' | 'type' | 'flag' | 'name' | 'description' | 'start' | 'end'
> & { readonly license: License | null };

/** A file that is there, and no clip of a test. */
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
>;

/** What people say of a container. */
export type ContainerDescription = Pick<MediaContainer, 'type' | 'name' | 'description' | 'tags' | 'license' | 'metadata'>;

/** A container as those see it who make something of its original. */
export type ContainerSource = Pick<MediaContainer, 'type' | 'flag'> & {
  /** Null: it has not arrived, or is gone. */
  readonly originalId: number | null;
};

/** A container and its files that are there, in the order of their ids. */
export interface ContainerForDelivery {
  readonly container: DeliverableContainer;
  readonly items: readonly DeliverableItem[];
}

const CONTAINER_COLUMNS = `id, customer_id AS "customerId", creator_id AS "creatorId", type, flag, name, description, license, start, "end"`;

const ITEM_COLUMNS = `id, media_container_id AS "mediaContainerId", format_id AS "formatId", type, file_name AS "fileName",
  file_extension AS "fileExtension", file_size::float8 AS "fileSize", width, height, duration, codec, s3_key AS "s3Key",
  etag, version, scripted`;

const FIND_CONTAINERS = `SELECT ${CONTAINER_COLUMNS} FROM media_containers WHERE id = ANY($1::int[]) ORDER BY id`;

const FIND_ITEMS = `SELECT ${ITEM_COLUMNS} FROM media_items
  WHERE media_container_id = ANY($1::int[]) AND status = 'successful' AND NOT test ORDER BY id`;

const FIND_OF_CUSTOMER = `SELECT ${CONTAINER_COLUMNS} FROM media_containers WHERE customer_id = $1 AND id = ANY($2::int[]) ORDER BY id`;

/** The original came with the container; what was made of it comes later. */
const FIND_ORIGINAL = `SELECT c.type, c.flag, first.id AS "originalId" FROM media_containers c
  LEFT JOIN LATERAL (SELECT id, status FROM media_items WHERE media_container_id = c.id ORDER BY id LIMIT 1) first ON first.status = 'successful'
  WHERE c.customer_id = $1 AND c.id = $2 AND NOT c.doomed`;

const FIND_DESCRIPTION = `SELECT type, name, description, tags, license, metadata FROM media_containers WHERE customer_id = $1 AND id = $2`;

/** Media for other modules: read fresh every time, in one pair of statements for all that ask at the same moment. */
@Injectable()
export class MediaReader {
  /** A container, whatever its flag and dates are, with its files; null: there is none. */
  readonly findForDelivery: (containerId: number) => Promise<ContainerForDelivery | null>;

  constructor(private readonly database: Database) {
    this.findForDelivery = database.batched(String, async (ids: readonly number[]) => {
      const found = await this.withItems(ids, async () => (await database.query<DeliverableContainer>(FIND_CONTAINERS, [ids])).rows);
      return new Map(found.map((entry) => [String(entry.container.id), entry]));
    });
  }

  /** Those of the containers that belong to the customer, with their files, in the order of their ids. */
  async findMany(customerId: number, ids: readonly number[]): Promise<ContainerForDelivery[]> {
    const known = ids.filter((id) => Math.abs(id) <= MAX_ID);
    const find = async () => (await this.database.query<DeliverableContainer>(FIND_OF_CUSTOMER, [customerId, known])).rows;
    return await this.withItems(known, find);
  }

  /** A container of the customer without its files; null: there is none. */
  async findContainer(customerId: number, id: number): Promise<DeliverableContainer | null> {
    return Math.abs(id) > MAX_ID ? null : await this.database.queryOne<DeliverableContainer>(FIND_OF_CUSTOMER, [customerId, [id]]);
  }

  /** A container of the customer that is not being removed, and its original if that is there; null: there is no such container. */
  async findOriginal(customerId: number, id: number): Promise<ContainerSource | null> {
    return Math.abs(id) > MAX_ID ? null : await this.database.queryOne<ContainerSource>(FIND_ORIGINAL, [customerId, id]);
  }

  async containerExists(customerId: number, id: number): Promise<boolean> {
    return (await this.findContainer(customerId, id)) !== null;
  }

  /** What is written about a container of the customer; null: there is none. */
  async findDescription(customerId: number, id: number): Promise<ContainerDescription | null> {
    return await this.database.queryOne<ContainerDescription>(FIND_DESCRIPTION, [customerId, id]);
  }

  private async withItems(ids: readonly number[], find: () => Promise<DeliverableContainer[]>): Promise<ContainerForDelivery[]> {
    const [containers, { rows: items }] = await Promise.all([find(), this.database.query<DeliverableItem>(FIND_ITEMS, [ids])]);
    return containers.map((container) => ({ container, items: items.filter((item) => item.mediaContainerId === container.id) }));
  }
}
