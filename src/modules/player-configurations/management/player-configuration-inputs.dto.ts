import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { CastBoolean, CastInteger, PageDto } from '../../../shared/http/index.js';
import { UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../../formats/index.js';
import { PlayerConfigurationFieldsDto } from './player-configuration-fields.dto.js';
import { isTemplateOfType, TEMPLATE_MESSAGE } from './template-of-type.js';

const MAX_INTEGER = 2_147_483_647; // what the columns hold
const MAX_NAME_CHARACTERS = 255;
const NAME = /^(?=.*\S)\P{Cc}*$/u;
const NAME_MESSAGE = { message: 'name must be one line of text that is not empty' };

/** A new player configuration. */
export class CreatePlayerConfigurationDto extends PlayerConfigurationFieldsDto {
  /** @example "Website" */
  @MaxLength(MAX_NAME_CHARACTERS)
  @Matches(NAME, NAME_MESSAGE)
  @IsString()
  name: string;

  /** video, image, audio or document; it never changes. @example "video" */
  @IsIn(MEDIA_TYPES)
  type: MediaType;

  /** 1: default player, 2: minimal; 0 (images and documents only): plain. @example 1 */
  @ValidateBy({
    name: 'isTemplateOfType',
    validator: {
      validate: (value, args) => isTemplateOfType(value, ((args?.object ?? {}) as { type?: unknown }).type),
      defaultMessage: () => TEMPLATE_MESSAGE,
    },
  })
  @Max(MAX_INTEGER)
  @Min(0)
  @IsInt()
  templateId: number;
}

/** Changes of a player configuration; what is absent stays, apart from formats that are left out of the list. */
export class PlayerConfigurationChangesDto extends PlayerConfigurationFieldsDto {
  /** @example "Website" */
  @UnlessAbsent()
  @MaxLength(MAX_NAME_CHARACTERS)
  @Matches(NAME, NAME_MESSAGE)
  @IsString()
  name?: string;

  /** As it is; another one is refused. @example "video" */
  @UnlessNull()
  @IsString()
  type?: string | null;

  /** 1: default player, 2: minimal; 0 (images and documents only): plain. @example 1 */
  @UnlessAbsent()
  @Max(MAX_INTEGER)
  @Min(0)
  @IsInt()
  templateId?: number;
}

/** Which player configuration; the id of one that exists for somebody else is as good as none. */
export class PlayerConfigurationIdDto {
  /** @example 3 */
  @CastInteger()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  id: number;
}

/** Changes of one player configuration. */
export class UpdatePlayerConfigurationDto extends IntersectionType(PlayerConfigurationIdDto, PlayerConfigurationChangesDto) {}

/** How one player configuration is answered. */
export class GetPlayerConfigurationDto extends PlayerConfigurationIdDto {
  /** Read it from the database. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  refresh?: boolean;

  /** Add the number of embed links. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  showCountEmbeds?: boolean;
}

/** Which player configurations; without `id` and `limit` all of them. */
export class FindPlayerConfigurationsDto extends PageDto {
  /** Only this one; unknown: an empty list. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;

  /** Read from the database. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  refresh?: boolean;

  /** Add the number of embed links. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  showCountEmbeds?: boolean;

  /** Add the formats. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  showFormats?: boolean;
}
