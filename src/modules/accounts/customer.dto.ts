import { Type } from 'class-transformer';
import { IsISO8601, IsObject, IsString, Matches, MaxLength, MinLength, ValidateIf, ValidateNested } from 'class-validator';
import { BurnTimecodeDto } from './burn-timecode.dto.js';
import type { Customer } from './customer.entity.js';

const MAX_NAME_CHARACTERS = 255;
/** Without its offset a moment would depend on where the service runs. */
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

const UnlessNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

/** The caller's organisation. */
export class CustomerResponse {
  /** @example 1 */
  id: number;
  /** @example "Newsroom" */
  name: string;
  /** Individual configuration of burned-in timecodes: its keys override those of a format, one by one. */
  burnTimecode: BurnTimecodeDto | null;
  /** Until then support staff may act for the customer's users (ISO 8601); null: never. */
  supportAccessUntil: Date | null;
}

/** Changes of the caller's organisation; what is absent stays, null clears it. */
export class UpdateCustomerDto {
  /** @example "Newsroom" */
  @ValidateIf((_, value) => value !== undefined)
  @MaxLength(MAX_NAME_CHARACTERS)
  @MinLength(1)
  @Matches(/^(?=.*\S)\P{Cc}*$/u, { message: 'name must be one line of text that is not empty' })
  @IsString()
  name?: string;

  /** Replaced whole. */
  @UnlessNull()
  @ValidateNested()
  @IsObject()
  @Type(() => BurnTimecodeDto)
  burnTimecode?: BurnTimecodeDto | null;

  /** ISO 8601. @example "2030-01-31T18:00:00Z" */
  @UnlessNull()
  @Matches(MOMENT, { message: 'supportAccessUntil must be a moment with its offset (2030-01-31T18:00:00Z), a date (2030-01-31) or null' })
  @IsISO8601({ strict: true })
  supportAccessUntil?: string | null;
}

export const toCustomerResponse = ({ id, name, burnTimecode, supportAccessUntil }: Customer): CustomerResponse => ({
  id,
  name,
  burnTimecode: burnTimecode as BurnTimecodeDto | null,
  supportAccessUntil,
});
