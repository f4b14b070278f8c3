import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { ANY_FILE, ApiGate, ApiRedirectToFile } from '../delivery.dto.js';
import { FILE_CODES } from '../delivery.errors.js';
import { FileStreamService, redirectToStorage } from '../files/file-stream.service.js';
import { ContainerPreviewsService } from './container-previews.service.js';
import { EmbedPicturesService } from './embed-pictures.service.js';
import { noPicture } from './picture-size-selection.service.js';
import { DeliverPictureDto } from './pictures.dto.js';

/** As long as a page needs to load its pictures; the signed URL is valid for longer. A refusal must not outlive its reason. */
const REDIRECT_SECONDS = 60;
/** No rule of delivery applies to previews, which are for the owners of the media. */
const PREVIEW_SECONDS = 600;

/** Invalid credentials count as missing in these routes, so the gate reads them itself. */
@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5')
export class PicturesController {
  constructor(
    private readonly pictures: EmbedPicturesService,
    private readonly previews: ContainerPreviewsService,
    private readonly streams: FileStreamService,
  ) {}

  /**
   * Deliver the picture of an embed link in a size that fits the page: of an image the largest picture that the configuration delivers to players,
   * of other media the preview picture. While it is being made for the first time, another size may be delivered, with `Cache-Control: no-store`.
   */
  @Get('deliverEmbed/:link/image')
  @ApiGate()
  @ApiRedirectToFile()
  @ApiResponse({ status: 200, description: 'The picture itself, if a bandwidth limit applies to the viewer.', content: ANY_FILE })
  @ApiErrors(...FILE_CODES, 'no_picture', 'object_changed', 'parallel_limit_reached', 'picture_not_ready')
  async deliver(@Input() input: DeliverPictureDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    if ((input.format ?? 'auto') === 'auto') response.vary('Accept');
    const { file, isReady } = await this.pictures.open(input, request);
    if ('stream' in file) {
      if (!(await this.streams.send(file.stream, request, response))) throw noPicture();
      return;
    }
    if (isReady) response.setHeader('cache-control', `private, max-age=${REDIRECT_SECONDS}`);
    redirectToStorage(request, response, file.url);
  }
  /** Deliver the preview of a media container, whose URL is in the container. */
  @Get('preview/:ticket')
  @ApiParam({ name: 'ticket', type: 'string', example: '12.1893456000.bWFjLW9mLTQzLWNoYXJhY3RlcnMtdGhhdC1tYXRjaGVz' })
  @ApiRedirectToFile()
  @ApiResponse({ status: 200, description: 'For clients that follow the redirect: the picture.', content: ANY_FILE })
  @ApiErrors('not_found', 'no_picture', 'object_changed', 'picture_not_ready')
  async preview(@Param('ticket') ticket: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    response.vary('Accept');
    const { url, isReady } = await this.previews.open(ticket, request.headers.accept);
    if (isReady) response.setHeader('cache-control', `private, max-age=${PREVIEW_SECONDS}`);
    redirectToStorage(request, response, url);
  }
}
