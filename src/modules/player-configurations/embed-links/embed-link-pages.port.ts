import { Injectable } from '@nestjs/common';
import type { EmbedLink } from './embed-link.entity.js';

/** How people see a link. */
export interface EmbedLinkPage {
  /** The absolute address of the player page. */
  readonly url: string;
  /** HTML that shows the player in another page. */
  readonly snippet: string;
}

/** Returns the pages of links, in the order of the links. */
export type EmbedLinkPresenter = (links: readonly EmbedLink[]) => Promise<readonly EmbedLinkPage[]>;

/** Presents embed links as people see them: players belong to the delivery module, which registers itself here. */
@Injectable()
export class EmbedLinkPages {
  private presenter: EmbedLinkPresenter | null = null;

  /** Registers the presenter; must be called before the application starts. */
  register(presenter: EmbedLinkPresenter): void {
    this.presenter = presenter;
  }

  /** The pages of links, in the order of the links. A list costs as many statements as a single link. */
  async present(links: readonly EmbedLink[]): Promise<readonly EmbedLinkPage[]> {
    if (!this.presenter) throw new Error('No module presents embed links.');
    return links.length === 0 ? [] : await this.presenter(links);
  }
}
