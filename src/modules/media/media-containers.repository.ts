import { Injectable } from '@nestjs/common';
import { Any, In } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import { IN_TRASH, MediaContainer } from './media-container.entity.js';
import { MediaItem } from './media-item.entity.js';

/** Recomputing the search terms of this many containers with a thousand tags each takes a second. */
const CHANGED_AT_ONCE = 100;

/** Changes to the existing tags of a container. */
export interface TagChanges {
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
}

/** The fields that decide whether a change of a container is allowed. `license` is absent if the change does not contain it. */
export type ChangeableContainer = Pick<MediaContainer, 'type' | 'flag' | 'start' | 'end'> & Partial<Pick<MediaContainer, 'license'>>;

/** A container that is about to be changed. */
export interface LockedContainer extends ChangeableContainer {
  readonly id: number;
  /** The number of its tags after the change, and their size as JSON in bytes; null: no tags are added. */
  readonly mergedTags: { readonly count: number; readonly bytes: number } | null;
}

/** The tags after a change: existing ones keep their order, and each occurs once. $2: tags to add, $3: tags to remove. */
const MERGED_TAGS = `ARRAY(SELECT tag FROM unnest(tags || $2::text[]) WITH ORDINALITY AS merged (tag, place)
  WHERE tag NOT IN (SELECT unnest($3::text[])) GROUP BY tag ORDER BY min(place))`;

/** The condition that the container of a search entry came from one of the users in a parameter. */
export const sentBy = (parameter: string): string =>
  `media_container_id IN (SELECT id FROM media_containers WHERE sender_id = ANY(${parameter}::int[]))`;

/** Reads and changes the rows of `media_containers`; new ones are inserted together with their originals (NewMediaItemsRepository). */
@Injectable()
export class MediaContainersRepository {
  constructor(private readonly database: Database) {}

  /** Finds a container of the customer; null also if it is being permanently removed. */
  async findForCustomer(customerId: number, id: number): Promise<MediaContainer | null> {
    return await this.repository.findOneBy({ id, customerId, removalScheduled: false });
  }

  /**
   * The same, but locks the container until the transaction ends, so that concurrent changes do not overwrite each other. The lock does not block
   * transactions that add rows which refer to the container: one that has changed a file holds the lock of the search entry, which a change of the
   * container writes, too.
   */
  async lockForCustomer(customerId: number, id: number): Promise<MediaContainer | null> {
    return await this.repository.findOne({ where: { id, customerId, removalScheduled: false }, lock: { mode: 'for_no_key_update' } });
  }

  /** Locks those containers that exist, like `lockForCustomer`. */
  async lockManyForCustomer(customerId: number, ids: readonly number[], tags: TagChanges): Promise<LockedContainer[]> {
    const known = ids.filter((id) => Math.abs(id) <= MAX_ID);
    const { addTags = [], removeTags = [] } = tags;
    // Raw SQL: computes the size of the changed tags without reading them; MATERIALIZED, so that they are merged once. Locks containers in
    // the order of their ids, so that two bulk changes cannot deadlock; readers and events are not blocked.
    const { rows } = await this.database.query<LockedContainer>(
      `SELECT id, type, flag, start, "end", CASE WHEN cardinality($2::text[]) > 0 THEN (
            WITH one AS MATERIALIZED (SELECT ${MERGED_TAGS} AS tags)
            SELECT json_build_object('count', cardinality(tags), 'bytes', octet_length(array_to_json(tags)::text)) FROM one
          ) END AS "mergedTags"
        FROM media_containers WHERE customer_id = $4 AND id = ANY($1::int[]) AND NOT doomed ORDER BY id FOR NO KEY UPDATE`,
      [known, addTags, removeTags, customerId],
    );
    return rows;
  }

  /** The flags of containers. */
  async findFlags(ids: readonly number[]): Promise<Pick<MediaContainer, 'id' | 'flag'>[]> {
    return await this.repository.find({ select: { id: true, flag: true }, where: { id: Any([...ids]) }, order: { id: 'ASC' } });
  }

