import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresCredentials, Public } from '../../../shared/auth/index.js';
import { ApiErrors, Input, RateLimited } from '../../../shared/http/index.js';
import { ApiGate, ApiRedirectToFile, DeliveredLinkDto, DeliveredMediaDto } from '../delivery.dto.js';
import { FILE_CODES, LINK_CODES } from '../delivery.errors.js';
import { FileStreamService, redirectToStorage } from '../files/file-stream.service.js';
import { FilesService, mediaNotAvailable } from '../files/files.service.js';
import { PlaylistsService } from './playlists.service.js';

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';
const PLAYLIST = { content: { [PLAYLIST_TYPE]: { schema: { type: 'string' as const } } } };
const FILM = { 'video/mp4': { schema: { type: 'string' as const, format: 'binary' } } };

/** HTTP Live Streaming (RFC 8216). Pages of every origin may call it, without credentials. */
@ApiTags('Delivery')
@Public()
@IgnoresCredentials()
@RateLimited('delivery')
@Controller('v5/deliverEmbed')
export class StreamingController {
  constructor(
    private readonly playlists: PlaylistsService,
    private readonly files: FilesService,
    private readonly streams: FileStreamService,
  ) {}

  /** Get the playlist of a film for players with adaptive streaming: its streaming renditions, subtitles and captions. */
  @Get(':link/master.m3u8')
  @ApiGate()
  @ApiOkResponse({ description: 'The multivariant playlist.', ...PLAYLIST })
  @ApiErrors(...LINK_CODES, 'not_streamable')
  async master(@Input() { link }: DeliveredLinkDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    sendPlaylist(response, await this.playlists.master(link, request));
  }

  /** Get the playlist of one streaming rendition or text track. */
  @Get(':link/media/:mediaId.m3u8')
  @ApiGate()
  @ApiOkResponse({ description: 'The media playlist.', ...PLAYLIST })
  @ApiErrors(...FILE_CODES, 'media_not_available')
  async media(@Input() { link, mediaId }: DeliveredMediaDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    sendPlaylist(response, await this.playlists.mediaOf(link, mediaId, request));
  }

  /** Deliver segments of a streaming rendition, which are ranges of one file: a redirect, or the range itself if a bandwidth limit applies. */
  @Get(':link/media/:mediaId.mp4')
  @RateLimited('segments')
  @ApiGate()
  @ApiHeader({ name: 'Range', required: false, description: 'The range that the playlist names; players send it to the redirect, too.' })
  @ApiHeader({ name: 'CMCD-Session', required: false, description: 'The session of the player (CTA-5004) with `sid`, for statistics.' })
  @ApiRedirectToFile()
  @ApiResponse({ status: 200, description: 'The file.', content: FILM })
  @ApiResponse({ status: 206, description: 'The requested range of the file.', content: FILM })
  @ApiResponse({ status: 416, description: 'The range lies behind the end of the file.' })
  @ApiErrors(...FILE_CODES, 'media_not_available', 'object_changed', 'parallel_limit_reached')
  async segment(@Input() { link, mediaId }: DeliveredMediaDto, @Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    const file = await this.files.openSegment(link, mediaId, request);
    if ('url' in file) redirectToStorage(request, response, file.url);
    else if (!(await this.streams.send(file.stream, request, response))) throw mediaNotAvailable();
  }
}

/** Sends the playlist as bytes, because this media type has no charset parameter; its text is always UTF-8. */
function sendPlaylist(response: Response, playlist: string): void {
  response.setHeader('cache-control', 'private, no-store');
  response.setHeader('content-type', PLAYLIST_TYPE);
  response.send(Buffer.from(playlist));
}
