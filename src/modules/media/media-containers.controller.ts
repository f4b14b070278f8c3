import { Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, Input } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { toEnd, toMoment } from '../../shared/validation/index.js';
import { MediaContainerResponse, ReleaseRequestResponse, toMediaContainerResponse } from './media-container.dto.js';
import {
  DeleteMediaContainerDto,
  MediaContainerChangesDto,
  MediaContainerIdDto,
  ReleaseRequestDto,
  ReleaseRequestFieldsDto,
  UpdateMediaContainerDto,
} from './media-container-input.dto.js';
import { MediaContainersService } from './media-containers.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class MediaContainersController {
  constructor(private readonly containers: MediaContainersService) {}

  /** One media container with its files. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: MediaContainerIdDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.get(caller, id));
  }

  /** Change a media container: absent members leave fields unchanged, null clears them. Flag 0 restores it from the trash. */
  @Put(':id')
  @ApiBody({ type: MediaContainerChangesDto })
  @ApiErrors('id_mismatch', 'not_found')
  async update(@CurrentCaller() caller: Caller, @Input() input: UpdateMediaContainerDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.update(caller, withDates(input)));
  }

  /** Change a media container whose id is in the body. */
  @Put()
  @ApiErrors('not_found')
  async updateByBody(@CurrentCaller() caller: Caller, @Input() input: UpdateMediaContainerDto): Promise<MediaContainerResponse> {
    return await this.update(caller, input);
  }

  /** Move a media container to the trash, or with `forceDelete` remove it permanently. Its links return 410 from then on. */
  @Delete(':id')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(@CurrentCaller() caller: Caller, @Input() { id, forceDelete }: DeleteMediaContainerDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.delete(caller, id, { force: forceDelete ?? false }));
  }

  /** Move a media container whose id is in the body to the trash, or remove it permanently. */
  @Delete()
  @ApiErrors('not_found')
  async deleteByBody(@CurrentCaller() caller: Caller, @Input() input: DeleteMediaContainerDto): Promise<MediaContainerResponse> {
    return await this.delete(caller, input);
  }

  /** Request the release of a media container: publishes `event:releaseRequest`. */
  @Post(':id/releaseRequest')
  @Idempotent()
  @HttpCode(200)
  @ApiBody({ type: ReleaseRequestFieldsDto })
  @ApiErrors('id_mismatch', 'media_container_in_trash', 'not_found')
  async requestRelease(@CurrentCaller() caller: Caller, @Input() { id, message }: ReleaseRequestDto): Promise<ReleaseRequestResponse> {
    return await this.containers.requestRelease(caller, id, message ?? null);
  }
}

const withDates = ({ start, end, ...input }: UpdateMediaContainerDto) => ({ ...input, start: toMoment(start), end: toEnd(end) });
