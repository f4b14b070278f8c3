import { IsInt, Max, Min } from 'class-validator';
import { CastInteger } from '../../shared/http/index.js';
import { MAX_ID } from '../../shared/validation/index.js';

/** Which media item. */
export class MediaIdDto {
  /** @example 12 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  mediaId: number;
}
