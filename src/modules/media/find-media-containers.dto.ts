import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger, PageDto } from '../../shared/http/index.js';
import { MAX_ID } from '../../shared/validation/index.js';

/** Which media container; the id of one that exists for somebody else is as good as none. */
export class MediaContainerIdDto {
  /** @example 7 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  id: number;
}

/** Which media containers; without an id a page of all. */
export class FindMediaContainersDto extends PageDto {
  /** Only this one; unknown: an empty list. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;
}
