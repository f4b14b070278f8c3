import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { generalErrors } from '../../../../shared/errors.js';
import { ApiErrors, ApiProblemPages, matchesTag, parseRange, type Range, RateLimited } from '../../../../shared/http/index.js';
import { contentDisposition } from '../../../../shared/storage/index.js';
import { DownloadOffersService } from '../download-offers.service.js';
import { ArchivePlacesService } from './archive-places.service.js';
import { ArchiveProblemFilter } from './archive-problem.filter.js';
import { ArchiveStreamService } from './archive-stream.service.js';
import { type Archive, ArchivesService } from './archives.service.js';

const ZIP = { 'application/zip': { schema: { type: 'string', format: 'binary' } } };
const text = (example: string, description?: string) => ({
  required: true,
  ...(description && { description }),
  schema: { type: 'string' as const },
  example,
});
const FACTS = {
  ETag: text('"Zk3v6Qm1n0c8b5Yx2w9Jr4tU7aLhPdEoSgKfBiVqNsM"', 'Strong; changes with the files of the link and their checksums.'),
  'Accept-Ranges': text('bytes', 'none: a checksum is missing, and ranges are ignored.'),
};
const CONTENT_RANGE = { 'Content-Range': { required: true, schema: { type: 'string' as const }, example: 'bytes 0-1023/146515' } };

@ApiTags('Download links')
@Public()
@IgnoresCredentials()
@UseFilters(ArchiveProblemFilter)
@RateLimited('delivery')
@Controller('l')
export class ArchivesController {
  constructor(
    private readonly archives: ArchivesService,
    private readonly streams: ArchiveStreamService,
    private readonly offers: DownloadOffersService,
    private readonly places: ArchivePlacesService,
  ) {}

  /**
   * Download all files of a download link as one ZIP file. A broken download can be continued with Range, on any process, unless the response has
   * `Accept-Ranges: none`.
   */
  @Get(':link/archive')
  @ApiParam({ name: 'link', description: 'The last part of the address of the page.', example: 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11' })
  @ApiHeader({
    name: 'Range',
    required: false,
    description: 'One range; several are answered with the whole archive.',
    example: 'bytes=1024-',
  })
  @ApiHeader({
    name: 'If-Range',
    required: false,
    description: 'The ETag of the part that is there; if the archive has another one, all of it is sent.',
  })
  @ApiResponse({ status: 200, description: 'The archive.', content: ZIP, headers: FACTS })
  @ApiResponse({ status: 206, description: 'The requested range of the archive.', content: ZIP, headers: { ...FACTS, ...CONTENT_RANGE } })
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'ETags of archives that the client has; if one is current, the response is 304.',
  })
  @ApiHeader({ name: 'If-Match', required: false, description: 'ETags of archives; if none is current, the response is 412.' })
  @ApiResponse({ status: 304, description: 'The client has this archive.', headers: { ETag: FACTS.ETag } })
  @ApiResponse({ status: 416, description: 'The range lies behind the end of the archive.', headers: CONTENT_RANGE })
  @ApiProblemPages()
  @ApiErrors('not_found', 'download_link_ended', 'media_not_available', 'object_changed', 'too_many_archives', 'precondition_failed')
  async download(@Param('link') link: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { clientAddress: address } = request.context;
    const find = async () => {
      const found = await this.offers.findOpen(link);
      return { found, kept: await this.archives.find(found) };
    };
    const { found, kept } = request.method === 'HEAD' ? await find() : await this.places.prepare(address, find);
    if (kept && answersWithoutBody(kept, request, response)) return;
    if (request.method === 'HEAD') return void answersWithoutBody(await this.archives.make(found), request, response);
    await this.places.use(found, address, async (place) => {
      const archive = kept ?? (await this.archives.make(found));
      if (!kept && answersWithoutBody(archive, request, response)) return;
      const part = parseRange(wantedRange(request, archive), archive.size) as Range | null;
      const range = part ?? { start: 0, end: archive.size - 1 };
      await this.streams.send(archive, { range, place, request, begin: () => setHeaders(response, archive, part) }, response);
    });
  }
}

/** Sends the response to HEAD, or to a request whose conditions or range refuse the archive (RFC 9110 section 13.2.2); false: the bytes are wanted. */
function answersWithoutBody(archive: Archive, request: Request, response: Response): boolean {
  const { headers, method } = request;
  const { etag } = archive.layout;
  if (headers['if-match'] !== undefined && !matchesTag(headers['if-match'], etag)) {
    throw generalErrors.precondition_failed(
      'The archive has changed since the version that If-Match names. Download it from the beginning.',
    );
  }
  if (headers['if-none-match'] !== undefined && matchesTag(headers['if-none-match'], etag, { weak: true })) {
    response.status(304).setHeader('etag', etag).setHeader('cache-control', 'no-store').end();
    return true;
  }
  if (parseRange(wantedRange(request, archive), archive.size) === 'unsatisfiable') {
    response.status(416).setHeader('content-range', `bytes */${archive.size}`).setHeader('content-length', '0').end();
    return true;
  }
  if (method !== 'HEAD') return false;
  setHeaders(response, archive, null);
  response.end();
  return true;
}

/** The Range header if it applies (RFC 9110 sections 13.1.5 and 14.2): to GET, to this version of the archive, and to one with all checksums. */
function wantedRange({ method, headers }: Request, { layout: { complete, etag } }: Archive): string | undefined {
  const condition = headers['if-range'];
  return method === 'GET' && complete && (condition === undefined || condition === etag) ? headers.range : undefined;
}

function setHeaders(response: Response, { layout: { complete, etag }, size, fileName }: Archive, part: Range | null): void {
  response.status(part ? 206 : 200);
  response.setHeader('content-type', 'application/zip');
  response.setHeader('content-disposition', contentDisposition('attachment', fileName));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('accept-ranges', complete ? 'bytes' : 'none');
  response.setHeader('etag', etag);
  response.setHeader('content-length', part ? part.end - part.start + 1 : size);
  if (part) response.setHeader('content-range', `bytes ${part.start}-${part.end}/${size}`);
}
