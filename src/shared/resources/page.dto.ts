import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { CastInteger } from '../http/index.js';
import { UnlessAbsent } from '../validation/index.js';

/** The part of a list to return; without a limit, the first hundred elements, or all where a list is short. */
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

const LINK_STATES = ['active', 'ended', 'all'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** How long a list shows links that a user deleted (contract section 14.1). */
export const DELETED_LINKS_DAYS = 90;

/** Which links of a list to return, and which page of them. A link that has not started is active. */
export class LinkPageDto extends PageDto {
  /** ended: past its end, deleted in the last 90 days, or nothing that it shows is available any more; default: active. @example "active" */
  @UnlessAbsent()
  @IsIn(LINK_STATES)
  state?: LinkState;
}
