import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';
import { IsColor } from '../../shared/color/index.js';
import { presupposes, UnlessNull } from '../../shared/validation/index.js';

const GRAVITIES = ['NorthWest', 'North', 'NorthEast', 'West', 'Center', 'East', 'SouthWest', 'South', 'SouthEast'] as const;
type Gravity = (typeof GRAVITIES)[number];

/** Largest letters that fit any picture. */
const MAX_FONT = 1_000;
/** Wider borders leave nothing of the picture; no converter takes them. */
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
  /** Name of a colour, or #rrggbb; with an opacity behind it if wanted. @example "white" */
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

  /** Pixels; wins over fontsize. Unset: 16 for 360p, larger as the picture is. @example 24 */
  @UnlessNull()
  @Max(MAX_FONT)
  @Min(1)
  @IsInt()
  font?: number | null;

  /** 1: in a box. @example 1 */
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

  /** The same by its other name. @example "South" */
  @UnlessNull()
  @IsIn(GRAVITIES)
  gravity?: Gravity | null;

  /** 0: starts at 10:00:00:00; 1: at 00:00:00:00. @example 0 */
  @UnlessNull()
  @IsIn([0, 1])
  offset?: 0 | 1 | null;
}
