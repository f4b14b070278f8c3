import { IsString, Matches, MaxLength, MinLength, ValidateIf } from 'class-validator';
import { BoundedDocument, IsMoment, NestedObject, UnlessNull } from '../../shared/validation/index.js';
import { BurnTimecodeDto } from './burn-timecode.dto.js';
import type { Customer } from './customer.entity.js';

const MAX_NAME_CHARACTERS = 255;

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
  @BoundedDocument()
  @NestedObject(() => BurnTimecodeDto)
  burnTimecode?: BurnTimecodeDto | null;

  /** ISO 8601. @example "2030-01-31T18:00:00Z" */
  @UnlessNull()
  @IsMoment()
  supportAccessUntil?: string | null;
}

export const toCustomerResponse = ({ id, name, burnTimecode, supportAccessUntil }: Customer): CustomerResponse => ({
  id,
  name,
  burnTimecode: burnTimecode as BurnTimecodeDto | null,
  supportAccessUntil,
});
