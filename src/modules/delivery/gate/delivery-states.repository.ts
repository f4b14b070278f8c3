import { Injectable } from '@nestjs/common';
import { Database, selectTogether } from '../../../shared/database/index.js';
import { type ContainerForDelivery, MediaRepository } from '../../media/index.js';
import { CurrentRulesService, type EmbedLink } from '../../player-configurations/index.js';

/** The current state of a link and its media in the database. */
interface DeliveryState extends ContainerForDelivery {
  /** The rules, for CurrentRulesService. */
  readonly rules: object;
}

/**
 * Reads everything that determines the answer to a request for a link, in one statement that all concurrent requests share: a film is requested in
 * segments, by many viewers at a time.
 */
@Injectable()
export class DeliveryStatesRepository {
  /** Reads the state of a link; null: the link or its container no longer exists. */
  readonly find: (link: EmbedLink) => Promise<DeliveryState | null>;

  constructor(
    private readonly database: Database,
    private readonly currentRules: CurrentRulesService,
    private readonly media: MediaRepository,
  ) {
    this.find = database.batched(
      ({ link }: EmbedLink) => link,
      async (links) => await this.findAll(links),
    );
  }

  private async findAll(links: readonly EmbedLink[]): Promise<Map<string, DeliveryState>> {
    const distinct = [...new Map(links.map((link) => [link.link, link])).values()];
    const containerIds = [...new Set(distinct.map(({ mediaContainerId }) => mediaContainerId))];
    const selections = [this.currentRules.selectStates(distinct), ...this.media.selectForDelivery(containerIds)];
    const [states = [], containers = [], items = []] = await selectTogether(this.database, selections);
    const rules = new Map(states.map((row) => [(row as Pick<EmbedLink, 'link'>).link, row]));
    const media = new Map(this.media.assembleRows(containers, items).map((one) => [one.container.id, one]));
    return new Map(
      distinct.flatMap(({ link, mediaContainerId }): [string, DeliveryState][] => {
        const [row, found] = [rules.get(link), media.get(mediaContainerId)];
        return row && found ? [[link, { rules: row, ...found }]] : [];
      }),
    );
  }
}
