import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import { DeliveredLinkDto } from '../delivery.dto.js';
import { WANTED_FORMATS, type WantedFormat } from './picture-formats.js';

/** Twice the widest screens; a larger picture is the file itself. */
const MAX_SIDE = 8_192;
const FITS = ['inside', 'cover'] as const;

export class DeliverPictureDto extends DeliveredLinkDto {
  /** Pixels; the picture has the next width of 160, 320, 480, 640, 960, 1280, 1920, 2560 and 3840, and never more than its source. @example 640 */
  @CastInteger()
  @Max(MAX_SIDE)
  @Min(1)
  @IsInt()
  width: number;

  /** Pixels; together with the width a box, of the nearest ratio of 1:1, 4:3, 3:2, 16:9 and 2:1, or of these upright. @example 360 */
  @IsOptional()
  @CastInteger()
  @Max(MAX_SIDE)
  @Min(1)
  @IsInt()
  height?: number;

  /** inside: the whole picture is within the box; cover: the picture fills the box and is cut off at its edges. Default: inside. @example "cover" */
  @IsOptional()
  @IsIn(FITS)
  fit?: (typeof FITS)[number];

  /**
   * auto (default): AVIF or WebP if `Accept` names it, otherwise JPEG, PNG if a part is transparent, or GIF if it is animated. An animation stays one
   * as WebP and GIF.
   * @example "auto"
   */
  @IsOptional()
  @IsIn(WANTED_FORMATS)
  format?: WantedFormat;
}
