import { Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import type { MediaItem } from '../../media/index.js';
import { ItemUrlsService } from '../item-urls.service.js';
import { MediaItemResponse, toMediaItemResponse } from '../media-container.dto.js';
import { ItemUrlDto, ItemUrlResponse, TrackChangesDto, TrackIdDto, UpdateTrackDto } from './tracks.dto.js';
import { TracksService } from './tracks.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer/:id/media')
export class TracksController {
  constructor(
    private readonly tracks: TracksService,
    private readonly urls: ItemUrlsService,
  ) {}

  /** Get a file of a media container: the original, a rendition or a track. */
  @Get(':mediaId')
  async get(@CurrentCaller() caller: Caller, @Input() address: TrackIdDto, @Tagged() tag: Tag): Promise<MediaItemResponse> {
    return respond(await this.tracks.get(caller, address), tag);
  }

  /** Get a URL that reads a file of a media container for an hour: the original, a rendition or a track. Support staff get no originals. */
  @Get(':mediaId/url')
  @ApiErrors('not_found', 'not_ready', 'object_changed', 'support_access_denied')
  async getUrl(@CurrentCaller() caller: Caller, @Input() input: ItemUrlDto): Promise<ItemUrlResponse> {
    return await this.urls.issue(caller, input);
  }

  /** Change the language, label or default of a track. */
  @Put(':mediaId')
  @ApiBody({ type: TrackChangesDto })
  @ApiErrors('id_mismatch', 'not_found', 'not_a_track', 'track_exists')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() { id, mediaId, ...changes }: UpdateTrackDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<MediaItemResponse> {
    return respond(await this.tracks.update(caller, { id, mediaId, ifMatch }, changes), tag);
  }

  /** Remove a track: it is no longer delivered, and its file is deleted. */
  @Delete(':mediaId')
  @ApiErrors('id_mismatch', 'not_found', 'not_a_track')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() address: TrackIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<MediaItemResponse> {
    return toMediaItemResponse(await this.tracks.delete(caller, { ...address, ifMatch }));
  }
}

const respond = (item: MediaItem, tag: Tag): MediaItemResponse =>
  tag.set({ id: item.id, version: item.revision }, toMediaItemResponse(item));
