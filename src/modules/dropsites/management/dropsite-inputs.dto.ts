import { IntersectionType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { CastInteger, PageDto, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';
import { DropsiteFieldsDto } from './dropsite-fields.dto.js';

const MAX_NAME_CHARACTERS = 255;
const NAME = /^(?=.*\S)\P{Cc}*$/u;
const NAME_MESSAGE = { message: 'name must be one line of text that is not empty' };

/** A new dropsite. */
export class CreateDropsiteDto extends DropsiteFieldsDto {
  /** @example "Photos of the anniversary" */
  @MaxLength(MAX_NAME_CHARACTERS)
  @Matches(NAME, NAME_MESSAGE)
  @IsString()
  name: string;
}

/** Which dropsite; the id of one that exists for somebody else is as good as none. */
export class DropsiteIdDto {
  /** @example 3 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  id: number;
}

/** Which dropsites; without an id a page of all. */
@RefusesUnknownParameters()
export class FindDropsitesDto extends PageDto {
  /** Only this one; unknown: an empty list. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;
}

/** Changes of a dropsite; what is absent stays. */
export class DropsiteChangesDto extends DropsiteFieldsDto {
  /** @example "Photos of the anniversary" */
  @ValidateIf((_, value) => value !== undefined)
  @MaxLength(MAX_NAME_CHARACTERS)
  @Matches(NAME, NAME_MESSAGE)
  @IsString()
  name?: string;
}

/** The same, of one dropsite. */
export class UpdateDropsiteDto extends IntersectionType(DropsiteIdDto, DropsiteChangesDto) {}
