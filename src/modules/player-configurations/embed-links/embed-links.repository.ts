import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThan, MoreThan } from 'typeorm';
import { LinkUsesRepository } from '../../../shared/counting/index.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import { DELETED_LINKS_DAYS, type LinkState } from '../../../shared/resources/index.js';
import { defined, MAX_ID } from '../../../shared/validation/index.js';
import { EmbedLink, LINK_DELETED } from './embed-link.entity.js';

/** Flags of links that are not deleted. */
const NOT_DELETED = [0, 10] as const;

/** A container and a configuration. */
export interface EmbedPair {
  readonly mediaContainerId: number;
  readonly playerConfigurationId: number;
}

export type NewEmbedLink = EmbedPair &
  Omit<EmbedLink, 'id' | 'link' | 'version' | 'createdAt' | 'playerConfigurationId' | 'uses' | 'lastUsedAt' | 'endedAt' | 'endedBy'>;

/** What deliveries need of a link, and the version of its configuration; null: the configuration has been destroyed. */
export type DeliveredLink = Pick<
  EmbedLink,
  'id' | 'link' | 'customerId' | 'mediaContainerId' | 'playerConfigurationId' | 'type' | 'flag' | 'start' | 'end'
> & { readonly configurationVersion: number | null };

/** Which links of a customer to list: those with an id below `before`. */
export interface EmbedLinkFilter {
  readonly before: number;
  readonly limit: number;
  readonly mediaContainerId?: number;
  readonly playerConfigurationId?: number;
  /** Default: active. */
  readonly state?: LinkState;
}

/** Whether a link has ended: it was deleted, is past its end, or its container is in the trash or past its own (migration CountLinkUses). */
const HAS_ENDED = `(link.flag = ${LINK_DELETED} OR coalesce(link."end" <= :now, false) OR media_container_has_ended(link.media_container_id, :now))`;
/** Whether a list may show it: links that were deleted disappear after a time. */
const IS_LISTED = `(link.flag <> ${LINK_DELETED} OR link.ended_at > :now::timestamptz - interval '${DELETED_LINKS_DAYS} days')`;

/** When links are deleted, and by whom (the id of a user). */
export type LinkEnding = { readonly endedAt: Date; readonly endedBy: number };

/** Reads and writes embed links. */
@Injectable()
export class EmbedLinksRepository {
  constructor(
    private readonly database: Database,
    uses: LinkUsesRepository,
  ) {
    uses.register(
      'embedLink',
      (used) => `UPDATE embed_links AS link SET uses = link.uses + locked.uses, last_used_at = greatest(link.last_used_at, locked.hour)
        FROM (SELECT id, u.uses, hour FROM ${used} AS u JOIN embed_links USING (id) FOR NO KEY UPDATE OF embed_links SKIP LOCKED) AS locked
        WHERE link.id = locked.id RETURNING link.id`,
    );
  }

  /** Finds links by the uuids of their addresses, including deleted ones. */
  async findForDelivery(links: readonly string[]): Promise<DeliveredLink[]> {
    // Raw SQL, because every delivery runs it (bench `delivery`): a prepared statement, without the cost of building a query and entities.
    const { rows } = await this.database.query<DeliveredLink>(
      `SELECT l.id, l.link, l.customer_id AS "customerId", l.media_container_id AS "mediaContainerId",
          l.player_configuration_id AS "playerConfigurationId", l.type, l.flag, l.start, l."end", c.version AS "configurationVersion"
        FROM embed_links l LEFT JOIN player_configurations c ON c.id = l.player_configuration_id WHERE l.link = ANY($1::uuid[])`,
      [links],
    );
    return rows;
  }

  /** Serialises requests for a link of the same container and configuration until the ambient transaction ends. */
  async lockPair({ mediaContainerId, playerConfigurationId }: EmbedPair): Promise<void> {
    await this.database.lock(`embed link ${mediaContainerId} ${playerConfigurationId}`);
  }

