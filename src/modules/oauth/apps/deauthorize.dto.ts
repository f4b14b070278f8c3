import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';

/** Which authorized application to end. */
export class AuthorizedApplicationIdDto {
  /** @example 7 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id: number;
}

/** Which authorized applications to end; at least one selector, all of them combined. */
export class DeauthorizeDto {
  /** Identifier of the authorized application. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number;

  /** Identifier of the client application. @example "newsroom" */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  client_id?: string;

  /**
   * Use client_id.
   * @deprecated
   */
  @IsOptional()
  @IsString()
  @MaxLength(256)
  clientId?: string;

  /** Device identifier. @example "b7f1c0de" */
  @IsOptional()
  @IsString()
  @MaxLength(512)
  device?: string;
}
