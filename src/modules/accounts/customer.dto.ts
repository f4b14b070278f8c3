import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength, ValidateBy } from 'class-validator';
import { IsColor } from '../../shared/color.js';
import {
  BoundedDocument,
  IsDisplayName,
  IsMoment,
  MAX_DISPLAY_NAME_CHARACTERS,
  NestedObject,
  presupposes,
  UnlessAbsent,
  UnlessNull,
} from '../../shared/validation/index.js';
import type { Customer } from './customer.entity.js';

const GRAVITIES = ['NorthWest', 'North', 'NorthEast', 'West', 'Center', 'East', 'SouthWest', 'South', 'SouthEast'] as const;
type Gravity = (typeof GRAVITIES)[number];

/** Pixels; larger letters fit no picture. */
const MAX_FONT = 1_000;
/** Pixels; a wider border would cover the picture, and no converter accepts it. */
const MAX_BORDER = 200;

const IsFontSize = () =>
  ValidateBy(
    {
      name: 'isFontSize',
      validator: {
        validate: (value: unknown) =>
          (typeof value === 'number' || (typeof value === 'string' && /^\d{1,4}$/.test(value))) &&
          Number.isInteger(Number(value)) &&
          Number(value) >= 1 &&
          Number(value) <= MAX_FONT,
        defaultMessage: () => `$property must be a whole number from 1 to ${MAX_FONT}, as a number or as text`,
      },
    },
    presupposes('integerOrText'),
  );

/** How a running timecode is drawn into the picture. */
export class BurnTimecodeDto {
  /** Colour name or #rrggbb, optionally followed by an opacity. @example "white" */
  @UnlessNull()
  @IsColor()
  fontcolor?: string | null;

  /** Pixels, as a number or as text. @example 24 */
  @ApiProperty({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: MAX_FONT },
      { type: 'string', pattern: '^\\d{1,4}$' },
    ],
    nullable: true,
  })
  @UnlessNull()
  @IsFontSize()
  fontsize?: number | string | null;

  /** Pixels; takes precedence over fontsize. Default: 16 for 360p, in proportion to the picture. @example 24 */
  @UnlessNull()
  @Max(MAX_FONT)
  @Min(1)
  @IsInt()
  font?: number | null;

  /** 1: draws a box behind the text. @example 1 */
  @UnlessNull()
  @IsIn([0, 1])
  box?: 0 | 1 | null;

  /** @example "black@0.5" */
  @UnlessNull()
  @IsColor()
  boxcolor?: string | null;

  /** Width of the box's border in pixels. @example 4 */
  @UnlessNull()
  @Max(MAX_BORDER)
  @Min(0)
  @IsInt()
  boxborderw?: number | null;

  /** North: at the top, South: at the bottom. @example "South" */
  @UnlessNull()
  @IsIn(GRAVITIES)
  position?: Gravity | null;

  /** Alias of `position`. @example "South" */
  @UnlessNull()
  @IsIn(GRAVITIES)
  gravity?: Gravity | null;

  /** 0: starts at 10:00:00:00; 1: at 00:00:00:00. @example 0 */
  @UnlessNull()
  @IsIn([0, 1])
  offset?: 0 | 1 | null;
}

/** The caller's organisation. */
export class CustomerResponse {
  /** @example 1 */
  id: number;
  /** @example "Newsroom" */
  name: string;
  /** Individual configuration of burned-in timecodes: its keys override those of a format, one by one. */
  burnTimecode: BurnTimecodeDto | null;
  /** The time until which support staff may act for the customer's users (ISO 8601); null: they may not. */
  supportAccessUntil: Date | null;
  /** Whether every person of the customer needs a second factor to sign in with a password. @example false */
  requireSecondFactor: boolean;
}

/** The name of a new customer. */
export class CustomerNameDto {
  /** @example "Newsroom" */
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsDisplayName()
  @IsString()
  name: string;
}

/** Changes to the caller's organisation; an absent member leaves the field unchanged, null clears it. */
export class UpdateCustomerDto {
  /** @example "Newsroom" */
  @UnlessAbsent()
  @MaxLength(MAX_DISPLAY_NAME_CHARACTERS)
  @MinLength(1)
  @IsDisplayName()
  @IsString()
  name?: string;

  /** Replaces the stored value as a whole. */
  @UnlessNull()
  @BoundedDocument()
  @NestedObject(() => BurnTimecodeDto)
  burnTimecode?: BurnTimecodeDto | null;

  /** ISO 8601. @example "2030-01-31T18:00:00Z" */
  @UnlessNull()
  @IsMoment()
  supportAccessUntil?: string | null;

  /** true: people without a second factor set one up at their next sign-in with a password. @example true */
  @UnlessAbsent()
  @IsBoolean()
  requireSecondFactor?: boolean;
}

export const toCustomerResponse = (customer: Customer): CustomerResponse => ({
  id: customer.id,
  name: customer.name,
  burnTimecode: customer.burnTimecode as BurnTimecodeDto | null,
  supportAccessUntil: customer.supportAccessUntil,
  requireSecondFactor: customer.requireSecondFactor,
});
