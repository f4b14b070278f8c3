import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastBoolean, CastInteger } from '../../../shared/http/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';

/** What the columns hold. */

export class DeliveredLinkDto {
  /** The embed link. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  @MaxLength(100)
  @IsString()
  link: string;
}

export class DeliverFileDto extends DeliveredLinkDto {
  /** The format; default: the first format of the player configuration that players use. @example 3 */
  @IsOptional()
  @CastInteger()
  @Max(MAX_ID)
  @Min(1)
  @IsInt()
  formatId?: number;

  /** Whether the file is downloaded instead of shown; only if the format is downloadable. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  download?: boolean;
}
