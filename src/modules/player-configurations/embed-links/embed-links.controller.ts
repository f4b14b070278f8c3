import { Controller, Delete, Get, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import { MAX_ID, toEnd, toMoment } from '../../../shared/validation/index.js';
import {
  CreatedEmbedLinkResponse,
  CreateEmbedLinkDto,
  EmbedLinkIdDto,
  EmbedLinkResponse,
  FindEmbedLinksDto,
  ListEmbedLinksDto,
  NewEmbedLinkDto,
  toEmbedLinkResponse,
} from './embed-link.dto.js';
import type { EmbedLink } from './embed-link.entity.js';
import { EmbedLinkPages } from './embed-link-pages.port.js';
import { EmbedLinksService, type WantedEmbedLink } from './embed-links.service.js';

/** The position of the first page of a list that begins with the newest link. */
const FROM_NEWEST = MAX_ID;

@ApiTags('Embed links')
@ApiBearerAuth('oauth2')
@Controller('v5/embedlink')
export class EmbedLinksController {
  constructor(
    private readonly links: EmbedLinksService,
    private readonly pages: EmbedLinkPages,
  ) {}

  /** List the embed links of the customer, the newest first, a page at a time. Ended ones include those that were deleted in the last 90 days. */
  @Get()
  @ApiOkResponse({ type: EmbedLinkResponse, isArray: true })
  async listAll(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor = FROM_NEWEST, ...filter }: ListEmbedLinksDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { limit, cursor }, async ({ after: before, limit: rows }) => {
      return await this.presentAll(await this.links.listAll(caller, { ...filter, before, limit: rows }));
    });
  }

  /** List the embed links of a media container that are not deleted, a page at a time. */
  @Get(':id')
  @ApiOkResponse({ type: EmbedLinkResponse, isArray: true })
  async list(@CurrentCaller() caller: Caller, @Input() { id, limit, cursor }: FindEmbedLinksDto, @Res() response: Response): Promise<void> {
    await sendList(response, { limit, cursor }, async (portion) => {
      return await this.presentAll(await this.links.list(caller, { mediaContainerId: id, ...portion }));
    });
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
    return tag.set(link, { ...(await this.present(link)), created });
  }

  /** Delete an embed link: its address then answers 410. */
  @Delete([':id', '/'])
  @IdInBody('Delete an embed link whose id is in the body.')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: EmbedLinkIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<EmbedLinkResponse> {
    const deleted = await this.links.delete(caller, id, ifMatch);
    return tag.set(deleted, await this.present(deleted));
  }

  private async presentAll(links: readonly EmbedLink[]): Promise<EmbedLinkResponse[]> {
    const pages = await this.pages.present(links);
    return links.flatMap((link, index) => (pages[index] ? [toEmbedLinkResponse(link, pages[index])] : []));
  }

  private async present(link: EmbedLink): Promise<EmbedLinkResponse> {
    const [presented] = await this.presentAll([link]);
    if (!presented) throw new Error(`The embed link ${link.id} has no page.`);
    return presented;
  }
}

const toWanted = ({ id, playerConfigurationId, description, origin, start, end, flag }: CreateEmbedLinkDto): WantedEmbedLink => ({
  mediaContainerId: id,
  ...(typeof playerConfigurationId === 'number' && { playerConfigurationId }),
  description: description ?? '',
  origin: origin ?? null,
  start: toMoment(start) ?? null,
  end: toEnd(end) ?? null,
  flag: flag ?? 0,
});
