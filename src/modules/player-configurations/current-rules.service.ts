import { Injectable } from '@nestjs/common';
import type { Selection } from '../../shared/database/index.js';
import type { EmbedLink } from './embed-links/embed-link.entity.js';
import { EmbedLinkCacheService } from './embed-links/embed-link-cache.service.js';
import { type EmbedLinkState, EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { PlayerConfigurationCacheService } from './player-configuration-cache.service.js';

/** A link and its configuration; null: the configuration has been destroyed. */
interface CurrentRules {
  readonly link: EmbedLink;
  readonly configuration: DeliveredConfiguration | null;
}

/**
 * Returns links and configurations as they are in the database now. Other processes remove a changed configuration from their caches some
 * milliseconds after the response, but a rule that was just tightened must not admit viewers for so long. Therefore every delivery compares the
 * cached version with that in the database.
 */
@Injectable()
export class CurrentRulesService {
  constructor(
    private readonly links: EmbedLinkCacheService,
    private readonly configurations: PlayerConfigurationCacheService,
    private readonly repository: EmbedLinksRepository,
  ) {}

  /** A cached link; its container and customer never change. Null: the link does not exist. */
  async findLink(link: string): Promise<EmbedLink | null> {
    return await this.links.findByLink(link);
  }

  /** The current state of a cached link. Null: the link no longer exists. */
  async findCurrent(cached: EmbedLink): Promise<CurrentRules | null> {
    const state = await this.repository.findState(cached.link);
    return state && (await this.apply(cached, state));
  }

  /** Selects the states of links as a part of a larger statement (`selectTogether`); `applyRow` reads its rows. */
  selectStates(links: readonly EmbedLink[]): Selection {
    return this.repository.selectStates(links.map(({ link }) => link));
  }

  /** The current state of a cached link, from its row of `selectStates`. */
  async applyRow(cached: EmbedLink, row: object): Promise<CurrentRules> {
    const state = row as EmbedLinkState;
    return await this.apply(cached, { ...state, start: state.start && new Date(state.start), end: state.end && new Date(state.end) });
  }

  private async apply(cached: EmbedLink, { version, ...changeable }: EmbedLinkState): Promise<CurrentRules> {
    const link = { ...cached, ...changeable };
    return { link, configuration: await this.findConfiguration(link, version) };
  }

  private async findConfiguration({ customerId, playerConfigurationId: id }: EmbedLink, version: number | null) {
    if (id === null || version === null) return null;
    const found = await this.configurations.find(customerId, id);
    if (found && found.value.version >= version) return found.value;
    return (await this.configurations.find(customerId, id, { refresh: true }))?.value ?? null;
  }
}
