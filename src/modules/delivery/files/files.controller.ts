import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { ANY_FILE, ApiGate, ApiRedirectToFile, DeliveredLinkDto, DeliverFileDto } from '../delivery.dto.js';
import { FILE_CODES, LINK_CODES } from '../delivery.errors.js';
import { FileStreamService, redirectToStorage } from './file-stream.service.js';
import { FilesService, mediaNotAvailable } from './files.service.js';

const CONTENT_RANGE = { 'Content-Range': { required: true, schema: { type: 'string' as const }, example: 'bytes 0-1023/146515' } };

/** Invalid credentials count as missing in these routes, so the gate reads them itself. */
@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly streams: FileStreamService,
  ) {}

  /** Deliver a file: a redirect to a URL that works for a limited time, or the file itself if a bandwidth limit applies to the viewer. */
  @Get('deliverFile/:link')
  @ApiGate()
  @ApiHeader({ name: 'Range', required: false, description: 'Only if the response is the file itself.', example: 'bytes=0-1023' })
  @ApiRedirectToFile('for a limited time')
  @ApiResponse({ status: 200, description: 'The file.', content: ANY_FILE })
  @ApiResponse({ status: 206, description: 'The requested range of the file.', content: ANY_FILE, headers: CONTENT_RANGE })
  @ApiResponse({ status: 416, description: 'The range lies behind the end of the file.', headers: CONTENT_RANGE })
  @ApiErrors(...FILE_CODES, 'media_not_available', 'object_changed', 'parallel_limit_reached')
  async deliver(@Input() { link, formatId, download }: DeliverFileDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    const file = await this.files.open(link, request, { formatId, download });
    if ('url' in file) redirectToStorage(request, response, file.url);
    else if (!(await this.streams.send(file.stream, request, response))) throw mediaNotAvailable();
  }

  /** Renew a play: a player calls this at least every 60 seconds while it plays. */
  @Post('deliverEmbed/:link/lease')
  @HttpCode(204)
  @ApiGate()
  @ApiErrors(...LINK_CODES, 'parallel_limit_reached', 'payload_too_large')
  async renewLease(@Input() { link }: DeliveredLinkDto, @Req() request: Request): Promise<void> {
    await this.files.renewLease(link, request);
  }
}
