import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { UnlessNull } from '../../../shared/validation/index.js';
import { IsFullDomainName } from './domain-name.js';

const MAX_INTEGER = 2_147_483_647; // what columns of ids hold
const MAX_NAME_CHARACTERS = 255;
const MAX_EXTENSIONS = 1_000;

/** Whom embed links name as their provider. */
export class EmbedCustomerDto {
  /** @example "Example Media" */
  @UnlessNull()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  name?: string | null;

  /** @example "www.example.org" */
  @UnlessNull()
  @IsFullDomainName()
  url?: string | null;
}

/** One preview image for all embed links of the configuration. */
export class FixedPreviewImageDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;

  /** Whose image it is; without one a default image by the extension of the original. @example 7 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  mediaContainerId?: number | null;

  /** Only for originals with one of these, without regard to case and dot; empty: all. @example ["pdf"] */
  @UnlessNull()
  @ArrayMaxSize(MAX_EXTENSIONS)
  @Matches(/^\.?[a-z\d]{1,16}$/i, { each: true, message: 'each value in preferredFileExtensions must be a file extension (pdf)' })
  @IsArray()
  preferredFileExtensions?: string[] | null;
}

/** Subtitles of the player. */
export class SubtitleSettingsDto {
  /** Index of the track. @example 0 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(0)
  @IsInt()
  default?: number | null;

  /** 0 off, 1 the track in `lang` on, 2 the viewer's language on, 3 always on, 4 hidden until chosen. @example 1 */
  @UnlessNull()
  @Max(4)
  @Min(0)
  @IsInt()
  behaviour?: number | null;

  /** Language by ISO 639-2. @example "deu" */
  @UnlessNull()
  @Matches(/^[a-z]{3}$/, { message: 'lang must be a language code of ISO 639-2, three small letters (deu)' })
  lang?: string | null;
}
