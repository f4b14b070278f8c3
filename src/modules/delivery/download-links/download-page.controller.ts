import { Controller, Get, Param, ParseIntPipe, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { DomainError, generalErrors } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { mimeTypeOf } from '../../../shared/mime-type-of.js';
import { mediaOrigins, ObjectStorage } from '../../../shared/storage/index.js';
import {
  formatDateTime,
  PagesService,
  ProblemPageFilter,
  ProblemPagesService,
  publishAssets,
  sendPage,
} from '../../../shared/web/index.js';
import { AcceptedObjectsService, type DeliverableItem } from '../../media/index.js';
import { redirectToStorage } from '../files/file-stream.service.js';
import { fixedPreviewImage } from '../pages/preview/preview-images.service.js';
import { DownloadOffersService, type OfferedContainer } from './download-offers.service.js';
import { type DownloadPage, presentOffer } from './present-download-page.js';

const PAGE = new URL('./download-page.eta', import.meta.url);

/** A visitor may scroll down to a picture long after the page was loaded. */
const PICTURE_SECONDS = 3_600;

function nullIfRefused(error: unknown): null {
  if (error instanceof DomainError) return null;
  throw error;
}

const noFile = () => generalErrors.not_found('This link does not offer this file.');

/** The page of a download link. */
@ApiExcludeController()
@Public()
@IgnoresCredentials()
@UseFilters(ProblemPageFilter)
@RateLimited('delivery')
@Controller('l')
export class DownloadPageController {
  constructor(
    private readonly offers: DownloadOffersService,
    private readonly storage: ObjectStorage,
    private readonly objects: AcceptedObjectsService,
    private readonly config: Config,
    private readonly pages: PagesService,
    problems: ProblemPagesService,
  ) {
    problems.explain({ download_link_ended: 'Ask the sender of the link for a new one.' });
  }

  @Get(':link')
  async show(@Param('link') link: string, @Res() response: Response): Promise<void> {
    const offer = await this.offers.open(link);
    const pictures = new Map(await Promise.all(offer.containers.map(async (one) => [one, await this.pictureOf(one)] as const)));
    const html = this.pages.render<DownloadPage>(PAGE, {
      ...presentOffer(offer, (container) => pictures.get(container) ?? ''),
      until: offer.link.end ? formatDateTime(offer.link.end) : '',
      ...downloadPageAssets,
    });
    sendPage(response, 200, html, { imgSrc: [...mediaOrigins(this.storage.location, this.config), new URL(this.config.cdnUrl).origin] });
  }

  /** The response is an attachment, so the page stays open. */
  @Get(':link/:mediaId')
  async download(
    @Param('link') link: string,
    @Param('mediaId', new ParseIntPipe({ exceptionFactory: noFile })) mediaId: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    redirectToStorage(request, response, await this.offers.urlOf(link, mediaId));
  }

  private async pictureOf({ preview, files }: OfferedContainer): Promise<string> {
    const url = preview && (await this.pictureUrl(preview).catch(nullIfRefused)); // the files matter more than their pictures
    if (url) return url;
    const extension = files.find(({ item }) => item !== null)?.item?.fileExtension ?? '';
    return fixedPreviewImage(this.config.cdnUrl, extension);
  }

  private async pictureUrl(item: DeliverableItem): Promise<string> {
    const { fileName, fileExtension } = item;
    const contentType = mimeTypeOf(fileExtension);
    return await this.objects.signedUrl(item, { expiresInSeconds: PICTURE_SECONDS, disposition: 'inline', fileName, contentType });
  }
}

const folder = new URL('./browser/', import.meta.url);
const names = ['download-page.css', 'download-page.js'];

const urlOf = publishAssets('download-page', { files: Object.fromEntries(names.map((name) => [name, new URL(name, folder)])) });

/** The files that the page loads. */
const downloadPageAssets = { stylesheet: urlOf('download-page.css'), script: urlOf('download-page.js') };
