import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../../shared/http/index.js';

const MAX_URL_CHARACTERS = 2_048;
const MAX_PIXELS = 100_000;

/** A question of an oEmbed consumer. */
export class OembedRequestDto {
  /** Address of the page of an embed link. @example "https://media.example.org/v5/deliverEmbed/8d1f6b0a-3c53-4d5b-9d0e-6a1f9f3c2b11" */
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

  /** json; xml is answered by 501, as oEmbed has it (section 2.3.4). @example "json" */
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
  /** Pixels; of a responsive player a proposal. @example 640 */
  width: number;
  /** Pixels; of a responsive player a proposal. @example 360 */
  height: number;
  /** Of a photo: the image. */
  url?: string;
  /** The player: put it into the page. @example "<iframe src=…></iframe>" */
  html?: string;
  /** The preview image. @example "https://media.example.org/fixedPreviewImages/mp4.png" */
  thumbnail_url?: string;
  /** Pixels. @example 640 */
  thumbnail_width?: number;
  /** Pixels. @example 360 */
  thumbnail_height?: number;
}
