import { Injectable } from '@nestjs/common';
import { EmbedLinksRepository } from './embed-links.repository.js';

/** Embed links: media containers as viewers see them, by the rules of player configurations. */
@Injectable()
export class EmbedLinks {
  constructor(private readonly links: EmbedLinksRepository) {}

  /** How many links (flag 0 and 10) use each of the configurations; none: no entry. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return await this.links.countByPlayerConfiguration(ids);
  }
}
