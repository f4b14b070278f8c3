import { IsBoolean, IsISO8601, Matches, ValidateIf } from 'class-validator';
import { IsName, MayBeAbsent } from './field-rules.js';

/** An entry of `customers`. */
export class CustomerEntry {
  @IsName()
  name: string;

  /** The organisation that runs the service; its users are the support staff. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  operator?: boolean;

  /** ISO 8601; a date alone is its first moment in UTC. null ends the support access. */
  @ValidateIf((_entry, value) => value !== undefined && value !== null)
  @IsISO8601({ strict: true }, { message: 'must be a date that exists, or null' })
  @Matches(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/, {
    message: 'must be a moment with its offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null',
  })
  supportAccessUntil?: string | null;
}
