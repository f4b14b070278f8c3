import { IsIn, IsInt, Max, Min } from 'class-validator';
import { IsAddressRange } from './address-range.js';

/** A limit for the viewers of a range of addresses. */
export class BandwidthRuleDto {
  /** A range, or one address. @example "192.0.2.0/24" */
  @IsAddressRange()
  cidr: string;

  /** parallel: plays at the same time; bandwidth: kbit/s. @example "parallel" */
  @IsIn(['parallel', 'bandwidth'])
  type: 'parallel' | 'bandwidth';

  /** @example 10 */
  @Max(2_147_483_647)
  @Min(1)
  @IsInt()
  limit: number;
}
