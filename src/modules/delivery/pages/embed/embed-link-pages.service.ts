import { Injectable } from '@nestjs/common';
import { Config } from '../../../../shared/config/index.js';
import { type EmbedLink, type EmbedLinkPage, EmbedLinkPages } from '../../../player-configurations/index.js';
import { pairFormats } from '../../gate/delivery-gate.service.js';
import { DeliveryPoliciesService } from '../../gate/delivery-policies.service.js';
import { DeliveryStatesService } from '../../gate/delivery-states.service.js';
import { originOfLink, pageUrl } from '../delivery-urls.js';
import { embedSnippet, ratioOf, snippetOf } from './embed-snippet.js';

/** Presents embed links to the users of their customer as viewers see them, also links that have ended. */
@Injectable()
export class EmbedLinkPagesService {
  constructor(
    private readonly states: DeliveryStatesService,
    private readonly policies: DeliveryPoliciesService,
    private readonly config: Config,
    pages: EmbedLinkPages,
  ) {
    pages.register(async (links) => await Promise.all(links.map(async (link) => await this.present(link)))); // their statements are shared
  }

  private async present({ link, type }: EmbedLink): Promise<EmbedLinkPage> {
    const state = await this.states.find(link);
    if (!state?.configuration) return this.presentDeleted({ link, type }, state?.container.name ?? '');
    const { configuration, container, items } = state;
    const { policy, formats: visible } = await this.policies.compile(configuration);
    const url = pageUrl(originOfLink(policy, this.config), link);
    const { formats } = pairFormats(policy, visible, items);
    return { url, snippet: snippetOf({ link: { type }, configuration, container, formats, items }, url) };
  }

  /** A link without a configuration, which was deleted with it. */
  private presentDeleted({ link, type }: Pick<EmbedLink, 'link' | 'type'>, title: string): EmbedLinkPage {
    const url = pageUrl(this.config.publicUrl, link);
    return { url, snippet: embedSnippet({ url, title, box: null, ratio: ratioOf(type, null) }) };
  }
}
