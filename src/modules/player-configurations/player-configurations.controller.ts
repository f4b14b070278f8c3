import { Controller, Delete, Get, Headers, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { inPortions } from '../../shared/database/index.js';
import { ApiErrors, Input, type JsonObject, SentBody, sendList } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { withIgnored } from '../../shared/validation/index.js';
import { entityTagOf } from './apply-changes.js';
import { ConfigurationReferencesService } from './configuration-references.service.js';
import { EmbedLinksService } from './embed-links/embed-links.service.js';
import {
  CreatedPlayerConfigurationResponse,
  findIgnoredInput,
  PlayerConfigurationResponse,
  toPlayerConfigurationResponse,
  UpdatedPlayerConfigurationResponse,
} from './player-configuration.dto.js';
import {
  CreatePlayerConfigurationDto,
  DestroyPlayerConfigurationDto,
  FindPlayerConfigurationsDto,
  GetPlayerConfigurationDto,
  PlayerConfigurationChangesDto,
  UpdatePlayerConfigurationDto,
} from './player-configuration-inputs.dto.js';
import { PlayerConfigurationRemovalService } from './player-configuration-removal.service.js';
import { type FreshConfiguration, PlayerConfigurationsService } from './player-configurations.service.js';

/** A list without a limit contains everything; a customer may have this many (quota `playerConfigurations`). */
const MAX_ITEMS = 10_000;
const IF_MATCH = {
  name: 'If-Match',
  required: false,
  description: 'ETags of the versions that may be changed; any other version returns 412.',
};
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'ETag of the version that the client has; if it is current, the response is 304.',
};
const headers = { ETag: { description: 'The version (RFC 9110).', schema: { type: 'string' as const }, example: '"3-7"' } };

@ApiTags('Player configurations')
@ApiBearerAuth('oauth2')
@Controller('v5/playerconfiguration')
export class PlayerConfigurationsController {
  constructor(
    private readonly configurations: PlayerConfigurationsService,
    private readonly removal: PlayerConfigurationRemovalService,
    private readonly links: EmbedLinksService,
    private readonly references: ConfigurationReferencesService,
  ) {}

  /** List the player configurations of the customer: all, a page, or the one with an id. */
  @Get()
  @ApiOkResponse({ type: PlayerConfigurationResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, limit, cursor = 0, refresh, showCountEmbeds = false, showFormats = false }: FindPlayerConfigurationsDto,
    @Res() response: Response,
  ): Promise<void> {
    const portions = inPortions({ after: cursor, limit: limit ?? MAX_ITEMS }, async (portion) => {
      const found = await this.configurations.list(caller, { id, ...portion, refresh });
      const counts = showCountEmbeds ? await this.links.countByPlayerConfiguration(found.map(({ value }) => value.id)) : null;
      return found.map((one) => toPlayerConfigurationResponse(one, { showFormats, countEmbeds: countOf(one, counts) }));
    });
    await sendList(response, { id, limit }, portions);
  }

  /** Get a player configuration. */
  @Get(':id')
  @ApiHeader(IF_NONE_MATCH)
  @ApiOkResponse({ type: PlayerConfigurationResponse, headers })
  @ApiResponse({ status: 304, description: 'The version of If-None-Match is current.', headers })
  @ApiErrors('not_found')
  async get(
    @CurrentCaller() caller: Caller,
    @Input() { id, refresh, showCountEmbeds = false }: GetPlayerConfigurationDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PlayerConfigurationResponse> {
    const found = await this.configurations.get(caller, id, { refresh });
    const counts = showCountEmbeds ? await this.links.countByPlayerConfiguration([id]) : null;
    // The count changes without a new version, so a 304 could be wrong.
    if (showCountEmbeds) delete request.headers['if-none-match'];
    return tagged(response, found, toPlayerConfigurationResponse(found, { countEmbeds: countOf(found, counts) }));
  }

  /** Create a player configuration. */
  @Post()
  @Idempotent()
  @ApiCreatedResponse({ type: CreatedPlayerConfigurationResponse, headers })
  @ApiErrors('quota_exceeded', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreatePlayerConfigurationDto,
    @SentBody() sent: JsonObject,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedPlayerConfigurationResponse> {
    const created = await this.configurations.create(caller, input);
    const ignored = [
      ...findIgnoredInput(sent, input, created.value.type),
      ...(await this.references.findIgnoredFormats(caller.customerId, input.formats)),
    ];
    return tagged(response, created, withIgnored(toPlayerConfigurationResponse(created), ignored));
  }

  /** Change a player configuration. Absent members are unchanged, and null clears a member; `formats` replaces the whole list. */
  @Put(':id')
  @ApiHeader(IF_MATCH)
  @ApiBody({ type: PlayerConfigurationChangesDto })
  @ApiOkResponse({ type: UpdatedPlayerConfigurationResponse, headers })
  @ApiErrors('id_mismatch', 'not_found', 'precondition_failed', 'support_access_denied')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdatePlayerConfigurationDto,
    @SentBody() sent: JsonObject,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UpdatedPlayerConfigurationResponse> {
    const { removedFormats, ...updated } = await this.configurations.update(caller, { ...input, ifMatch });
    const ignored = [
      ...findIgnoredInput(sent, input, updated.value.type),
      ...(await this.references.findIgnoredFormats(caller.customerId, input.formats)),
    ];
    const answer = withIgnored(toPlayerConfigurationResponse(updated), ignored);
    return tagged(response, updated, { ...answer, ...(removedFormats.length > 0 && { removedFormats: [...removedFormats] }) });
  }

  /** Change a player configuration whose id is in the body. */
  @Put()
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: UpdatedPlayerConfigurationResponse, headers })
  @ApiErrors('not_found', 'precondition_failed', 'support_access_denied')
  async updateByBody(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdatePlayerConfigurationDto,
    @SentBody() sent: JsonObject,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UpdatedPlayerConfigurationResponse> {
    return await this.update(caller, input, sent, ifMatch, response);
  }

  /** Destroy a player configuration. `move` determines what happens to its embed links. The response is the destroyed configuration. */
  @Delete(':id')
  @ApiHeader(IF_MATCH)
  @ApiErrors('id_mismatch', 'not_found', 'player_configuration_has_embed_links', 'precondition_failed')
  async destroy(
    @CurrentCaller() caller: Caller,
    @Input() { id, move, autoGenerate = false }: DestroyPlayerConfigurationDto,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<PlayerConfigurationResponse> {
    return toPlayerConfigurationResponse(await this.removal.destroy(caller, { id, move: move ?? null, autoGenerate, ifMatch }));
  }

  /** Destroy a player configuration whose id is in the body. */
  @Delete()
  @ApiHeader(IF_MATCH)
  @ApiErrors('not_found', 'player_configuration_has_embed_links', 'precondition_failed')
  async destroyByBody(
    @CurrentCaller() caller: Caller,
    @Input() input: DestroyPlayerConfigurationDto,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<PlayerConfigurationResponse> {
    return await this.destroy(caller, input, ifMatch);
  }
}

const countOf = ({ value }: FreshConfiguration, counts: ReadonlyMap<number, number> | null): number | undefined =>
  counts ? (counts.get(value.id) ?? 0) : undefined;

function tagged<Answer>(response: Response, { value }: FreshConfiguration, answer: Answer): Answer {
  response.setHeader('etag', entityTagOf(value));
  return answer;
}
