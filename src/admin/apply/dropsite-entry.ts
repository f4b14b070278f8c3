import { IsBoolean, IsInt, IsISO8601, IsString, IsUUID, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { DROPSITE_TYPES, type DropsiteType } from '../../modules/dropsites/index.js';
import { MAX_ID, UnlessNull } from '../../shared/validation/index.js';
import { IsLine, IsName, MayBeAbsent } from './field-rules.js';
import { Items } from './items.js';

/** An entry of `dropsites`. Where null is allowed it clears. */
export class DropsiteEntry {
  /** The permanent UUID; without one it is made up, and the dropsite is found again by owner and name. */
  @MayBeAbsent()
  @IsUUID('all', { message: 'must be a UUID' })
  link?: string;

  /** The e-mail address of the user to whom people upload. */
  @IsLine({ min: 1, max: 255 })
  owner: string;

  @IsName()
  name: string;

  @MayBeAbsent()
  @MaxLength(10_000, { message: 'must have at most 10000 characters' })
  @IsString({ message: 'must be a text' })
  description?: string;

  /** ISO 8601; a date alone is its first moment in UTC. */
  @UnlessNull()
  @IsISO8601({ strict: true }, { message: 'must be a date that exists, or null' })
  @Matches(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, {
    message: 'must be a moment with its offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
  })
  expiresAt?: string | null;

  @UnlessNull()
  @MaxLength(1_024, { message: 'must have at most 1024 characters' })
  @MinLength(1, { message: 'must not be empty' })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes), or null' })
  password?: string | null;

  @UnlessNull()
  @Max(MAX_ID, { message: `must not be greater than ${MAX_ID}` })
  @Min(1, { message: 'must not be less than 1' })
  @IsInt({ message: 'must be a whole number, or null' })
  maxItemsPerDay?: number | null;

  @UnlessNull()
  @Max(Number.MAX_SAFE_INTEGER, { message: `must not be greater than ${Number.MAX_SAFE_INTEGER}` })
  @Min(1, { message: 'must not be less than 1' })
  @IsInt({ message: 'must be a whole number, or null' })
  maxBytesPerDay?: number | null;

  /** None: all. */
  @MayBeAbsent()
  @Items((item) => (DROPSITE_TYPES.some((type) => type === item) ? null : `must be one of ${DROPSITE_TYPES.join(', ')}`))
  allowedTypes?: DropsiteType[];

  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  allowAnonymous?: boolean;

  @MayBeAbsent()
  @Items((item) => (Number.isInteger(item) && Number(item) > 0 && Number(item) <= MAX_ID ? null : 'must be a whole number above 0'))
  publicAreaIds?: number[];
}
