import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../../shared/config/index.js';
import { mimeTypeOf } from '../../../../shared/media-types/index.js';
import { CustomersService } from '../../../accounts/index.js';
import { AcceptedObjects } from '../../../media/index.js';
import type { OpenedLink } from '../../gate/delivery-gate.js';
import { DeliveryUrls, pageUrl } from '../delivery-urls.js';
import { FileAdmission } from '../file-admission.js';
import { PreviewImages } from '../preview/preview-images.js';
import { Outlooks } from '../progress/outlooks.js';
import type { EmbedResponse } from './embed-response.dto.js';
import { embedView } from './embed-view.js';
import { presentEmbedPage } from './present-embed-page.js';

/** A picture is fetched at once. */
const PICTURE_SECONDS = 300;

/** Opened links as clients and people get to see them. */
@Injectable()
export class EmbedViews {
  constructor(
    private readonly previews: PreviewImages,
    private readonly outlooks: Outlooks,
    private readonly admissions: FileAdmission,
    private readonly customers: CustomersService,
    private readonly objects: AcceptedObjects,
    private readonly config: Config,
  ) {}

  /** With absolute addresses. */
  async json(opened: OpenedLink, request: Request): Promise<EmbedResponse> {
    const urls = this.urls(opened, request, this.originOf(opened, request));
    const [preview, outlook] = await Promise.all([this.previews.find(opened), this.outlooks.find(opened)]);
    return embedView(opened, { urls, preview, outlook, languages: languagesOf(request) });
  }

  /** With addresses relative to the page, which may be opened by more than one host. */
  async page(opened: OpenedLink, request: Request): Promise<ReturnType<typeof presentEmbedPage>> {
    const [preview, outlook, accountName] = await Promise.all([
      this.previews.find(opened),
      this.outlooks.find(opened),
      this.customers.nameOf(opened.link.customerId),
    ]);
    const urls = this.urls(opened, request, '');
    const view = embedView(opened, { urls, preview, outlook, languages: languagesOf(request) });
    const address = pageUrl(this.originOf(opened, request), opened.link.link);
    const oembedUrl = `${this.config.publicUrl}/v5/oembed?${new URLSearchParams({ url: address, format: 'json' })}`;
    return presentEmbedPage(opened, { view, urls, outlook, accountName, pageUrl: address, oembedUrl });
  }

  /** Where the picture of a link is; null: there is none. */
  async previewUrl(opened: OpenedLink): Promise<string | null> {
    const preview = await this.previews.find(opened);
    if (!preview?.item) return preview?.url ?? null;
    const { fileName, fileExtension } = preview.item;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(preview.item, { expiresInSeconds: PICTURE_SECONDS, disposition: 'inline', fileName, contentType });
  }

  /** A link with a host of its own is delivered there only, so that is where the request came to; any other at PUBLIC_URL. */
  private originOf({ policy }: OpenedLink, { context }: Request): string {
    return policy.cname === null ? this.config.publicUrl : `${new URL(this.config.publicUrl).protocol}//${context.host}`;
  }

  private urls({ link: { link }, policy }: OpenedLink, { query: { auth }, context }: Request, origin: string): DeliveryUrls {
    const admission = policy.matchReferer ? this.admissions.issue(link, context.clientAddress) : undefined;
    return new DeliveryUrls(origin, link, { auth: typeof auth === 'string' ? auth : undefined, admission });
  }
}

/** `*` and what is no language match nothing. */
const languagesOf = (request: Request): readonly string[] => request.acceptsLanguages();
