import { Controller, Get, Param, ParseIntPipe, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { RateLimited } from '../../../shared/http/index.js';
import { mediaOrigins, ObjectStorage } from '../../../shared/storage/index.js';
import {
  formatDateTime,
  PagesService,
  ProblemPageFilter,
  ProblemPagesService,
  pageFilesIn,
  publishAssets,
  sendPage,
} from '../../../shared/web/index.js';
import { redirectToStorage } from '../files/file-stream.service.js';
import { fixedPreviewImage } from '../pages/preview/preview-images.service.js';
import { DownloadOffersService } from './download-offers.service.js';
import type { OfferPosition } from './offer-files.js';
import { type DownloadPage, presentOffer } from './present-download-page.js';

const PAGE = new URL('./download-page.eta', import.meta.url);

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
    private readonly config: Config,
    private readonly pages: PagesService,
    problems: ProblemPagesService,
  ) {
    problems.explain({
      download_link_ended: 'Ask the sender of the link for a new one.',
      too_many_archives: 'Wait until one of the other downloads has ended.',
    });
  }

  @Get(':link')
  async show(@Param('link') link: string, @Query('from') from: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const offer = await this.offers.open(link, request, parsePosition(from));
    const html = this.pages.render<DownloadPage>(PAGE, {
      ...presentOffer(offer, { cdnUrl: this.config.cdnUrl, isFirst: from === undefined }),
      until: offer.link.end ? formatDateTime(offer.link.end) : '',
      ...downloadPageAssets,
    });
    sendPage(response, 200, html, { imgSrc: [...mediaOrigins(this.storage.location, this.config), new URL(this.config.cdnUrl).origin] });
  }

  /** The preview picture of a container; its URL is signed here, when a visitor scrolls to it, and not for each picture of the page. */
  @Get(':link/pictures/:containerId')
  async picture(
    @Param('link') link: string,
    @Param('containerId', new ParseIntPipe({ exceptionFactory: noFile })) containerId: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const url = await this.offers.pictureUrl(link, containerId);
    redirectToStorage(request, response, url ?? fixedPreviewImage(this.config.cdnUrl, ''));
  }

  /** The response is an attachment, so the page stays open. */
  @Get(':link/:mediaId')
  async download(
    @Param('link') link: string,
    @Param('mediaId', new ParseIntPipe({ exceptionFactory: noFile })) mediaId: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    redirectToStorage(request, response, await this.offers.urlOf(link, mediaId, request));
  }
}

const POSITION = /^(\d{1,4})\.(\d{1,6})$/;

/** Parses `<container>.<file>`, the position in the address of a page; any other value is that of the first page. */
function parsePosition(text: unknown): OfferPosition | undefined {
  const [, container, file] = POSITION.exec(typeof text === 'string' ? text : '') ?? [];
  return container === undefined ? undefined : { container: Number(container), file: Number(file) };
}

const urlOf = publishAssets('download-page', { files: pageFilesIn(new URL('./browser/', import.meta.url)) });

/** The files that the page loads. */
const downloadPageAssets = { stylesheet: urlOf('download-page.css') };
