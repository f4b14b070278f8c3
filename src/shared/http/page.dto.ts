import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger } from './input.js';

/** The part of a list to return; without these parameters, the whole list. */
export class PageDto {
  /** Maximum number of elements in the response. @example 100 */
  @IsOptional()
  @CastInteger()
  @Max(1_000)
  @Min(1)
  @IsInt() // validators run from last to first, so a value that is not a number is reported first
  limit?: number;

  /** Position of the next page, from the `Link` header of the previous page. @example 0 */
  @IsOptional()
  @CastInteger()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  cursor?: number;
}
