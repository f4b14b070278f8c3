import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { CastInteger, PageDto, RefusesUnknownParameters } from '../../../shared/http/index.js';

const MAX_INTEGER = 2_147_483_647; // what the columns hold
const MAX_SECONDS = 253_402_300_799; // the last second of the year 9999
/** More than people look at on one page. */
const MAX_CONTAINERS = 1_000;
const MAX_FORMATS = 100;
const MAX_TITLE_CHARACTERS = 255;

const UnlessNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

/** A new download link. */
export class CreateDownloadLinkDto {
  /** What is offered. @example [7, 8] */
  @ArrayMaxSize(MAX_CONTAINERS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_INTEGER, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  mediaContainerIds: number[];

  /** In which formats; those of a container that are not there yet appear when they are. @example [3] */
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_INTEGER, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  formatIds: number[];

  /** 0: the default page, which stands in for unknown ones too. @example 0 */
  @UnlessNull()
  @Max(MAX_INTEGER)
  @Min(0)
  @IsInt()
  templateId?: number | null;

  /** Heading of the page. @example "Pictures of the summer party" */
  @UnlessNull()
  @MaxLength(MAX_TITLE_CHARACTERS)
  @Matches(/^\P{Cc}*$/u, { message: 'title must be one line of text' })
  @IsString()
  title?: string | null;

  /** From when on it works (unix seconds). @example 1893456000 */
  @UnlessNull()
  @Max(MAX_SECONDS)
  @Min(0)
  @IsInt()
  start?: number | null;

  /** Until when it works (unix seconds). @example 1896134400 */
  @UnlessNull()
  @Max(MAX_SECONDS)
  @Min(0)
  @IsInt()
  end?: number | null;
}

/** Which download link; the id of one that exists for somebody else is as good as none. */
export class DownloadLinkIdDto {
  /** @example 3 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_INTEGER)
  id: number;
}

/** Which download links; without an id a page of all. */
@RefusesUnknownParameters()
export class FindDownloadLinksDto extends PageDto {
  /** Only this one; unknown: an empty list. @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number | null;
}
