import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger } from './input.js';

/** Which part of a list to answer; without them all of it. */
export class PageDto {
  /** Maximum number of elements in the response. @example 100 */
  @IsOptional()
  @CastInteger()
  @Max(1_000)
  @Min(1)
  @IsInt() // the last is asked first: what is no number at all is told so
  limit?: number;

  /** Position of the next page, from the `Link` header of the previous page. @example 0 */
  @IsOptional()
  @CastInteger()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  cursor?: number;
}
