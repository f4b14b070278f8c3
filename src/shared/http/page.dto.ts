import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger } from './casts.js';

/** Which part of a list to answer; without them all of it. */
export class PageDto {
  /** How many elements to answer at most. @example 100 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit?: number;

  /** Where to go on, from the `Link` header of the page before. @example 0 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  cursor?: number;
}
