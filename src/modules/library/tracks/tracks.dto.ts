import { IntersectionType } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { CastBoolean, CastInteger } from '../../../shared/http/index.js';
import { IsId, UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import { MAX_LABEL_CHARACTERS, MAX_LANGUAGE_CHARACTERS } from '../../media/index.js';
import { MediaContainerIdDto } from '../media-container-input.dto.js';

/** Identifies a file of a media container. */
export class TrackIdDto extends MediaContainerIdDto {
  /** @example 1 */
  @CastInteger()
  @IsId()
  mediaId: number;
}

/** A file of a media container, and how its URL is used. */
export class ItemUrlDto extends TrackIdDto {
  /** Whether browsers save the file instead of showing it. @example false */
  @UnlessAbsent()
  @CastBoolean()
  @IsBoolean()
  download?: boolean;
}

/** A URL with which any client can read a file, without a token. */
export class ItemUrlResponse {
  /** Supports range requests. @example "https://media.example.com/2026/talk.mp4?X-Amz-Signature=…" */
  url: string;
  /** ISO 8601. A download that has started continues afterwards. */
  expiresAt: Date;
}

/** Changes to a track; an absent member leaves the field unchanged. */
export class TrackChangesDto {
  /** Language (BCP 47). @example "de-AT" */
  @UnlessAbsent()
  @MinLength(1)
  @MaxLength(MAX_LANGUAGE_CHARACTERS)
  @IsString()
  language?: string;

  /** Name for viewers; null: the name of the language in that language. @example "Deutsch für Gehörlose" */
  @UnlessNull()
  @Matches(/^\P{Cc}*$/u, { message: 'label must be one line of text' })
  @MinLength(1)
  @MaxLength(MAX_LABEL_CHARACTERS)
  @IsString()
  label?: string | null;

  /** Whether players choose this track before others, which are then no longer the default. @example true */
  @UnlessNull()
  @IsBoolean()
  default?: boolean | null;
}

/** Changes to the track with this id. */
export class UpdateTrackDto extends IntersectionType(TrackIdDto, TrackChangesDto) {}
