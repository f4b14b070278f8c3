import { Injectable } from '@nestjs/common';
import { Database, selectTogether } from '../../../shared/database/index.js';
import { type ContainerForDelivery, MediaQueries } from '../../media/index.js';
import { CurrentRulesService, type EmbedLink } from '../../player-configurations/index.js';

/** What the database says about a link and its media at this moment. */
interface DeliveryState extends ContainerForDelivery {
  /** For CurrentRulesService. */
  readonly rules: object;
}

/**
 * Reads everything that decides about a request for a link in one statement, which all requests of the same moment share: a film is requested in
 * segments, by many viewers at a time.
 */
@Injectable()
export class DeliveryStatesQueries {
  /** Null: the link or its container does not exist any more. */
  readonly find: (link: EmbedLink) => Promise<DeliveryState | null>;

  constructor(
    private readonly database: Database,
    private readonly currentRules: CurrentRulesService,
    private readonly media: MediaQueries,
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
