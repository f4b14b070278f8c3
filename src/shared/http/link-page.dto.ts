import { IsIn } from 'class-validator';
import { UnlessAbsent } from '../validation/index.js';
import { PageDto } from './page.dto.js';

const LINK_STATES = ['active', 'ended', 'all'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** Which links of a list to return, and which page of them. A link that has not started is active. */
export class LinkPageDto extends PageDto {
  /** ended: past its end, or nothing that it shows is available any more; default: active. @example "active" */
  @UnlessAbsent()
  @IsIn(LINK_STATES)
  state?: LinkState;
}
