import { Controller, Delete, Get, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { inPortions } from '../../../shared/database/index.js';
import { ApiErrors, IfMatch, Input, sendList, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { fromUnixSeconds } from '../../../shared/validation/index.js';
import {
  CreatedEmbedLinkResponse,
  CreateEmbedLinkDto,
  EmbedLinkIdDto,
  EmbedLinkResponse,
  FindEmbedLinksDto,
  NewEmbedLinkDto,
  toEmbedLinkResponse,
} from './embed-link.dto.js';
import { EmbedLinksService, type WantedEmbedLink } from './embed-links.service.js';

const DEFAULT_LIMIT = 100;

@ApiTags('Embed links')
@ApiBearerAuth('oauth2')
@Controller('v5/embedlink')
export class EmbedLinksController {
  constructor(private readonly links: EmbedLinksService) {}

  /** List the embed links of a media container that are not deleted, a page at a time. */
  @Get(':id')
  @ApiOkResponse({ type: EmbedLinkResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, limit = DEFAULT_LIMIT, cursor = 0 }: FindEmbedLinksDto,
    @Res() response: Response,
  ): Promise<void> {
    const portions = inPortions({ after: cursor, limit }, async (portion) => {
      const found = await this.links.list(caller, { mediaContainerId: id, ...portion });
      return found.map(toEmbedLinkResponse);
    });
    await sendList(response, { limit }, portions);
  }

  /** Create an embed link of a media container. If the container already has one with this configuration, that link is returned. */
  @Post(':id')
  @RefusesSupportAccess()
  @Idempotent()
  @ApiBody({ type: NewEmbedLinkDto })
  @ApiCreatedResponse({ type: CreatedEmbedLinkResponse, description: 'The link was created.' })
  @ApiOkResponse({ type: CreatedEmbedLinkResponse, description: 'The link existed before.' })
  @ApiErrors('id_mismatch', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreateEmbedLinkDto,
    @Res({ passthrough: true }) response: Response,
    @Tagged() tag: Tag,
  ): Promise<CreatedEmbedLinkResponse> {
    const { link, created } = await this.links.create(caller, toWanted(input));
    response.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return tag.set(link, { ...toEmbedLinkResponse(link), created });
  }

  /** Delete an embed link: its address then answers 410. */
  @Delete(':id')
  @ApiErrors('id_mismatch')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: EmbedLinkIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<EmbedLinkResponse> {
    const deleted = await this.links.delete(caller, id, ifMatch);
    return tag.set(deleted, toEmbedLinkResponse(deleted));
  }

  /** Delete an embed link whose id is in the body. */
  @Delete()
  @ApiErrors('not_found')
  async deleteByBody(
    @CurrentCaller() caller: Caller,
    @Input() input: EmbedLinkIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<EmbedLinkResponse> {
    return await this.delete(caller, input, ifMatch, tag);
  }
}

const toWanted = ({ id, playerConfigurationId, description, origin, start, end, flag }: CreateEmbedLinkDto): WantedEmbedLink => ({
  mediaContainerId: id,
  playerConfigurationId,
  description: description ?? '',
  origin: origin ?? null,
  start: fromUnixSeconds(start),
  end: fromUnixSeconds(end),
  flag: flag ?? 0,
});
