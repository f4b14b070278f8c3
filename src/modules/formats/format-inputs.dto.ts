import { IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import { CastBoolean, CastInteger, OptionalFlag } from '../../shared/http/index.js';
import { IdOf, PageDto } from '../../shared/resources/index.js';
import {
  BoundedDocument,
  IsDisplayName,
  IsId,
  MAX_DISPLAY_NAME_CHARACTERS,
  NestedObject,
  UnlessAbsent,
  UnlessNull,
} from '../../shared/validation/index.js';
import { MEDIA_TYPES, type MediaType } from '../media/index.js';
import { CONVERTERS, type Converter } from './converters/converters.js';
import { FormatCommandDto, FormatConfigurationDto, FormatSettingsDto } from './format-settings.dto.js';
import { FORMAT_USAGES, type FormatUsage } from './format-settings.js';

/** Selects formats; without filters, all that the customer sees. */
export class FindFormatsDto extends PageDto {
  /** Only the format with this id; the list is empty if it is unknown. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;

  /** Only formats for this media type. @example "video" */
  @IsOptional()
  @IsIn(MEDIA_TYPES)
  mediaType?: MediaType;

  /** Read from the database instead of the cache. @example true */
  @OptionalFlag()
  refresh?: boolean;
}

/** Identifies a format; that of another customer counts as unknown. */
export class FormatIdDto extends IdOf({ example: 3 }) {}

/** One format, and whether to read it from the database. */
export class GetFormatDto extends FormatIdDto {
  /** Read from the database instead of the cache. @example true */
  @OptionalFlag()
  refresh?: boolean;
}

/** The properties that can be set when a format is created or changed. */
export class FormatFieldsDto {
  /** @example "720p with our logo" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @IsDisplayName()
  @IsString()
  name: string;

  /** transcoding, or preview: made first, shown in player and poster, never downloadable. @example "transcoding" */
  @Transform(({ value }: { value: unknown }) => value ?? undefined) // null means the same as absent
  @UnlessAbsent()
  @IsIn(FORMAT_USAGES)
  usage?: FormatUsage;

  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => FormatSettingsDto)
  settings?: FormatSettingsDto | null;

  /** Use settings instead. @deprecated */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => FormatConfigurationDto)
  configuration?: FormatConfigurationDto | null;

  /** Ignored apart from raw converter parameters. @deprecated */
  @UnlessNull()
  @NestedObject(() => FormatCommandDto)
  command?: FormatCommandDto | null;

  /** Use settings.mediaTypes, which it sets if they are absent. @deprecated @example "video" */
  @UnlessNull()
  @IsIn(MEDIA_TYPES)
  type?: MediaType | null;
}

/** A new format. */
export class CreateFormatDto extends FormatFieldsDto {
  /** A managed format that is a blueprint. @example 5 */
  @IsId()
  blueprintId: number;

  /** The converter of the blueprint. @example "ffmpeg" */
  @IsIn(CONVERTERS)
  converter: Converter;
}

/** Changes to a format. */
export class FormatChangesDto extends FormatFieldsDto {
  /** Cannot be changed; may be sent back unchanged. @example 5 */
  @UnlessNull()
  @IsInt()
  blueprintId?: number | null;

  /** Cannot be changed; may be sent back unchanged. @example "ffmpeg" */
  @UnlessNull()
  @IsIn(CONVERTERS)
  converter?: Converter | null;
}

/** Changes to the format with this id. */
export class UpdateFormatDto extends IntersectionType(FormatIdDto, FormatChangesDto) {}

/** The format to destroy, and whether to destroy its media as well. */
export class DestroyFormatDto extends FormatIdDto {
  /** True: irreversibly destroys all media items of the format, too. @example false */
  @UnlessNull()
  @CastBoolean()
  @IsBoolean()
  forceDelete?: boolean | null;
}

/** The format and the media container for which the metadata is shown. */
export class MetadataPreviewDto extends FormatIdDto {
  /** @example 1 */
  @CastInteger()
  @IsId()
  mediaContainerId: number;
}
