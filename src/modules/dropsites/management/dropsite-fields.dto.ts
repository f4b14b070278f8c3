import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { IsMoment, UnlessAbsent, UnlessNull } from '../../../shared/validation/index.js';
import { DROPSITE_TYPES } from '../dropsite.entity.js';

const MAX_INTEGER = 2_147_483_647; // what the columns hold

/** What can be said of a dropsite. An absent member leaves what is there; null clears it. */
export class DropsiteFieldsDto {
  /** Another user of the customer; by default the caller. @example 12 */
  @UnlessAbsent()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  ownerId?: number;

  /** @example "Please send us your photos." */
  @UnlessNull()
  @MaxLength(10_000)
  @IsString()
  description?: string | null;

  /** ISO 8601 with its offset, or a date (its first moment in UTC). @example "2030-01-31T18:00:00Z" */
  @UnlessNull()
  @IsMoment()
  expiresAt?: string | null;

  /** Is never answered. @example "open sesame" */
  @UnlessNull()
  @MaxLength(1_024)
  @MinLength(1)
  @IsString()
  password?: string | null;

  /** Items that it accepts in a day (UTC); refused ones do not count. @example 100 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  maxItemsPerDay?: number | null;

  /** Bytes that it accepts in a day (UTC), as announced or, where that is more, as they arrived. @example 10737418240 */
  @UnlessNull()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(1)
  @IsInt()
  maxBytesPerDay?: number | null;

  /** video, audio, image, document; none: all. @example ["image"] */
  @UnlessNull()
  @ArrayUnique()
  @IsIn(DROPSITE_TYPES, { each: true })
  @IsArray()
  allowedTypes?: (typeof DROPSITE_TYPES)[number][] | null;

  /** Whether a session is not needed. @example true */
  @UnlessNull()
  @IsBoolean()
  allowAnonymous?: boolean | null;

  /** Numbers of your choosing, of event:dropsiteToPublicArea. @example [] */
  @UnlessNull()
  @ArrayMaxSize(1_000)
  @ArrayUnique()
  @Max(MAX_INTEGER, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  publicAreaIds?: number[] | null;
}
