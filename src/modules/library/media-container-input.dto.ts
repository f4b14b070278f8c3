import { IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { CastBoolean } from '../../shared/http/index.js';
import { IdOf } from '../../shared/resources/index.js';
import { BoundedDocument, IsMoment, NestedList, NestedObject, UnlessAbsent, UnlessNull } from '../../shared/validation/index.js';
import {
  CONTAINER_FLAGS,
  CONTAINER_TYPES,
  type ContainerFlag,
  type ContainerType,
  MAX_LANGUAGE_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_TEXT_CHARACTERS,
} from '../media/index.js';

/** Maximum number of tags of a container. */
export const MAX_TAGS = 1_000;

/** Identifies a media container; that of another customer counts as unknown. */
export class MediaContainerIdDto extends IdOf({ example: 1 }) {}

/** Which containers a list shows: those that can be used, those in the trash, both, or instead those whose original has not arrived. */
export const CONTAINER_STATES = ['active', 'trash', 'all', 'incomplete'] as const;
export type ContainerState = (typeof CONTAINER_STATES)[number];

/** Terms under which a container may be used. */
export class LicenseDto {
  /** @example "Rights managed" */
  @UnlessNull()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  name?: string | null;

  /** @example "Editorial use only" */
  @UnlessNull()
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  usageTerms?: string | null;

  /** ISO 8601. @example "2026-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  start?: string | null;

  /** ISO 8601; from then on links of the container return 410. @example "2030-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  end?: string | null;

  /** Permitted uses. @example ["web", "print"] */
  @UnlessNull()
  @ArrayMaxSize(100)
  @MaxLength(MAX_NAME_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  types?: string[] | null;
}

/** An entry of descriptive metadata. */
export class MetadataEntryDto {
  /** @example "author" */
  @MinLength(1)
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  title: string;

  /** @example "Ada Lovelace" */
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  content: string;

  /** @example "en" */
  @UnlessAbsent()
  @MinLength(1)
  @MaxLength(MAX_LANGUAGE_CHARACTERS)
  @IsString()
  language?: string;
}

/** Changes to a media container; an absent member leaves the field unchanged, null clears it. */
export class MediaContainerChangesDto {
  /** @example "interview" */
  @UnlessAbsent()
  @MinLength(1)
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  name?: string;

  /** @example "At the river" */
  @UnlessNull()
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  description?: string | null;

  /** @example ["news"] */
  @UnlessNull()
  @BoundedDocument()
  @ArrayMaxSize(MAX_TAGS)
  @MaxLength(MAX_NAME_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @IsArray()
  tags?: string[] | null;

  /** Replaced as a whole. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => LicenseDto)
  license?: LicenseDto | null;

  /** Replaced as a whole. */
  @UnlessNull()
  @BoundedDocument()
  @NestedList(() => MetadataEntryDto)
  metadata?: MetadataEntryDto[] | null;

  /** When delivery starts (ISO 8601). @example "2026-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  start?: string | null;

  /** When delivery ends (ISO 8601). @example "2030-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  end?: string | null;

  /** 0: active (restores it from the trash), 1: in the trash, 33: a watermark asset. @example 0 */
  @UnlessAbsent()
  @IsIn(CONTAINER_FLAGS)
  flag?: ContainerFlag;

  /** watermark, or the type of the original. @example "image" */
  @UnlessAbsent()
  @IsIn(CONTAINER_TYPES)
  type?: ContainerType;
}

/** Changes to the media container with this id. */
export class UpdateMediaContainerDto extends IntersectionType(MediaContainerIdDto, MediaContainerChangesDto) {}

/** A media container to delete. */
export class DeleteMediaContainerDto extends MediaContainerIdDto {
  /** True: a job removes it with all its files, irreversibly; otherwise it is moved to the trash. @example false */
  @UnlessNull()
  @CastBoolean()
  @IsBoolean()
  forceDelete?: boolean | null;
}

/** The content of a release request. */
export class ReleaseRequestFieldsDto {
  /** Message to the person who decides about the release. @example "May we print it?" */
  @UnlessNull()
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  message?: string | null;
}

/** A request to release a media container. */
export class ReleaseRequestDto extends IntersectionType(MediaContainerIdDto, ReleaseRequestFieldsDto) {}
