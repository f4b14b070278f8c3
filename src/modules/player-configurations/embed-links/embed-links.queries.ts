import { Injectable } from '@nestjs/common';
import { Database, type Selection } from '../../../shared/database/index.js';
import type { EmbedLink } from './embed-link.entity.js';
import type { EmbedPair } from './embed-links.repository.js';

/** The parts of a link that can change, and the version of its configuration; null: the configuration has been destroyed. */
export type EmbedLinkState = Pick<EmbedLink, 'link' | 'flag' | 'playerConfigurationId' | 'start' | 'end'> & {
  readonly version: number | null;
};

/** Raw SQL, because every delivery runs it (bench `delivery`): a prepared statement, without the cost of building a query and entities. */
const FIND_STATES = `SELECT l.link, l.flag, l.player_configuration_id AS "playerConfigurationId", l.start, l."end", c.version
  FROM embed_links l LEFT JOIN player_configurations c ON c.id = l.player_configuration_id WHERE l.link = ANY($1::uuid[])`;

/** The SQL on embed links that TypeORM cannot express or would slow down. */
@Injectable()
export class EmbedLinksQueries {
  /** Reads the state of a link that is in the database now, in one statement for all concurrent calls. Null: the link does not exist. */
  readonly findState: (link: string) => Promise<EmbedLinkState | null>;

  constructor(private readonly database: Database) {
    this.findState = database.batched(String, async (links: readonly string[]) => {
      const { rows } = await database.query<EmbedLinkState>(FIND_STATES, [links]);
      return new Map(rows.map((row) => [row.link, row]));
    });
  }

  /** Selects the states of links for a larger statement; in its rows, times are texts. */
  selectStates(links: readonly string[]): Selection {
    return { text: FIND_STATES, values: [links] };
  }

  /** Serialises requests for a link of the same container and configuration until the ambient transaction ends. */
  async lockPair({ mediaContainerId, playerConfigurationId }: EmbedPair): Promise<void> {
    await this.database.lock(`embed link ${mediaContainerId} ${playerConfigurationId}`);
  }
}