  /** Finds a link, including deleted ones. */
  async findForCustomer(customerId: number, id: number): Promise<EmbedLink | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** Locks a link, including deleted ones, until the transaction ends. */
  async lockForCustomer(customerId: number, id: number): Promise<EmbedLink | null> {
    return await this.repository.findOne({ where: { id, customerId }, lock: { mode: 'pessimistic_write' } });
  }

  /** The links of a container that are not deleted, ordered by id. */
  async listOfContainer(mediaContainerId: number, { after, limit }: Portion): Promise<EmbedLink[]> {
    if (after >= MAX_ID) return [];
    const where = { mediaContainerId, flag: In(NOT_DELETED), id: MoreThan(after) };
    return await this.repository.find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** The customer's links, the newest first; of those that were deleted the recent ones. */
  async listForCustomer(customerId: number, filter: EmbedLinkFilter, now: Date): Promise<EmbedLink[]> {
    const { before, limit, mediaContainerId, playerConfigurationId, state = 'active' } = filter;
    const id = before >= MAX_ID ? undefined : LessThan(before);
    const where = { customerId, ...defined({ id, mediaContainerId, playerConfigurationId }) };
    const query = this.repository
      .createQueryBuilder('link')
      .where(where)
      .andWhere(IS_LISTED, { now })
      .orderBy('link.id', 'DESC')
      .take(limit);
    if (state !== 'all') query.andWhere(state === 'ended' ? HAS_ENDED : `NOT ${HAS_ENDED}`);
    return await query.getMany();
  }

  /** The oldest link of a pair; deleted links only with `deleted`. */
  async findOfPair({ mediaContainerId, playerConfigurationId }: EmbedPair, { deleted = false } = {}): Promise<EmbedLink | null> {
    const where = { mediaContainerId, playerConfigurationId, ...(!deleted && { flag: In(NOT_DELETED) }) };
    return await this.repository.findOne({ where, order: { id: 'ASC' } });
  }

  async insert(link: NewEmbedLink): Promise<EmbedLink> {
    return await this.repository.save(this.repository.create({ ...link, link: randomUUID() }));
  }

  /** Marks a link as deleted and returns it; null: it no longer exists. A link that was deleted before is unchanged. */
  async markDeleted(id: number, ending: LinkEnding): Promise<EmbedLink | null> {
    await this.repository.update({ id, flag: In(NOT_DELETED) }, { flag: LINK_DELETED, ...ending });
    return await this.repository.findOneBy({ id });
  }

  /** The number of links that are not deleted, by configuration; configurations without links are omitted. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const rows = await this.repository
      .createQueryBuilder()
      .select('player_configuration_id', 'id')
      .addSelect('count(*)::int', 'count')
      .where({ playerConfigurationId: In(ids), flag: In(NOT_DELETED) })
      .groupBy('player_configuration_id')
      .getRawMany<{ id: number; count: number }>();
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Moves all links of a configuration to another one. Returns the ids of those that are not deleted. */
  async moveAll(fromId: number, toId: number): Promise<number[]> {
    const ids = await this.listIds(fromId);
    await this.repository.update({ playerConfigurationId: fromId }, { playerConfigurationId: toId });
    return ids;
  }

  /**
   * Deletes all links of a configuration and detaches them, including those that were deleted before, so that nothing refers to it any more. Returns the
   * ids of those that were not.
   */
  async deleteAll(playerConfigurationId: number, ending: LinkEnding): Promise<number[]> {
    const ids = await this.listIds(playerConfigurationId);
    await this.repository.update({ playerConfigurationId, flag: In(NOT_DELETED) }, { flag: LINK_DELETED, ...ending });
    await this.repository.update({ playerConfigurationId }, { playerConfigurationId: null });
    return ids;
  }

  /** The ids of the links of a configuration that are not deleted, in ascending order. */
  private async listIds(playerConfigurationId: number): Promise<number[]> {
    const where = { playerConfigurationId, flag: In(NOT_DELETED) };
    return (await this.repository.find({ select: { id: true }, where, order: { id: 'ASC' } })).map(({ id }) => id);
  }

  private get repository() {
    return this.database.repository(EmbedLink);
  }
}
