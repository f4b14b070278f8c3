import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Database } from '../../../shared/database/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { EmbedLink } from './embed-link.entity.js';

/** Flags of links that are not deleted. */
const LIVING = [0, 10];

const COUNT = `SELECT player_configuration_id AS id, count(*)::int AS count FROM embed_links
  WHERE player_configuration_id = ANY($1::int[]) AND flag IN (0, 10) GROUP BY player_configuration_id`;

/** Waits for those who make a link of the same container and configuration, until the transaction ends. */
const LOCK_PAIR = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

const MOVE_ALL = 'UPDATE embed_links SET player_configuration_id = $2 WHERE player_configuration_id = $1';

/** Those that were deleted before, too: nothing may hold on to the configuration. */
const END_ALL = 'UPDATE embed_links SET flag = 1, player_configuration_id = NULL WHERE player_configuration_id = $1';

/** A container and a configuration. */
export interface EmbedPair {
  readonly mediaContainerId: number;
  readonly playerConfigurationId: number;
}

export type NewEmbedLink = EmbedPair & Omit<EmbedLink, 'id' | 'link' | 'createdAt' | 'playerConfigurationId'>;

/** Every query on embed links. */
@Injectable()
export class EmbedLinksRepository {
  constructor(private readonly database: Database) {}

  /** Also one that is deleted. */
  async findByLink(link: string): Promise<EmbedLink | null> {
    return await this.repository.findOneBy({ link });
  }

  /** Also one that is deleted. */
  async findForCustomer(customerId: number, id: number): Promise<EmbedLink | null> {
    return await this.repository.findOneBy({ id, customerId });
  }

  /** Links of a container that are not deleted, in the order of their ids. */
  async listOfContainer(
    mediaContainerId: number,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<EmbedLink[]> {
    if (after >= MAX_ID) return [];
    const where = { mediaContainerId, flag: In(LIVING), id: MoreThan(after) } as const;
    return await this.repository.find({ where, order: { id: 'ASC' }, take: limit });
  }

  async lockPair({ mediaContainerId, playerConfigurationId }: EmbedPair): Promise<void> {
    await this.database.query(LOCK_PAIR, [`embed link ${mediaContainerId} ${playerConfigurationId}`]);
  }

  /** The oldest link of a pair; unless `deleted` says otherwise only of those that are not deleted. */
  async findOfPair({ mediaContainerId, playerConfigurationId }: EmbedPair, { deleted = false } = {}): Promise<EmbedLink | null> {
    const where = { mediaContainerId, playerConfigurationId, ...(!deleted && { flag: In(LIVING) }) };
    return await this.repository.findOne({ where: where as object, order: { id: 'ASC' } });
  }

  async insert(link: NewEmbedLink): Promise<EmbedLink> {
    return await this.repository.save(this.repository.create({ ...link, link: randomUUID() }));
  }

  /** As it is then; null: it is gone. */
  async setDeleted(id: number): Promise<EmbedLink | null> {
    await this.repository.update({ id }, { flag: 1 });
    return await this.repository.findOneBy({ id });
  }

  /** How many links that are not deleted each configuration has; none: no entry. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.database.query<{ id: number; count: number }>(COUNT, [ids]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** All links of a configuration belong to another one from now on. */
  async moveAll(fromId: number, toId: number): Promise<void> {
    await this.database.query(MOVE_ALL, [fromId, toId]);
  }

  /** All links of a configuration are deleted, and belong to none. */
  async endAll(playerConfigurationId: number): Promise<void> {
    await this.database.query(END_ALL, [playerConfigurationId]);
  }

  private get repository() {
    return this.database.repository(EmbedLink);
  }
}
