import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { Config } from '../../../shared/config/index.js';
import { ApiErrors, IfMatch, Input, type JsonObject, SentBody, type Tag, Tagged } from '../../../shared/http/index.js';
import { Idempotent } from '../../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../../shared/resources/index.js';
import { findUnknownMembers, toEnd, toMoment, withIgnored } from '../../../shared/validation/index.js';
import {
  CreateDownloadLinkDto,
  CreatedDownloadLinkResponse,
  DeletedDownloadLinkResponse,
  DownloadLinkIdDto,
  DownloadLinkResponse,
  FindDownloadLinksDto,
  toDownloadLinkResponse,
} from './download-link.dto.js';
import { DownloadLinksService, findIgnoredTemplate, versioned } from './download-links.service.js';

/** Members of responses that clients may send back although they cannot be set. */
const READ_ONLY: readonly (keyof CreatedDownloadLinkResponse)[] = [
  ...(['id', 'link', 'url', 'creatorId', 'customerId', 'endedAt', 'endedBy'] as const),
  ...(['uses', 'lastUsedAt', 'createdAt', 'ignored'] as const),
];

@ApiTags('Download links')
@ApiBearerAuth('oauth2')
@Controller('v5/downloadlink')
export class DownloadLinksController {
  constructor(
    private readonly links: DownloadLinksService,
    private readonly config: Config,
  ) {}

  /** List the download links of the customer: a page of them, or the one with an id. */
  @Get()
  @ApiOkResponse({ type: DownloadLinkResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, state, limit, cursor }: FindDownloadLinksDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id, limit, cursor }, async (portion) => {
      const found = await this.links.list(caller, { id, state, ...portion });
      return found.map((link) => toDownloadLinkResponse(link, this.config));
    });
  }

  /** Get a download link. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id }: DownloadLinkIdDto, @Tagged() tag: Tag): Promise<DownloadLinkResponse> {
    const link = await this.links.get(caller, id);
    return tag.set(versioned(link), toDownloadLinkResponse(link, this.config));
  }

  /** Create a download link: a page where anyone who has its address can download the files. */
  @Post()
  @RefusesSupportAccess()
  @Idempotent()
  @ApiErrors('in_trash', 'quota_exceeded', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreateDownloadLinkDto,
    @SentBody() sent: JsonObject,
    @Tagged() tag: Tag,
  ): Promise<CreatedDownloadLinkResponse> {
    const { mediaContainerIds, formatIds, templateId, title, start, end } = input;
    const options = {
      templateId: templateId ?? undefined,
      title: title ?? undefined,
      start: toMoment(start) ?? null,
      end: toEnd(end) ?? null,
    };
    const created = await this.links.create(caller, { mediaContainerIds, formatIds, ...options });
    const ignored = [...findUnknownMembers(sent, input, READ_ONLY), ...findIgnoredTemplate(templateId, 'templateId')];
    return tag.set(versioned(created), withIgnored(toDownloadLinkResponse(created, this.config), ignored));
  }

  /** Delete a download link: from then on its address answers 410, and 404 after 90 days, in which lists of ended links show it. The files stay. */
  @Delete([':id', '/'])
  @IdInBody('Delete a download link whose id is in the body.')
  @ApiErrors('id_mismatch', 'not_found')
  async delete(
    @CurrentCaller() caller: Caller,
    @Input() { id }: DownloadLinkIdDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedDownloadLinkResponse> {
    await this.links.delete(caller, id, ifMatch);
    return { id };
  }
}
