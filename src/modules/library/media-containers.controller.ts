import { Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { IdInBody } from '../../shared/resources/index.js';
import { toEnd, toMoment } from '../../shared/validation/index.js';
import { ContainerPreviews } from './container-previews.port.js';
import { MediaContainerResponse, ReleaseRequestResponse, toMediaContainerResponse } from './media-container.dto.js';
import {
  DeleteMediaContainerDto,
  MediaContainerChangesDto,
  MediaContainerIdDto,
  ReleaseRequestDto,
  ReleaseRequestFieldsDto,
  UpdateMediaContainerDto,
} from './media-container-input.dto.js';
import { type ContainerWithMedia, MediaContainersService } from './media-containers.service.js';
import { SendersService } from './senders.service.js';

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class MediaContainersController {
  constructor(
    private readonly containers: MediaContainersService,
    private readonly previews: ContainerPreviews,
    private readonly senders: SendersService,
  ) {}

  /** One media container with its files. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: MediaContainerIdDto, @Tagged() tag: Tag): Promise<MediaContainerResponse> {
    return await this.respond(caller, await this.containers.get(caller, id), tag);
  }

  /** Change a media container: absent members leave fields unchanged, null clears them. Flag 0 restores it from the trash. */
  @Put([':id', '/'])
  @IdInBody('Change a media container whose id is in the body.')
  @ApiBody({ type: MediaContainerChangesDto })
  @ApiErrors('id_mismatch', 'not_found')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateMediaContainerDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<MediaContainerResponse> {
    return await this.respond(caller, await this.containers.update(caller, { ...withDates(input), ifMatch }), tag);
  }

  /** Move a media container to the trash, or with `forceDelete` remove it permanently. Its links return 410 from then on. */
  @Delete([':id', '/'])
  @IdInBody('Move a media container whose id is in the body to the trash, or remove it permanently.')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id, forceDelete }: DeleteMediaContainerDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<MediaContainerResponse> {
    return await this.respond(caller, await this.containers.delete(caller, id, { force: forceDelete ?? false, ifMatch }), tag);
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

  private async respond(caller: Caller, found: ContainerWithMedia, tag: Tag): Promise<MediaContainerResponse> {
    const { id, customerId } = found.container;
    const findPreview = await this.previews.prepare(customerId, [id]);
    const findSender = await this.senders.prepare(caller, [found.container]);
    return tag.set(found.container, toMediaContainerResponse(found, { findPreview, findSender }));
  }
}

const withDates = ({ start, end, ...input }: UpdateMediaContainerDto) => ({ ...input, start: toMoment(start), end: toEnd(end) });
