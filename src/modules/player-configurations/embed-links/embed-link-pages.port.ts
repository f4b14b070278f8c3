import type { EmbedLink } from './embed-link.entity.js';

/** How people see a link. */
export interface EmbedLinkPage {
  /** The absolute address of the player page. */
  readonly url: string;
  /** HTML that shows the player in another page. */
  readonly snippet: string;
}

/** Presents embed links as people see them. */
export abstract class EmbedLinkPages {
  /** The pages of links, in the order of the links. A list costs as many statements as a single link. */
  abstract present(links: readonly EmbedLink[]): Promise<readonly EmbedLinkPage[]>;
}
