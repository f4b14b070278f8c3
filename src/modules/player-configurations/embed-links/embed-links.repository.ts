import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { EmbedLink } from './embed-link.entity.js';

const COUNT = `SELECT player_configuration_id AS id, count(*)::int AS count FROM embed_links
  WHERE player_configuration_id = ANY($1::int[]) AND flag IN (0, 10) GROUP BY player_configuration_id`;

/** Every query on embed links. */
@Injectable()
export class EmbedLinksRepository {
  constructor(private readonly database: Database) {}

  /** Also one that is deleted. */
  async findByLink(link: string): Promise<EmbedLink | null> {
    return await this.repository.findOneBy({ link });
  }

  /** How many links that are not deleted each configuration has; none: no entry. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.database.query<{ id: number; count: number }>(COUNT, [ids]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  private get repository() {
    return this.database.repository(EmbedLink);
  }
}
