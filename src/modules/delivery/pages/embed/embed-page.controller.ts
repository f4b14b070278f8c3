import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, ParseIntPipe, Req, Res, StreamableFile, UseFilters } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiExtraModels, ApiOkResponse, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { Config } from '../../../../shared/config/index.js';
import { DomainError, generalErrors } from '../../../../shared/errors.js';
import { ApiErrors, ApiProblemPages, RateLimited } from '../../../../shared/http/index.js';
import { mediaOrigins, ObjectStorage } from '../../../../shared/storage/index.js';
import { allowFraming, PagesService, sendPage } from '../../../../shared/web/index.js';
import { frameAncestors } from '../../decision/host-names.js';
import { ANY_FILE, ApiGate, ApiRedirectToFile, ApiViewerToken } from '../../delivery.dto.js';
import { LINK_CODES } from '../../delivery.errors.js';
import { redirectToStorage } from '../../files/file-stream.service.js';
import { DeliveryGateService, type OpenedLink } from '../../gate/delivery-gate.service.js';
import { TextTracksService } from '../text-tracks.service.js';
import { EmbedResponse } from './embed-page.dto.js';
import { EmbedPageService } from './embed-page.service.js';
import { CONTROLS_STYLES, embedPageAssets } from './embed-page-assets.js';
import { EmbedProblemFilter, wantsPage } from './embed-problem.filter.js';
import type { EmbedPage } from './present-embed-page.js';

const PAGE = new URL('./embed-page.eta', import.meta.url);

const nothing = () => generalErrors.not_found('No page has this address.');

@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class EmbedPageController {
  constructor(
    private readonly gate: DeliveryGateService,
    private readonly views: EmbedPageService,
    private readonly tracks: TextTracksService,
    private readonly storage: ObjectStorage,
    private readonly config: Config,
    private readonly pages: PagesService,
  ) {}

  /** Show an embed link: for browsers a page with a player, with `Accept: application/json` the data for a player of your own. */
  @Get(':link')
  @ApiParam({ name: 'link', format: 'uuid' })
  @ApiViewerToken
  @ApiExtraModels(EmbedResponse)
  @ApiOkResponse({
    description: 'What the link shows.',
    content: { 'application/json': { schema: { $ref: getSchemaPath(EmbedResponse) } }, 'text/html': { schema: { type: 'string' } } },
  })
  @ApiErrors(...LINK_CODES)
  @ApiProblemPages()
  @UseFilters(EmbedProblemFilter)
  async show(@Param('link') link: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.vary('Accept');
    response.setHeader('cache-control', 'private, no-store');
    const opened = await this.openPage(link, request, response);
    if (!wantsPage(request)) return void response.json(await this.views.json(opened, request));
    allowFraming(response, frameAncestors(opened.configuration));
    await this.send(opened, request, response);
  }

  /** Load the page again from its own scripts, whose requests name the page as the referer and not the site around it. */
  @Get(':link/player')
  @ApiExcludeEndpoint()
  @UseFilters(EmbedProblemFilter)
  async renew(@Param('link') link: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const opened = await this.gate.open(link, request, { fromPlayer: true });
    allowFraming(response, frameAncestors(opened.configuration));
    await this.send(opened, request, response);
  }

  /** Get the preview picture of an embed link: a redirect to its file. */
  @Get(':link/preview')
  @ApiGate()
  @ApiRedirectToFile()
  @ApiOkResponse({ description: 'For clients that follow the redirect: the picture.', content: ANY_FILE })
  @ApiErrors(...LINK_CODES)
  @Header('cache-control', 'private, no-store')
  async preview(@Param('link') link: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const url = await this.views.previewUrl(await this.gate.open(link, request, { fromPlayer: true }));
    if (url === null) throw nothing();
    redirectToStorage(request, response, url);
  }

  /** Get a text track (subtitles, captions, chapters) as WebVTT, regardless of the format in which it was uploaded. */
  @Get(':link/subtitles/:mediaId.vtt')
  @ApiGate()
  @ApiParam({ name: 'mediaId', type: 'integer', description: 'The media item of the track.', example: 1 })
  @ApiOkResponse({ description: 'The track.', content: { 'text/vtt': { schema: { type: 'string' } } } })
  @ApiErrors(...LINK_CODES)
  async subtitle(
    @Param('link') link: string,
    @Param('mediaId', new ParseIntPipe({ exceptionFactory: nothing })) mediaId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { size, pieces } = await this.tracks.open(await this.gate.open(link, request, { fromPlayer: true }), mediaId);
    response.setHeader('cache-control', 'private, max-age=300'); // a refusal must not outlive its reason
    return new StreamableFile(Readable.from(pieces, { objectMode: false }), { type: 'text/vtt; charset=utf-8', length: size });
  }

  /**
   * Opens the link. Throws what the gate throws; to `auth_required` it adds the admission with which the viewer returns after the sign-in
   * (EmbedProblemFilter).
   */
  private async openPage(link: string, request: Request, response: Response): Promise<OpenedLink> {
    try {
      return await this.gate.open(link, request, { isUse: true });
    } catch (error) {
      if (error instanceof DomainError && error.code === 'auth_required')
        response.locals.admission = await this.gate.findAdmission(link, request);
      throw error;
    }
  }

  private async send(opened: OpenedLink, request: Request, response: Response): Promise<void> {
    const page = await this.views.page(opened, request);
    const html = this.pages.render<EmbedPage>(PAGE, { ...page, ...embedPageAssets });
    const origins = mediaOrigins(this.storage.location, this.config);
    // Determined by the type of the link: the same page plays media that is still being made once it is ready.
    const isPlayed = page.type === 'video' || page.type === 'audio';
    sendPage(response, 200, html, {
      imgSrc: [...origins, new URL(this.config.cdnUrl).origin],
      objectSrc: origins,
      ...(isPlayed ? { mediaSrc: ['blob:', ...origins], connectSrc: origins } : { connectSrc: [] }),
      ...(page.hasControls && { styleHashes: CONTROLS_STYLES }),
    });
  }
}
