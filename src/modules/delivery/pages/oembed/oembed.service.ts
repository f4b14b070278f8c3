import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../../shared/config/index.js';
import { DomainError, generalErrors } from '../../../../shared/errors/index.js';
import { CustomersService } from '../../../accounts/index.js';
import { hostName } from '../../decision/host-names.js';
import { DeliveryGate, type OpenedLink } from '../../gate/delivery-gate.js';
import { DeliveryUrls, pageUrl } from '../delivery-urls.js';
import { providerOf } from '../embed/provider-of.js';
import { PreviewImages } from '../preview/preview-images.js';
import { oembedErrors } from './oembed.errors.js';
import type { OembedResponse } from './oembed-response.dto.js';
import { type LinkUrl, parseLinkUrl } from './parse-link-url.js';
import { presentOembed } from './present-oembed.js';

interface Limits {
  readonly maxwidth?: number | undefined;
  readonly maxheight?: number | undefined;
}

/** Answers to oEmbed consumers: content management systems that find the address of a link in a text. */
@Injectable()
export class Oembed {
  constructor(
    private readonly gate: DeliveryGate,
    private readonly previews: PreviewImages,
    private readonly customers: CustomersService,
    private readonly config: Config,
  ) {}

  /** Throws `not_found`, `link_ended`, and `oembed_private` for what only certain viewers see. */
  async describe(url: string, { maxwidth: maxWidth, maxheight: maxHeight }: Limits, request: Request): Promise<OembedResponse> {
    const address = parseLinkUrl(url);
    const opened = address && (await this.open(address.link, request));
    if (!opened || !this.isAddressOf(address, opened)) throw generalErrors.not_found('There is no embed link at this address.');
    const [preview, account] = await Promise.all([this.previews.find(opened), this.customers.nameOf(opened.link.customerId)]);
    const { link } = opened.link;
    const origin = this.originOf(address, opened);
    const provider = providerOf(opened.configuration.settings, account);
    const urls = new DeliveryUrls(origin, link); // for everyone: with nothing that belongs to one viewer
    return presentOembed(opened, { urls, pageUrl: pageUrl(origin, link), preview, provider, maxWidth, maxHeight });
  }

  /** A consumer is neither a viewer whom a rule could let in nor the page that will show the link. */
  private async open(link: string, request: Request): Promise<OpenedLink> {
    try {
      return await this.gate.open(link, request, { forEmbedding: true });
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'forbidden') throw error;
      throw oembedErrors.oembed_private('Only certain viewers may see what this link shows.');
    }
  }

  private isAddressOf({ host }: LinkUrl, { policy }: OpenedLink): boolean {
    return host === policy.cname || host === hostName(new URL(this.config.publicUrl).host);
  }

  /** Where the link works: on its own host, if it has one. */
  private originOf({ host, origin }: LinkUrl, { policy: { cname } }: OpenedLink): string {
    if (cname === null) return this.config.publicUrl;
    return host === cname ? origin : `${new URL(this.config.publicUrl).protocol}//${cname}`;
  }
}
