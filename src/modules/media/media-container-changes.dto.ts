import { IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { CastBoolean } from '../../shared/http/index.js';
import { BoundedDocument, IsMoment, NestedList, NestedObject, UnlessAbsent, UnlessNull } from '../../shared/validation/index.js';
import { MediaContainerIdDto } from './find-media-containers.dto.js';
import type { ContainerFlag, ContainerType } from './media-container.entity.js';

const MAX_NAME_CHARACTERS = 1_024;
const MAX_TEXT_CHARACTERS = 10_000;

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

  /** ISO 8601; from then on links of the container answer 410. @example "2030-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  end?: string | null;

  /** What it may be used for. @example ["web", "print"] */
  @UnlessNull()
  @ArrayMaxSize(100)
  @MaxLength(MAX_NAME_CHARACTERS, { each: true })
  @IsString({ each: true })
  @IsArray()
  types?: string[] | null;
}

/** A piece of descriptive metadata. */
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
  @MaxLength(35) // the longest that RFC 5646 section 4.4.1 asks to allow
  @IsString()
  language?: string;
}

/** Changes of a media container; an absent member leaves what is there, null clears it. */
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
  @ArrayMaxSize(1_000)
  @MaxLength(MAX_NAME_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @IsArray()
  tags?: string[] | null;

  /** Replaced whole. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => LicenseDto)
  license?: LicenseDto | null;

  /** Replaced whole. */
  @UnlessNull()
  @BoundedDocument()
  @NestedList(() => MetadataEntryDto)
  metadata?: MetadataEntryDto[] | null;

  /** From when on it may be delivered (ISO 8601). @example "2026-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  start?: string | null;

  /** Until when it may be delivered (ISO 8601). @example "2030-01-01T00:00:00Z" */
  @UnlessNull()
  @IsMoment()
  end?: string | null;

  /** 0: active (takes it out of the trash), 1: in the trash, 33: a watermark asset. @example 0 */
  @UnlessAbsent()
  @IsIn([0, 1, 33])
  flag?: ContainerFlag;

  /** watermark, or the type of the original again. @example "image" */
  @UnlessAbsent()
  @IsIn(['video', 'audio', 'image', 'document', 'watermark'])
  type?: ContainerType;
}

/** The same, of one container. */
export class UpdateMediaContainerDto extends IntersectionType(MediaContainerIdDto, MediaContainerChangesDto) {}

/** Which media container to delete, and whether for good. */
export class DeleteMediaContainerDto extends MediaContainerIdDto {
  /** A job removes it with all its files, irreversibly; otherwise it goes into the trash. @example false */
  @UnlessNull()
  @CastBoolean()
  @IsBoolean()
  forceDelete?: boolean | null;
}

/** What is said to those who decide about a release. */
export class ReleaseRequestFieldsDto {
  /** For whoever decides. @example "May we print it?" */
  @UnlessNull()
  @MaxLength(MAX_TEXT_CHARACTERS)
  @IsString()
  message?: string | null;
}

/** A request to release a media container. */
export class ReleaseRequestDto extends IntersectionType(MediaContainerIdDto, ReleaseRequestFieldsDto) {}
