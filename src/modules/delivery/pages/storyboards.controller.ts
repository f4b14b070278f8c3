import { Controller, Get, Header, Param, ParseIntPipe, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { ApiGate, ApiRedirectToFile, DeliveredLinkDto } from '../delivery.dto.js';
import { LINK_CODES } from '../delivery.errors.js';
import { redirectToStorage } from '../files/file-stream.service.js';
import { StoryboardsService } from './storyboards.service.js';

const nothing = () => generalErrors.not_found('No picture has this address.');

/** Short, so that a refusal does not outlive its reason, nor the redirect the URL to which it leads. */
const CACHE = 'private, max-age=240';
const PICTURE = { 'image/jpeg': { schema: { type: 'string' as const, format: 'binary' } } };

@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class StoryboardsController {
  constructor(private readonly storyboards: StoryboardsService) {}

  /** Get the times of the pictures of a storyboard as WebVTT: the text of each cue is a part of a picture (`…#xywh=160,0,160,90`). */
  @Get(':link/storyboard.vtt')
  @ApiGate()
  @ApiOkResponse({ description: 'One cue for each picture.', content: { 'text/vtt': { schema: { type: 'string' } } } })
  @ApiErrors(...LINK_CODES, 'storyboard_not_available')
  async cues(@Input() { link }: DeliveredLinkDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    const cues = await this.storyboards.readCues(link, request);
    response.setHeader('cache-control', CACHE);
    response.type('text/vtt; charset=utf-8').send(cues);
  }

  /** Get the picture with the tiles of a storyboard: a redirect to its file. */
  @Get(':link/storyboard/:mediaId.jpg')
  @ApiGate()
  @ApiParam({ name: 'mediaId', type: 'integer', description: 'The media item, as named in the cues.', example: 1 })
  @ApiRedirectToFile()
  @ApiOkResponse({ description: 'For clients that follow the redirect: the picture.', content: PICTURE })
  @ApiErrors(...LINK_CODES, 'storyboard_not_available')
  @Header('cache-control', 'no-store')
  async picture(
    @Param('link') link: string,
    @Param('mediaId', new ParseIntPipe({ exceptionFactory: nothing })) mediaId: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const url = await this.storyboards.pictureUrl(link, mediaId, request);
    response.setHeader('cache-control', CACHE);
    redirectToStorage(request, response, url);
  }
}
