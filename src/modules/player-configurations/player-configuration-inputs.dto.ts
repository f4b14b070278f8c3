import { IntersectionType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  NotEquals,
  ValidateBy,
} from 'class-validator';
import { CastInteger, OptionalFlag } from '../../shared/http/index.js';
import { IdOf, PageDto } from '../../shared/resources/index.js';
import {
  BoundedDocument,
  IsDisplayName,
  IsId,
  MAX_DISPLAY_NAME_CHARACTERS,
  MAX_INTEGER,
  NestedList,
  NestedObject,
  UnlessAbsent,
  UnlessNull,
} from '../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import { PlayerSettingsDto } from './settings/player-settings.dto.js';
import { SecuritySettingsDto } from './settings/security-settings.dto.js';

/** A format that is delivered. */
export class PlayerFormatDto {
  /** A format that the customer sees, that is not deleted, and that is made for the type. @example 5 */
  @IsId()
  formatId: number;

  /** Whether viewers may download it; default: false. @example false */
  @UnlessNull()
  @IsBoolean()
  downloadable?: boolean | null;
}

export const TEMPLATE_MESSAGE = 'templateId must be 1 or more for video and audio';

/** Whether a template suits a type: video and audio need one with a player; images and documents may be shown plain (0). */
export const isTemplateOfType = (templateId: unknown, type: unknown): boolean => templateId !== 0 || (type !== 'video' && type !== 'audio');

/** The older spelling of `type`. */
export class DeprecatedConfigurationDto {
  /** video, image, audio or document; default: the `type`. @example ["video"] */
  @UnlessNull()
  @ArrayMaxSize(MEDIA_TYPES.length)
  @IsIn(MEDIA_TYPES, { each: true })
  @IsArray()
  mediaTypes?: MediaType[] | null;
}

/** The members of a player configuration that creation and update share. In an update, an absent member is unchanged, and null clears it. */
export class PlayerConfigurationFieldsDto {
  /** The formats that are delivered, in this order. An update replaces the whole list. */
  @NestedList(() => PlayerFormatDto)
  @IsDefined()
  formats: PlayerFormatDto[];

  /** Pixels. With a width or a height the player has a fixed size; without both it is responsive. @example 1280 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  width?: number | null;

  /** Pixels. @example 720 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  height?: number | null;

  /**
   * Use `type`.
   * @deprecated
   */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => DeprecatedConfigurationDto)
  configuration?: DeprecatedConfigurationDto | null;

  /** Who may see the links. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => SecuritySettingsDto)
  securitySettings?: SecuritySettingsDto | null;

  /** The appearance of the links. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => PlayerSettingsDto)
  settings?: PlayerSettingsDto | null;

  /** Whether every new media container of the type gets an embed link; default: false. @example false */
  @UnlessNull()
  @IsBoolean()
  autoGenerate?: boolean | null;

  /**
   * Whether it delivers, after `formats`, all renditions of its type that are for viewers, and photos in other sizes without their metadata; default:
   * false. Originals are delivered only where `formats` names them or `settings.download` is true. @example false
   */
  @UnlessNull()
  @IsBoolean()
  automaticFormats?: boolean | null;
}

/** A new player configuration. */
export class CreatePlayerConfigurationDto extends PlayerConfigurationFieldsDto {
  /** @example "Website" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name: string;

  /** video, image, audio or document; it cannot be changed later. @example "video" */
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

/** Changes of a player configuration. Absent members are unchanged; formats that are missing from the list are removed. */
export class PlayerConfigurationChangesDto extends PlayerConfigurationFieldsDto {
  /** @example "Website" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name?: string;

  /** The current type; any other is refused. @example "video" */
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

/** The id of a player configuration. The id of another customer's configuration counts as unknown. */
export class PlayerConfigurationIdDto extends IdOf({ example: 1 }) {}

/** Changes of one player configuration. */
export class UpdatePlayerConfigurationDto extends IntersectionType(PlayerConfigurationIdDto, PlayerConfigurationChangesDto) {}

/** A player configuration, and options of the response. */
export class GetPlayerConfigurationDto extends PlayerConfigurationIdDto {
  /** Read it from the database instead of the cache. @example false */
  @OptionalFlag()
  refresh?: boolean;

  /** Add the number of embed links. @example false */
  @OptionalFlag()
  showCountEmbeds?: boolean;
}

/** Which player configurations to list; without `id` and `limit` all of them. */
export class FindPlayerConfigurationsDto extends PageDto {
  /** Only the configuration with this id; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;

  /** Read it from the database instead of the cache; only with `id`. @example false */
  @OptionalFlag()
  refresh?: boolean;

  /** Add the number of embed links. @example false */
  @OptionalFlag()
  showCountEmbeds?: boolean;

  /** Add the formats. @example false */
  @OptionalFlag()
  showFormats?: boolean;
}

/** A player configuration to destroy, and what happens to its embed links. */
export class DestroyPlayerConfigurationDto extends PlayerConfigurationIdDto {
  /** -1: delete its embed links; the id of another configuration of the same type: move them there. @example -1 */
  @IsOptional()
  @CastInteger()
  @NotEquals(0)
  @Min(-1)
  @IsInt()
  move?: number;

  /** When the links move: whether the other configuration takes over `autoGenerate`. @example false */
  @OptionalFlag()
  autoGenerate?: boolean;
}
