import { Controller, Get, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../shared/auth/index.js';
import { inPortions } from '../../../shared/database/index.js';
import { ApiErrors, Input } from '../../../shared/http/index.js';
import { collectPage, DEFAULT_LIMIT, linkToNext } from '../../../shared/resources/index.js';
import { toTime } from '../../../shared/validation/index.js';
import { ContainerPreviews } from '../container-previews.port.js';
import { MediaContainerResponse, toMediaContainerResponse } from '../media-container.dto.js';
import { SendersService } from '../senders.service.js';
import { encodeCursor, type FindPosition } from './find-cursor.js';
import { FindMediaContainersDto, MediaFacetsResponse, MediaFilterDto } from './media-find.dto.js';
import { MAX_COUNTED } from './media-finds.repository.js';
import { MediaFindsService, type WantedMedia } from './media-finds.service.js';

const TOTAL_COUNT = 'Total-Count';
const TOTAL = {
  [TOTAL_COUNT]: {
    description: `The number of media containers on all pages: exact up to ${MAX_COUNTED}, beyond that ${MAX_COUNTED}+.`,
    schema: { type: 'string' as const },
    example: '42',
  },
};

@ApiTags('Media')
@ApiBearerAuth('oauth2')
@Controller('v5/mediacontainer')
export class MediaFindsController {
  constructor(
    private readonly finds: MediaFindsService,
    private readonly previews: ContainerPreviews,
    private readonly senders: SendersService,
  ) {}

  /**
   * Find media containers of the customer that match all given filters, a page at a time. Without `state` those that are not in the
   * trash, without `sort` the newest first.
   */
  @Get()
  @ApiOkResponse({ type: MediaContainerResponse, isArray: true, headers: TOTAL })
  @ApiErrors('find_too_broad', 'insufficient_scope')
  async find(@CurrentCaller() caller: Caller, @Input() input: FindMediaContainersDto, @Res() response: Response): Promise<void> {
    const { sort = 'createdAt', order = 'desc', limit = DEFAULT_LIMIT, cursor } = input;
    const { positions, total } = await this.finds.find(
      caller,
      { ...wantedBy(input), sender: input.sender, problem: input.problem },
      { sort, order, limit, cursor },
    );
    const { texts, elements, isFull } = await collectPage(this.load(caller, positions), limit);
    const last = isFull ? positions.find(({ id }) => id === elements.at(-1)?.id) : positions[limit - 1];
    if (last && input.id === undefined) linkToNext(response, limit, encodeCursor({ sort, order }, last));
    response.setHeader(TOTAL_COUNT, total ?? `${MAX_COUNTED}+`);
    response.type('json').send(`[${texts.join(',')}]`);
  }

  /** The 50 most frequent types, tags and extensions of the media containers that match all filters, and how many have each. */
  @Get('facets')
  @ApiErrors('find_too_broad')
  async facets(@CurrentCaller() caller: Caller, @Input() input: MediaFilterDto): Promise<MediaFacetsResponse> {
    const counts = await this.finds.countFacets(caller, wantedBy(input));
    const of = (name: string) => counts.filter(({ facet }) => facet === name).map(({ value, count }) => ({ value, count }));
    return { type: of('type'), tag: of('tag'), extension: of('extension') };
  }

  /** Yields the containers at these positions, without those that have been removed in the meantime. */
  private async *load(caller: Caller, positions: readonly FindPosition[]): AsyncGenerator<MediaContainerResponse[]> {
    const findPreview = await this.previews.prepare(
      caller.customerId,
      positions.map(({ id }) => id),
    );
    const portions = inPortions({ after: 0, limit: positions.length }, async ({ after, limit }) => {
      const ids = positions.slice(after, after + limit).map(({ id }) => id);
      const found = await this.finds.load(caller, ids);
      const findSender = await this.senders.prepare(
        caller,
        found.flatMap((one) => one?.container ?? []),
      );
      return found.map((one, n) => ({ id: after + n + 1, container: one && toMediaContainerResponse(one, { findPreview, findSender }) }));
    });
    for await (const portion of portions) yield portion.flatMap(({ container }) => container ?? []);
  }
}

const wantedBy = ({ tag: tags, createdAfter, createdBefore, ...input }: MediaFilterDto): WantedMedia => ({
  id: input.id,
  search: input.search,
  type: input.type,
  tags,
  extension: input.extension,
  creatorId: input.creatorId,
  dropsite: input.dropsite,
  createdAfter: toTime(createdAfter),
  createdBefore: toTime(createdBefore),
  minSize: input.minSize,
  maxSize: input.maxSize,
  formatId: input.formatId,
  missingFormatId: input.missingFormatId,
  state: input.state,
});
