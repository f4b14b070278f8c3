import { Injectable } from '@nestjs/common';
import { Config } from '../../../../shared/config/index.js';
import type { EmbedLink, EmbedLinkPage, EmbedLinkPages } from '../../../player-configurations/index.js';
import { pairFormats } from '../../gate/delivery-gate.service.js';
import { DeliveryPoliciesService } from '../../gate/delivery-policies.service.js';
import { DeliveryStatesService } from '../../gate/delivery-states.service.js';
import { DeliveryUrls, originOfLink, pageUrl } from '../delivery-urls.js';
import { embedSnippet, frameSnippet, ratioOf } from './embed-snippet.js';

/** Presents embed links to the users of their customer as viewers see them, also links that have ended. */
@Injectable()
export class EmbedLinkPagesService implements EmbedLinkPages {
  constructor(
    private readonly states: DeliveryStatesService,
    private readonly policies: DeliveryPoliciesService,
    private readonly config: Config,
  ) {}

  async present(links: readonly EmbedLink[]): Promise<readonly EmbedLinkPage[]> {
    return await Promise.all(links.map(async (link) => await this.presentOne(link))); // their statements are shared
  }

  private async presentOne({ link, type }: EmbedLink): Promise<EmbedLinkPage> {
    const state = await this.states.find(link);
    if (!state?.configuration) return this.presentDeleted({ link, type }, state?.container.name ?? '');
    const { configuration, container, items, visible } = state;
    const policy = this.policies.compile(configuration, visible);
    const origin = originOfLink(policy, this.config);
    const url = pageUrl(origin, link);
    const paired = pairFormats(configuration, policy, { visible, items });
    const opened = { link: { type }, configuration, container, ...paired, items, policy };
    return { url, snippet: embedSnippet(opened, { urls: new DeliveryUrls(origin, link), pageUrl: url }) };
  }

  /** A link without a configuration, which was deleted with it. */
  private presentDeleted({ link, type }: Pick<EmbedLink, 'link' | 'type'>, title: string): EmbedLinkPage {
    const url = pageUrl(this.config.publicUrl, link);
    return { url, snippet: frameSnippet({ url, title, box: null, ratio: ratioOf(type, null) }) };
  }
}