  /** Sets columns of many containers to the same values, and adds and removes tags. */
  async changeMany(ids: readonly number[], columns: Partial<MediaContainer>, tags: TagChanges): Promise<void> {
    const { addTags = [], removeTags = [] } = tags;
    const { start = null, end = null } = columns;
    const inOrder = ids.toSorted((one, other) => one - other); // the order in which triggers lock the search entries
    for (let first = 0; first < inOrder.length; first += CHANGED_AT_ONCE) {
      const some = inOrder.slice(first, first + CHANGED_AT_ONCE);
      // Raw SQL: changes many containers in one statement, in which the new tags of each depend on its old ones. Unchanged containers are
      // not written, as with TypeORM. The dates are in $5 and $6, because PostgreSQL cannot read all years that JSON contains.
      await this.database.query(
        `WITH wanted AS MATERIALIZED (
            SELECT id, CASE WHEN $4::jsonb ? 'flag' THEN ($4::jsonb->>'flag')::int ELSE flag END AS flag,
              CASE WHEN $4::jsonb ? 'tags' THEN ARRAY(SELECT jsonb_array_elements_text($4::jsonb->'tags'))
                WHEN cardinality($2::text[]) + cardinality($3::text[]) > 0 THEN ${MERGED_TAGS} ELSE tags END AS tags,
              CASE WHEN $4::jsonb ? 'license' THEN nullif($4::jsonb->'license', 'null') ELSE license END AS license,
              CASE WHEN $4::jsonb ? 'start' THEN $5::timestamptz ELSE start END AS start,
              CASE WHEN $4::jsonb ? 'end' THEN $6::timestamptz ELSE "end" END AS "end"
            FROM media_containers WHERE id = ANY($1::int[])
          )
          UPDATE media_containers AS container SET flag = wanted.flag, tags = wanted.tags, license = wanted.license, start = wanted.start,
            "end" = wanted."end", version = version + 1, updated_at = now()
          FROM wanted WHERE container.id = wanted.id AND (container.flag, container.tags, container.license, container.start, container."end")
            IS DISTINCT FROM (wanted.flag, wanted.tags, wanted.license, wanted.start, wanted."end")`,
        [some, addTags, removeTags, JSON.stringify(columns), start, end],
      );
    }
  }

  async save(container: MediaContainer): Promise<MediaContainer> {
    await this.repository.save({ ...container });
    return await this.repository.findOneByOrFail({ id: container.id }); // with the values that the database sets
  }

  /** Finds those containers that belong to the customer and are not being permanently removed, in no particular order. */
  async findMany(customerId: number, ids: readonly number[]): Promise<MediaContainer[]> {
    return await this.repository.findBy({ id: Any([...ids]), customerId, removalScheduled: false });
  }

  /**
   * Locks a container with this original until the transaction ends, so that adding a file and removing the container have to wait. False if one
   * of them has been removed, or its removal is scheduled.
   */
  async lockWithOriginal(id: number, originalId: number): Promise<boolean> {
    // Raw SQL: locks a container only together with its original, in one statement; readers and events are not blocked.
    const { rowCount } = await this.database.query(
      `SELECT FROM media_containers WHERE id = $1 AND NOT doomed
        AND EXISTS (SELECT FROM media_items WHERE id = $2 AND media_container_id = $1 AND status = 'successful')
        FOR NO KEY UPDATE OF media_containers`,
      [id, originalId],
    );
    return rowCount === 1;
  }

  /** Stores technical metadata without changing `updatedAt` and `version`, which are for changes by users. */
  async recordTechnicalMetadata(id: number, technicalMetadata: object): Promise<void> {
    await this.repository.update({ id }, { technicalMetadata, updatedAt: () => 'updated_at', version: () => 'version' });
  }

  /** Lists up to `limit` containers of a customer, including those that are being removed. */
  async listIdsOfCustomer(customerId: number, limit: number): Promise<number[]> {
    const found = await this.repository.find({ select: { id: true }, where: { customerId }, order: { id: 'ASC' }, take: limit });
    return found.map(({ id }) => id);
  }

  /** Schedules the removal of containers, which count as deleted from then on. Returns the ids of those that did not before. */
  async scheduleRemovals(ids: readonly number[]): Promise<number[]> {
    const where = { id: In([...ids]), removalScheduled: false };
    const found = await this.repository.find({ select: { id: true }, where, order: { id: 'ASC' }, lock: { mode: 'for_no_key_update' } });
    await this.repository.update({ id: In(found.map(({ id }) => id)) }, { flag: IN_TRASH, removalScheduled: true });
    return found.map(({ id }) => id);
  }

  /** Deletes a container without files; false if it has received another file. Waits for transactions that are adding a file. */
  async deleteIfEmpty(id: number): Promise<boolean> {
    return await this.database.transaction(async () => {
      await this.repository.findOne({ select: { id: true }, where: { id }, lock: { mode: 'pessimistic_write' } });
      if (await this.database.repository(MediaItem).existsBy({ mediaContainerId: id })) return false;
      await this.repository.delete({ id });
      return true;
    });
  }

  private get repository() {
    return this.database.repository(MediaContainer);
  }
}
