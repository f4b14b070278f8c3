import { Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../shared/auth/index.js';
import { Config } from '../../shared/config/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../shared/resources/index.js';
import { toEnd } from '../../shared/validation/index.js';
import {
  CreateDropsiteDto,
  DeletedDropsiteResponse,
  DropsiteChangesDto,
  type DropsiteFieldsDto,
  DropsiteIdDto,
  DropsiteResponse,
  FindDropsitesDto,
  toDropsiteResponse,
  UpdateDropsiteDto,
} from './dropsite.dto.js';
import type { Dropsite } from './dropsite.entity.js';
import { DropsitesService } from './dropsites.service.js';

@ApiTags('Dropsites')
@ApiBearerAuth('oauth2')
@Controller('v5/dropsite')
export class DropsitesController {
  constructor(
    private readonly dropsites: DropsitesService,
    private readonly config: Config,
  ) {}

  /** Find dropsites of the customer, a page at a time, or the one with an id. */
  @Get()
  @ApiOkResponse({ type: DropsiteResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, state, limit, cursor }: FindDropsitesDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id, limit, cursor }, async (portion) => {
      const found = await this.dropsites.list(caller, { id, state, ...portion });
      return found.map((dropsite) => toDropsiteResponse(dropsite, this.config));
    });
  }

  /** Get a dropsite. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: DropsiteIdDto, @Tagged() tag: Tag): Promise<DropsiteResponse> {
    return this.respond(await this.dropsites.get(caller, id), tag);
  }

  /** Create a dropsite with a permanent link. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('quota_exceeded', 'support_access_denied')
  async create(@CurrentCaller() caller: Caller, @Input() input: CreateDropsiteDto, @Tagged() tag: Tag): Promise<DropsiteResponse> {
    return this.respond(await this.dropsites.create(caller, withDate(input)), tag);
  }

  /** Change a dropsite: absent members stay unchanged, null clears a member. The link stays. */
  @Put([':id', '/'])
  @IdInBody('Change a dropsite whose id is in the body.')
  @RefusesSupportAccess()
  @ApiBody({ type: DropsiteChangesDto })
  @ApiErrors('id_mismatch', 'not_found', 'support_access_denied')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateDropsiteDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<DropsiteResponse> {
    return this.respond(await this.dropsites.update(caller, { ...withDate(input), ifMatch }), tag);
  }

  /** Delete a dropsite: its link answers 410, and 404 after 90 days, in which lists of ended ones show it; uploaded media stay, and started uploads can be finished. */
  @Delete([':id', '/'])
  @IdInBody('Delete a dropsite whose id is in the body.')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: DropsiteIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedDropsiteResponse> {
    await this.dropsites.delete(caller, { id, ifMatch });
    return { id };
  }

  private respond(dropsite: Dropsite, tag: Tag): DropsiteResponse {
    return tag.set(dropsite, toDropsiteResponse(dropsite, this.config));
  }
}

const withDate = <T extends DropsiteFieldsDto>({ expiresAt, ...input }: T) => ({
  ...input,
  expiresAt: toEnd(expiresAt),
});
