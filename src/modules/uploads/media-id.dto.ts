import { IsInt, Max, Min } from 'class-validator';
import { CastInteger } from '../../shared/http/index.js';

/** Which media item. */
export class MediaIdDto {
  /** @example 12 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647) // what the column holds
  mediaId: number;
}
