import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type JsonObject, SentBody, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../shared/resources/index.js';
import { withIgnored } from '../../shared/validation/index.js';
import { ConfigurationReferencesService } from './configuration-references.service.js';
import { EmbedLinksService } from './embed-links/embed-links.service.js';
import {
  CreatedPlayerConfigurationResponse,
  DestroyedPlayerConfigurationResponse,
  findIgnoredInput,
  PlayerConfigurationResponse,
  toDestroyedResponse,
  toPlayerConfigurationResponse,
  UpdatedPlayerConfigurationResponse,
} from './player-configuration.dto.js';
import type { FreshConfiguration } from './player-configuration-cache.service.js';
import {
  CreatePlayerConfigurationDto,
  DestroyPlayerConfigurationDto,
  FindPlayerConfigurationsDto,
  GetPlayerConfigurationDto,
  PlayerConfigurationChangesDto,
  PlayerConfigurationIdDto,
  UpdatePlayerConfigurationDto,
} from './player-configuration-inputs.dto.js';
import { PlayerConfigurationRemovalService } from './player-configuration-removal.service.js';
import { PlayerConfigurationsService } from './player-configurations.service.js';

/** A list without a limit contains everything; a customer may have this many (quota `playerConfigurations`). */
const MAX_ITEMS = 10_000;

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
    @Input() { id, limit, cursor, refresh, showCountEmbeds = false, showFormats = false }: FindPlayerConfigurationsDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id, limit, cursor, wholeUpTo: MAX_ITEMS }, async (portion) => {
      const found = await this.configurations.list(caller, { id, ...portion, refresh });
      const counts = showCountEmbeds ? await this.links.countByPlayerConfiguration(found.map(({ value }) => value.id)) : null;
      return found.map((one) => toPlayerConfigurationResponse(one, { showFormats, countEmbeds: countOf(one, counts) }));
    });
  }

  /** Get a player configuration. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(
    @CurrentCaller() caller: Caller,
    @Input() { id, refresh, showCountEmbeds = false }: GetPlayerConfigurationDto,
    @Req() request: Request,
    @Tagged({ whole: true }) tag: Tag,
  ): Promise<PlayerConfigurationResponse> {
    const found = await this.configurations.get(caller, id, { refresh });
    const counts = showCountEmbeds ? await this.links.countByPlayerConfiguration([id]) : null;
    // The count changes without a new version, so a 304 could be wrong.
    if (showCountEmbeds) delete request.headers['if-none-match'];
    return tag.set(found.value, toPlayerConfigurationResponse(found, { countEmbeds: countOf(found, counts) }));
  }

  /** Create a player configuration. */
  @Post()
  @Idempotent()
  @ApiErrors('quota_exceeded', 'support_access_denied')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreatePlayerConfigurationDto,
    @SentBody() sent: JsonObject,
    @Tagged() tag: Tag,
  ): Promise<CreatedPlayerConfigurationResponse> {
    const created = await this.configurations.create(caller, input);
    const ignored = [
      ...findIgnoredInput(sent, input, created.value),
      ...(await this.references.findIgnoredFormats(caller.customerId, input.formats)),
    ];
    return tag.set(created.value, withIgnored(toPlayerConfigurationResponse(created), ignored));
  }

  /** Change a player configuration. Absent members are unchanged, and null clears a member; `formats` replaces the whole list. */
  @Put([':id', '/'])
  @IdInBody('Change a player configuration whose id is in the body.')
  @ApiBody({ type: PlayerConfigurationChangesDto })
  @ApiErrors('id_mismatch', 'not_found', 'support_access_denied')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdatePlayerConfigurationDto,
    @SentBody() sent: JsonObject,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<UpdatedPlayerConfigurationResponse> {
    const { removedFormats, ...updated } = await this.configurations.update(caller, { ...input, ifMatch });
    const ignored = [
      ...findIgnoredInput(sent, input, updated.value),
      ...(await this.references.findIgnoredFormats(caller.customerId, input.formats)),
    ];
    const answer = withIgnored(toPlayerConfigurationResponse(updated), ignored);
    return tag.set(updated.value, { ...answer, ...(removedFormats.length > 0 && { removedFormats: [...removedFormats] }) });
  }

  /** Make a player configuration the default one of its type, which embed links that name none are made with. */
  @Post(':id/default')
  @HttpCode(200)
  @RefusesSupportAccess()
  @ApiErrors('not_found', 'support_access_denied')
  async makeDefault(
    @CurrentCaller() caller: Caller,
    @Input() { id }: PlayerConfigurationIdDto,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<PlayerConfigurationResponse> {
    const found = await this.configurations.makeDefault(caller, { id, ifMatch });
    return tag.set(found.value, toPlayerConfigurationResponse(found));
  }

  /** Destroy a player configuration. `move` determines what happens to its embed links. The response is the destroyed configuration. */
  @Delete([':id', '/'])
  @IdInBody('Destroy a player configuration whose id is in the body.')
  @ApiErrors('id_mismatch', 'not_found', 'player_configuration_has_embed_links')
  async destroy(
    @CurrentCaller() caller: Caller,
    @Input() { id, move, autoGenerate = false }: DestroyPlayerConfigurationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DestroyedPlayerConfigurationResponse> {
    return toDestroyedResponse(await this.removal.destroy(caller, { id, move: move ?? null, autoGenerate, ifMatch }));
  }
}

const countOf = ({ value }: FreshConfiguration, counts: ReadonlyMap<number, number> | null): number | undefined =>
  counts ? (counts.get(value.id) ?? 0) : undefined;
