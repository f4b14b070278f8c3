import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import { MAX_ID, UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import { MediaContainerIdDto } from '../media-container-input.dto.js';

/** A file of a media container. */
export class TrackIdDto extends MediaContainerIdDto {
  /** @example 31 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  mediaId: number;
}

/** Changes of a track; an absent member leaves the field as it is. */
export class TrackChangesDto {
  /** BCP 47. @example "de-AT" */
  @UnlessAbsent()
  @MinLength(1)
  @MaxLength(35)
  @IsString()
  language?: string;

  /** Name for viewers; null: the language's own name. @example "Deutsch für Gehörlose" */
  @UnlessNull()
  @Matches(/^\P{Cc}*$/u, { message: 'label must be one line of text' })
  @MinLength(1)
  @MaxLength(255)
  @IsString()
  label?: string | null;

  /** Whether players choose this track before others; the other ones are then no longer the default. @example true */
  @UnlessNull()
  @IsBoolean()
  default?: boolean | null;
}

/** Changes of the track with this id. */
export class UpdateTrackDto extends IntersectionType(TrackIdDto, TrackChangesDto) {}
