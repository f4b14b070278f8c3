import { IsIn, IsInt, IsString, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { CastInteger, PageDto, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { UnlessNull } from '../../../shared/validation/index.js';

const MAX_INTEGER = 2_147_483_647; // what the columns hold
const MAX_MOMENT = 253_402_300_799; // the last second of the year 9999
const MAX_DESCRIPTION_CHARACTERS = 10_000;
const MAX_ORIGIN_CHARACTERS = 255;

/** Which part of the links of a container. */
@RefusesUnknownParameters()
export class FindEmbedLinksDto extends PageDto {
  /** The media container. @example 7 */
  @CastInteger()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  id: number;
}

/** Which embed link; the id of one that exists for somebody else is as good as none. */
export class EmbedLinkIdDto {
  /** @example 9 */
  @CastInteger()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  id: number;
}

/** A new embed link. */
export class NewEmbedLinkDto {
  /** Of the type of the container. @example 3 */
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  playerConfigurationId: number;

  /** @example "For the press page" */
  @UnlessNull()
  @MaxLength(MAX_DESCRIPTION_CHARACTERS)
  @IsString()
  description?: string | null;

  /** Where it comes from, in your own words. @example "newsletter" */
  @UnlessNull()
  @MaxLength(MAX_ORIGIN_CHARACTERS)
  @IsString()
  origin?: string | null;

  /** From when on it works (unix seconds). @example 1735689600 */
  @UnlessNull()
  @Max(MAX_MOMENT)
  @Min(0)
  @IsInt()
  start?: number | null;

  /** Until when it works (unix seconds), later than start. @example 1767225600 */
  @UnlessNull()
  @ValidateBy({
    name: 'isAfterStart',
    validator: {
      validate: (value, args) => {
        const { start } = (args?.object ?? {}) as NewEmbedLinkDto;
        return typeof start !== 'number' || start < value;
      },
      defaultMessage: () => 'end must be later than start',
    },
  })
  @Max(MAX_MOMENT)
  @Min(0)
  @IsInt()
  end?: number | null;

  /** 0: active, 10: hidden; default: 0. @example 0 */
  @UnlessNull()
  @IsIn([0, 10])
  flag?: 0 | 10 | null;
}

/** A new embed link of a container. */
export class CreateEmbedLinkDto extends NewEmbedLinkDto {
  /** The media container. @example 7 */
  @CastInteger()
  @Max(MAX_INTEGER)
  @Min(1)
  @IsInt()
  id: number;
}
