import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { UnlessNull } from '../../../shared/validation/index.js';

/** A format that is delivered. */
export class PlayerFormatDto {
  /** It must be visible to the customer, not deleted, and suit the type. @example 5 */
  @Max(2_147_483_647) // what the column holds
  @Min(1)
  @IsInt()
  formatId: number;

  /** Whether viewers may download it; default: false. @example false */
  @UnlessNull()
  @IsBoolean()
  downloadable?: boolean | null;
}

/** A format that a configuration delivers. */
export class PlayerFormatResponse {
  /** @example 5 */
  formatId: number;
  /** @example false */
  downloadable: boolean;
  /** @example 3 */
  playerConfigurationId: number;
}
