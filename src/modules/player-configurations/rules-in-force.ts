import { Injectable } from '@nestjs/common';
import { Database } from '../../shared/database/index.js';
import type { DeliveredConfiguration } from './delivered-configuration.js';
import type { EmbedLink } from './embed-links/embed-link.entity.js';
import { EmbedLinkReader } from './embed-links/embed-link-reader.js';
import { PlayerConfigurationReader } from './player-configuration-reader.js';

type State = Pick<EmbedLink, 'link' | 'flag' | 'playerConfigurationId' | 'start' | 'end'> & { readonly version: number | null };

/** What can change about a link, and the version of its configuration. Ids, dates and a counter: the rules themselves are remembered. */
const FIND = `SELECT l.link, l.flag, l.player_configuration_id AS "playerConfigurationId", l.start, l."end", c.version
  FROM embed_links l LEFT JOIN player_configurations c ON c.id = l.player_configuration_id WHERE l.link = ANY($1::uuid[])`;

/**
 * Links and configurations as of now. Processes tell each other of changes, but that takes some milliseconds after the answer to whoever
 * made the change; a rule that was just tightened must not let anybody in for so long. So what is remembered is compared with the database,
 * in one statement for all that ask at the same moment.
 */
@Injectable()
export class RulesInForce {
  private readonly findState: (link: string) => Promise<State | null>;

  constructor(
    private readonly links: EmbedLinkReader,
    private readonly configurations: PlayerConfigurationReader,
    database: Database,
  ) {
    this.findState = database.batched(String, async (links: readonly string[]) => {
      const { rows } = await database.query<State>(FIND, [links]);
      return new Map(rows.map((row) => [row.link, row]));
    });
  }

  /** A link as it was remembered: its container and customer never change. Null: there is none. */
  async findLink(link: string): Promise<EmbedLink | null> {
    return await this.links.findByLink(link);
  }

  /** The same link as of now, and its configuration; null: it has gone, or its configuration. */
  async of(remembered: EmbedLink): Promise<{ readonly link: EmbedLink; readonly configuration: DeliveredConfiguration | null } | null> {
    const state = await this.findState(remembered.link);
    if (!state) return null;
    const { version, ...changeable } = state;
    const link = { ...remembered, ...changeable };
    return { link, configuration: await this.findConfiguration(link, version) };
  }

  private async findConfiguration({ customerId, playerConfigurationId: id }: EmbedLink, version: number | null) {
    if (id === null || version === null) return null;
    const found = await this.configurations.find(customerId, id);
    if (found && found.value.version >= version) return found.value;
    return (await this.configurations.find(customerId, id, { refresh: true }))?.value ?? null;
  }
}
