import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../../shared/http/index.js';

const MAX_URL_CHARACTERS = 2_048;
const MAX_PIXELS = 100_000;

/** A request of an oEmbed consumer. */
export class OembedRequestDto {
  /** URL of the page of an embed link. @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11" */
  @MaxLength(MAX_URL_CHARACTERS)
  @IsString()
  url: string;

  /** Pixels. @example 640 */
  @IsOptional()
  @CastInteger()
  @Max(MAX_PIXELS)
  @Min(1)
  @IsInt()
  maxwidth?: number;

  /** Pixels. @example 360 */
  @IsOptional()
  @CastInteger()
  @Max(MAX_PIXELS)
  @Min(1)
  @IsInt()
  maxheight?: number;

  /** Only json; xml returns 501 (oEmbed, section 2.3.4). @example "json" */
  @IsOptional()
  @IsIn(['json', 'xml'])
  format?: string;
}

/** How to show an embed link in a page (oembed.com, version 1.0). */
export class OembedResponse {
  /** @example "1.0" */
  version: '1.0';
  /** @example "video" */
  type: 'video' | 'photo' | 'rich';
  /** @example "Interview" */
  title: string;
  /** @example "Example Media" */
  provider_name: string;
  /** @example "https://www.example.org/" */
  provider_url?: string;
  /** Pixels; a suggestion for a responsive player. @example 640 */
  width: number;
  /** Pixels; a suggestion for a responsive player. @example 360 */
  height: number;
  /** For the type photo: URL of the image. */
  url?: string;
  /** HTML of the player, to embed in a page. @example "<iframe src=…></iframe>" */
  html?: string;
  /** The preview image. @example "https://media.example.org/fixedPreviewImages/mp4.png" */
  thumbnail_url?: string;
  /** Pixels. @example 640 */
  thumbnail_width?: number;
  /** Pixels. @example 360 */
  thumbnail_height?: number;
}
