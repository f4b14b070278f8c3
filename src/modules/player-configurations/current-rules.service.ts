import { Injectable } from '@nestjs/common';
import { type DeliveredLink, EmbedLinksRepository } from './embed-links/embed-links.repository.js';
import type { DeliveredConfiguration } from './player-configuration.entity.js';
import { PlayerConfigurationCacheService } from './player-configuration-cache.service.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A link and its configuration; null: the configuration has been destroyed. */
export interface CurrentRules {
  readonly link: DeliveredLink;
  readonly configuration: DeliveredConfiguration | null;
}

/** Reads links and the configurations that apply to them, as they are in the database now: a rule that was tightened must not admit the next viewer. */
@Injectable()
export class CurrentRulesService {
  constructor(
    private readonly links: EmbedLinksRepository,
    private readonly configurations: PlayerConfigurationCacheService,
  ) {}

  /** Finds links by their addresses, in any case, including deleted links (flag 1). Addresses without a link are omitted. */
  async find(addresses: readonly string[]): Promise<Map<string, CurrentRules>> {
    const valid = addresses.filter((address) => UUID.test(address));
    const links = valid.length === 0 ? [] : await this.links.findForDelivery(valid);
    const rules = new Map(
      links.map((link) => [link.link, this.findConfiguration(link).then((configuration) => ({ link, configuration }))]),
    );
    const found = await Promise.all(valid.map(async (address) => [address, await rules.get(address.toLowerCase())] as const));
    return new Map(found.flatMap(([address, current]) => (current ? [[address, current] as const] : [])));
  }

  private async findConfiguration({ playerConfigurationId: id, configurationVersion }: DeliveredLink) {
    return id === null || configurationVersion === null ? null : await this.configurations.findVersion(id, configurationVersion);
  }
}
