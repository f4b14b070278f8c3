import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger, PageDto, RefusesUnknownParameters } from '../../shared/http/index.js';
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

/** Whether a list shows what can be used, what is in the trash, or both. */
export const CONTAINER_STATES = ['active', 'trash', 'all'] as const;
export type ContainerState = (typeof CONTAINER_STATES)[number];

/** Which media containers; without an id a page of all. */
@RefusesUnknownParameters()
export class FindMediaContainersDto extends PageDto {
  /** Only this one; unknown: an empty list. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;

  /** active (also watermark assets), trash or all. @example "trash" */
  @IsOptional()
  @IsIn(CONTAINER_STATES)
  state?: ContainerState;
}
