import { Controller, Delete, Get, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { inPortions } from '../../shared/database/index.js';
import { ApiErrors, Input, sendList } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { toMoment } from '../../shared/validation/index.js';
import { MediaContainerResponse, ReleaseRequestResponse, toMediaContainerResponse } from './media-container.dto.js';
import {
  DeleteMediaContainerDto,
  FindMediaContainersDto,
  MediaContainerChangesDto,
  MediaContainerIdDto,
  ReleaseRequestDto,
  ReleaseRequestFieldsDto,
  UpdateMediaContainerDto,
} from './media-container-input.dto.js';
import { MediaContainersService } from './media-containers.service.js';

/** Each container includes its files, so a page is smaller than those of other lists. */
const DEFAULT_LIMIT = 100;

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class MediaContainersController {
  constructor(private readonly containers: MediaContainersService) {}

  /** Find media containers of the customer, a page at a time; without `state` those that are not in the trash. */
  @Get()
  @ApiOkResponse({ type: MediaContainerResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, state = 'active', limit = DEFAULT_LIMIT, cursor = 0 }: FindMediaContainersDto,
    @Res() response: Response,
  ): Promise<void> {
    const portions = inPortions({ after: cursor, limit }, async (portion) => {
      const found = await this.containers.list(caller, { id, state, ...portion });
      return found.map(toMediaContainerResponse);
    });
    await sendList(response, { id, limit }, portions);
  }

  /** One media container with its files. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: MediaContainerIdDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.get(caller, id));
  }

  /** Change a media container: absent members stay unchanged, null clears a member. Flag 0 restores it from the trash. */
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

  /** Move a media container to the trash, or with `forceDelete` remove it for good. Its links return 410 from then on. */
  @Delete(':id')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(@CurrentCaller() caller: Caller, @Input() { id, forceDelete }: DeleteMediaContainerDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.delete(caller, id, { force: forceDelete ?? false }));
  }

  /** Move a media container whose id is in the body to the trash, or remove it for good. */
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

const withDates = ({ start, end, ...input }: UpdateMediaContainerDto) => ({ ...input, start: toMoment(start), end: toMoment(end) });
