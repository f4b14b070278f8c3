import { IsIn } from 'class-validator';
import { UnlessAbsent } from '../validation/index.js';
import { PageDto } from './page.dto.js';

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
