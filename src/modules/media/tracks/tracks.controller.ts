import { Controller, Delete, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { MediaItemResponse, toMediaItemResponse } from '../media-container.dto.js';
import { TrackChangesDto, TrackIdDto, UpdateTrackDto } from './tracks.dto.js';
import { TracksService } from './tracks.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer/:id/media')
export class TracksController {
  constructor(private readonly tracks: TracksService) {}

  /** Change the language, label or default of a track. */
  @Put(':mediaId')
  @ApiBody({ type: TrackChangesDto })
  @ApiErrors('id_mismatch', 'not_found', 'not_a_track', 'track_exists')
  async update(@CurrentCaller() caller: Caller, @Input() { id, mediaId, ...changes }: UpdateTrackDto): Promise<MediaItemResponse> {
    return toMediaItemResponse(await this.tracks.update(caller, { id, mediaId }, changes));
  }

  /** Remove a track: it is no longer delivered, and its file is deleted. */
  @Delete(':mediaId')
  @ApiErrors('id_mismatch', 'not_found', 'not_a_track')
  async delete(@CurrentCaller() caller: Caller, @Input() address: TrackIdDto): Promise<MediaItemResponse> {
    return toMediaItemResponse(await this.tracks.delete(caller, address));
  }
}
