import { IsBoolean, IsInt, IsOptional, Min, NotEquals } from 'class-validator';
import { CastBoolean, CastInteger } from '../../../shared/http/index.js';
import { PlayerConfigurationIdDto } from './player-configuration-inputs.dto.js';

/** What becomes of the embed links of a player configuration that is destroyed. */
export class DestroyPlayerConfigurationDto extends PlayerConfigurationIdDto {
  /** -1: its embed links are deleted; the id of another configuration of the same type: they move there. @example -1 */
  @IsOptional()
  @CastInteger()
  @NotEquals(0)
  @Min(-1)
  @IsInt()
  move?: number;

  /** With a move to a configuration: that one generates embed links from now on, if this one did. @example false */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  autoGenerate?: boolean;
}
