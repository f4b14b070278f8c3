import { Controller, Delete, Get, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../shared/auth/index.js';
import { ApiErrors, IfMatch, Input, type JsonObject, SentBody, type Tag, Tagged } from '../../shared/http/index.js';
import { Idempotent } from '../../shared/idempotency/index.js';
import { IdInBody, sendList } from '../../shared/resources/index.js';
import { withIgnored } from '../../shared/validation/index.js';
import {
  ChangedFormatResponse,
  DestroyedFormatResponse,
  FormatResponse,
  findIgnoredInput,
  MetadataPreviewResponse,
  toFormatResponse,
  toMetadataPreviewResponse,
} from './format.dto.js';
import { FormatDestructionService } from './format-destruction.service.js';
import {
  CreateFormatDto,
  DestroyFormatDto,
  FindFormatsDto,
  FormatChangesDto,
  FormatFieldsDto,
  GetFormatDto,
  MetadataPreviewDto,
  UpdateFormatDto,
} from './format-inputs.dto.js';
import { FormatsService, MAX_FOUND } from './formats.service.js';
import { MetadataPreviewService } from './metadata/metadata-preview.service.js';

@ApiTags('Formats')
@ApiBearerAuth('oauth2')
@Controller('v5/format')
export class FormatsController {
  constructor(
    private readonly formats: FormatsService,
    private readonly destruction: FormatDestructionService,
    private readonly preview: MetadataPreviewService,
  ) {}

  /** Find formats by id or media type, or all: the customer's own and the blueprints. */
  @Get()
  @ApiOkResponse({ type: FormatResponse, isArray: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { limit, cursor, ...query }: FindFormatsDto,
    @Res() response: Response,
  ): Promise<void> {
    await sendList(response, { id: query.id, limit, cursor, wholeUpTo: MAX_FOUND }, async (portion) => {
      const formats = await this.formats.list(caller, { ...query, ...portion });
      return formats.found.map((format) => toFormatResponse(format, formats));
    });
  }

  /** One format. */
  @Get(':id')
  @ApiErrors('not_found')
  async get(@CurrentCaller() caller: Caller, @Input() { id, refresh }: GetFormatDto, @Tagged() tag: Tag): Promise<FormatResponse> {
    const found = await this.formats.get(caller, id, { refresh });
    return tag.set(found.format, toFormatResponse(found.format, found));
  }

  /** Return the metadata that the format would write into a file of a media container. */
  @Get(':id/metadataPreview')
  @ApiErrors('not_found')
  async metadataPreview(@CurrentCaller() caller: Caller, @Input() input: MetadataPreviewDto): Promise<MetadataPreviewResponse> {
    return toMetadataPreviewResponse(await this.preview.show(caller, input));
  }

  /** Create a format based on a blueprint. Raw converter parameters require an adminLevel above 9. */
  @Post()
  @Idempotent()
  @ApiErrors('admin_level_not_sufficient', 'quota_exceeded')
  async create(
    @CurrentCaller() caller: Caller,
    @Input() input: CreateFormatDto,
    @SentBody() sent: JsonObject,
    @Tagged() tag: Tag,
  ): Promise<ChangedFormatResponse> {
    return await this.changed(caller, await this.formats.create(caller, input), { input, sent, tag });
  }

  /** Change a format: each key of settings and configuration replaces the stored value, null clears it. */
  @Put([':id', '/'])
  @IdInBody('Change a format whose id is in the body.')
  @ApiBody({ type: FormatChangesDto })
  @ApiErrors('admin_level_not_sufficient', 'blueprint_read_only', 'id_mismatch', 'not_found')
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: UpdateFormatDto,
    @SentBody() sent: JsonObject,
    @IfMatch() ifMatch: string | undefined,
    @Tagged() tag: Tag,
  ): Promise<ChangedFormatResponse> {
    return await this.changed(caller, await this.formats.update(caller, { ...input, ifMatch }), { input, sent, tag });
  }

  /** Destroy a format; requires adminLevel 9 or above. It remains with flag 1 while it has media items, unless `forceDelete` destroys them. */
  @Delete([':id', '/'])
  @IdInBody('Destroy a format whose id is in the body.')
  @ApiErrors('admin_level_not_sufficient', 'blueprint_read_only', 'id_mismatch', 'not_found')
  async destroy(
    @CurrentCaller() caller: Caller,
    @Input() { id, forceDelete }: DestroyFormatDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DestroyedFormatResponse> {
    return await this.destruction.destroy(caller, id, { force: forceDelete ?? false, ifMatch });
  }

  private async changed(
    caller: Caller,
    id: number,
    { input, sent, tag }: { readonly input: FormatFieldsDto; readonly sent: JsonObject; readonly tag: Tag },
  ): Promise<ChangedFormatResponse> {
    const found = await this.formats.get(caller, id);
    return tag.set(found.format, withIgnored(toFormatResponse(found.format, found), findIgnoredInput(sent, input, found)));
  }
}
