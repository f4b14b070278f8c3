import { Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { ApiErrors, ApiPage, Input, PageDto, setNextLink } from '../../../shared/http/index.js';
import { DeletedDropsiteResponse, DropsiteResponse, toDropsiteResponse } from './dropsite.dto.js';
import { type DropsiteFieldsDto } from './dropsite-fields.dto.js';
import { CreateDropsiteDto, DropsiteChangesDto, DropsiteIdDto, UpdateDropsiteDto } from './dropsite-inputs.dto.js';
import { DropsitesService } from './dropsites.service.js';

const DEFAULT_LIMIT = 100;
const ID = { name: 'id', type: 'integer', example: 3 };

@ApiTags('Dropsites')
@ApiBearerAuth('oauth2')
@Controller('v5/dropsite')
export class DropsitesController {
  constructor(private readonly dropsites: DropsitesService) {}

  /** Find dropsites: those of the customer, a page at a time. */
  @Get()
  @ApiPage()
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit = DEFAULT_LIMIT, cursor = 0 }: PageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DropsiteResponse[]> {
    const found = (await this.dropsites.list(caller, { limit, after: cursor })).map(toDropsiteResponse);
    setNextLink(response, { limit }, found);
    return found;
  }

  /** One dropsite. */
  @Get(':id')
  @ApiParam(ID)
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: DropsiteIdDto): Promise<DropsiteResponse> {
    return toDropsiteResponse(await this.dropsites.get(caller, id));
  }

  /** Create a dropsite; it gets a permanent link. */
  @Post()
  @ApiBody({ type: CreateDropsiteDto })
  async create(@CurrentCaller() caller: Caller, @Input() input: CreateDropsiteDto): Promise<DropsiteResponse> {
    return toDropsiteResponse(await this.dropsites.create(caller, withDate(input)));
  }

  /** Change a dropsite: what is absent stays, null clears. Its link stays. */
  @Put(':id')
  @ApiParam(ID)
  @ApiBody({ type: DropsiteChangesDto })
  @ApiErrors('id_mismatch', 'not_found')
  async update(@CurrentCaller() caller: Caller, @Input() input: UpdateDropsiteDto): Promise<DropsiteResponse> {
    return toDropsiteResponse(await this.dropsites.update(caller, withDate(input)));
  }

  /** Delete a dropsite: its link leads nowhere any more; what it received stays. */
  @Delete(':id')
  @ApiParam(ID)
  @ApiErrors('not_found')
  async delete(@CurrentCaller() caller: Caller, @Input() { id }: DropsiteIdDto): Promise<DeletedDropsiteResponse> {
    await this.dropsites.delete(caller, id);
    return { id };
  }
}

const withDate = <T extends DropsiteFieldsDto>({ expiresAt, ...input }: T) => ({
  ...input,
  expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
});
