import { Controller, Get, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiPage, Input, setNextLink } from '../../shared/http/index.js';
import { FindMediaContainersDto, MediaContainerIdDto } from './find-media-containers.dto.js';
import { MediaContainerResponse, toMediaContainerResponse } from './media-container.dto.js';
import { MediaContainersService } from './media-containers.service.js';

/** Containers carry their files with them, so a page is smaller than those of plain lists could be. */
const DEFAULT_LIMIT = 100;

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class MediaContainersController {
  constructor(private readonly containers: MediaContainersService) {}

  /** Find media containers: those of the customer that are not in the trash, a page at a time. */
  @Get()
  @ApiPage()
  @ApiQuery({ name: 'id', required: false, type: 'integer', description: 'Only this one; unknown: an empty list.' })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, limit = DEFAULT_LIMIT, cursor = 0 }: FindMediaContainersDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MediaContainerResponse[]> {
    const found = (await this.containers.list(caller, { id, limit, after: cursor })).map(toMediaContainerResponse);
    setNextLink(response, { limit }, found);
    return found;
  }

  /** One media container with its files. */
  @Get(':id')
  @ApiParam({ name: 'id', type: 'integer', example: 7 })
  async get(@CurrentCaller() caller: Caller, @Input() { id }: MediaContainerIdDto): Promise<MediaContainerResponse> {
    return toMediaContainerResponse(await this.containers.get(caller, id));
  }
}
