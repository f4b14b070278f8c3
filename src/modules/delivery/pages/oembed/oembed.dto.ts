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
