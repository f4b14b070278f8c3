import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../../shared/config/index.js';
import { DomainError, generalErrors } from '../../../../shared/errors.js';
import { parseUrl } from '../../../../shared/validation/index.js';
import { CustomersService } from '../../../accounts/index.js';
import { hostName } from '../../decision/host-names.js';
import { deliveryErrors } from '../../delivery.errors.js';
import { isPicture, playerFormats } from '../../files/choose-file.js';
import { DeliveryGateService, type OpenedLink } from '../../gate/delivery-gate.service.js';
import { DeliveryUrls, originOfLink, pageUrl } from '../delivery-urls.js';
import {
  AUDIO_HEIGHT,
  type Box,
  boxOf,
  embedSnippet,
  fitInto,
  mediaShape,
  pictureSnippet,
  ratioOf,
  sizedPicture,
} from '../embed/embed-snippet.js';
import { type Provider, providerOf } from '../embed/present-embed-page.js';
import { type PreviewImage, PreviewImagesService } from '../preview/preview-images.service.js';
import type { OembedResponse } from './oembed.dto.js';

interface Limits {
  readonly maxwidth?: number | undefined;
  readonly maxheight?: number | undefined;
}

/** Answers oEmbed consumers, such as content management systems that find the address of a link in a text. */
@Injectable()
export class OembedService {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly previews: PreviewImagesService,
    private readonly customers: CustomersService,
    private readonly config: Config,
  ) {}

  /** Describes a link. Throws `not_found`, `link_ended`, and `oembed_private` for a link that only certain viewers may see. */
  async describe(url: string, { maxwidth: maxWidth, maxheight: maxHeight }: Limits, request: Request): Promise<OembedResponse> {
    const address = parseLinkUrl(url);
    const opened = address && (await this.open(address.link, request));
    if (!opened || !this.isAddressOf(address, opened)) throw generalErrors.not_found('No embed link has this address.');
    const [preview, account] = await Promise.all([this.previews.find(opened), this.customers.nameOf(opened.link.customerId)]);
    const { link } = opened.link;
    const origin = this.originOf(address, opened);
    const provider = providerOf(opened.configuration.settings, account);
    const urls = new DeliveryUrls(origin, link); // for everyone, so without the tokens of a viewer
    return presentOembed(opened, { urls, pageUrl: pageUrl(origin, link), preview, provider, maxWidth, maxHeight });
  }

  /** Opens the link for an oEmbed consumer, which is neither a viewer that a rule could admit nor the page that will show the link. */
  private async open(link: string, request: Request): Promise<OpenedLink> {
    try {
      return await this.gate.open(link, request, { forEmbedding: true });
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'forbidden') throw error;
      throw deliveryErrors.oembed_private('Only certain viewers may see what this link shows.');
    }
  }

  private isAddressOf({ host }: LinkUrl, { policy }: OpenedLink): boolean {
    return host === policy.settings['url.cname'] || host === hostName(new URL(this.config.publicUrl).host);
  }

  /** The origin on which the link works: its own host, if it has one. */
  private originOf({ host, origin }: LinkUrl, { policy }: OpenedLink): string {
    return host === policy.settings['url.cname'] ? origin : originOfLink(policy, this.config);
  }
}

/** The longer side that is proposed for a responsive player, in pixels. */
const PROPOSED_SIDE = 640;
/** The size of the preview images that the service ships. */
const FIXED_PREVIEW = { width: 640, height: 360 };

interface OembedOptions {
  readonly urls: DeliveryUrls;
  readonly pageUrl: string;
  readonly preview: PreviewImage | null;
  readonly provider: Provider;
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/** Presents an opened link as oEmbed describes it. */
function presentOembed(opened: OpenedLink, options: OembedOptions): OembedResponse {
  const { provider } = options;
  return {
    version: '1.0',
    title: opened.container.name,
    provider_name: provider.name,
    ...(provider.url !== null && { provider_url: provider.url }),
    ...(photo(opened, options) ?? player(opened, options)),
    ...thumbnail(options),
  };
}

/** An image of known size, in the largest of its formats that is allowed; null for one that is shown in a box of the configured size. */
function photo(
  { link, ...opened }: OpenedLink,
  { urls, maxWidth = Number.POSITIVE_INFINITY, maxHeight = Number.POSITIVE_INFINITY }: OembedOptions,
) {
  const { width: fixedWidth, height: fixedHeight } = opened.configuration;
  if (link.type !== 'image' || fixedWidth !== null || fixedHeight !== null) return null;
  const fitting = playerFormats(opened).flatMap(({ format, item: { fileExtension, width, height } }) =>
    isPicture(fileExtension) && width && height && width <= maxWidth && height <= maxHeight ? [{ id: format.id, width, height }] : [],
  );
  const [largest] = fitting.toSorted((one, other) => other.width - one.width);
  if (!largest) return null;
  const { width, height } = largest;
  const sized = sizedPicture(opened, urls);
  const html = sized && pictureSnippet(sized, { title: opened.container.name, box: null, maxWidth: width, maxHeight: height });
  return { type: 'photo' as const, url: urls.file(largest.id), width, height, ...(html !== null && { html }) };
}

function player(opened: OpenedLink, { urls, pageUrl, maxWidth, maxHeight }: OembedOptions) {
  const { link, configuration } = opened;
  const shape = mediaShape(opened);
  const fixed = boxOf(configuration, link.type, shape);
  const ratio = ratioOf(link.type, shape);
  const proposed = ratio === null ? { width: PROPOSED_SIDE, height: AUDIO_HEIGHT } : proposedBox(ratio);
  const box = fixed && fitInto(fixed, { maxWidth, maxHeight });
  const html = embedSnippet(opened, { urls, pageUrl, maxWidth, maxHeight });
  return {
    type: link.type === 'video' ? ('video' as const) : ('rich' as const),
    html,
    ...(box ?? fitInto(proposed, { maxWidth, maxHeight })),
  };
}

function proposedBox(ratio: number): Box {
  if (ratio < 1) return { width: Math.max(1, Math.round(PROPOSED_SIDE * ratio)), height: PROPOSED_SIDE };
  return { width: PROPOSED_SIDE, height: Math.max(1, Math.round(PROPOSED_SIDE / ratio)) };
}

/** The preview image, if its size is known, because consumers need it. */
function thumbnail({ preview, urls, maxWidth, maxHeight }: OembedOptions) {
  const size = preview?.item ?? (preview && FIXED_PREVIEW);
  if (!size?.width || !size.height) return {};
  const shown = fitInto({ width: size.width, height: size.height }, { maxWidth, maxHeight });
  const url = preview?.item ? urls.previewImage() : preview?.url;
  return { thumbnail_url: url, thumbnail_width: shown.width, thumbnail_height: shown.height };
}

const PATH = /^\/v5\/deliverEmbed\/([\da-f-]{36})\/?$/i;

/** The parsed address of a link's page. */
interface LinkUrl {
  readonly link: string;
  readonly origin: string;
  /** The host in its comparable form (hostName). */
  readonly host: string;
}

/** Parses the address of a link's page; null: the text is not one. */
function parseLinkUrl(text: string): LinkUrl | null {
  const url = parseUrl(text);
  if (!url) return null;
  const { protocol, host, origin, pathname } = url;
  const [, link] = PATH.exec(pathname) ?? [];
  const name = hostName(host);
  return link && name && /^https?:$/.test(protocol) ? { link, origin, host: name } : null;
}
