import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../../shared/auth/index.js';
import { ApiErrors, ApiProblemPages, parseRange, type Range, RateLimited } from '../../../../shared/http/index.js';
import { contentDisposition } from '../../../../shared/storage/index.js';
import type { DeliverableItem } from '../../../media/index.js';
import { DownloadOffersService } from '../download-offers.service.js';
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
  @ApiResponse({ status: 416, description: 'The range lies behind the end of the archive.', headers: CONTENT_RANGE })
  @ApiProblemPages()
  @ApiErrors('not_found', 'download_link_ended', 'media_not_available', 'object_changed', 'too_many_archives')
  async download(@Param('link') link: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const archive = await this.archives.layOut(link);
    const { size } = archive.layout;
    const part = parseRange(wantedRange(request, archive), size);
    if (part === 'unsatisfiable') {
      response.status(416).setHeader('content-range', `bytes */${size}`).setHeader('content-length', '0').end();
      return;
    }
    if (request.method === 'HEAD') {
      setHeaders(response, archive, null);
      response.end();
      return;
    }
    const { clientAddress: address } = request.context;
    const range = part ?? { start: 0, end: size - 1 };
    const begin = () => {
      setHeaders(response, archive, part);
      this.offers.countArchive(archive.link, sentFiles(archive, range), { isBegin: range.start === 0, request });
    };
    await this.streams.send(archive, { range, address, begin }, response);
  }
}

/** The Range header if it applies (RFC 9110 sections 13.1.5 and 14.2): to GET, to this version of the archive, and to one with all checksums. */
function wantedRange({ method, headers }: Request, { layout, etag }: Archive): string | undefined {
  const condition = headers['if-range'];
  return method === 'GET' && layout.isComplete && (condition === undefined || condition === etag) ? headers.range : undefined;
}

/** The files of an archive, and how many bytes of each a part of it contains. */
function sentFiles({ layout, files }: Archive, range: Range): ReadonlyMap<DeliverableItem, number> {
  const sent = new Map([...files.values()].map((item) => [item, 0]));
  for (const part of layout.parts(range)) {
    const item = 'file' in part && files.get(part.file.content);
    if (item) sent.set(item, part.end - part.start + 1);
  }
  return sent;
}

function setHeaders(response: Response, { layout, etag, fileName }: Archive, part: Range | null): void {
  const { size, isComplete } = layout;
  response.status(part ? 206 : 200);
  response.setHeader('content-type', 'application/zip');
  response.setHeader('content-disposition', contentDisposition('attachment', fileName));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('accept-ranges', isComplete ? 'bytes' : 'none');
  response.setHeader('etag', etag);
  response.setHeader('content-length', part ? part.end - part.start + 1 : size);
  if (part) response.setHeader('content-range', `bytes ${part.start}-${part.end}/${size}`);
}
