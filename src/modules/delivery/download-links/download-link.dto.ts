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
} from 'class-validator';
import { CastInteger, PageDto, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { IgnoredInputResponse, MAX_ID, UnlessNull } from '../../../shared/validation/index.js';
import type { DownloadLink } from './download-link.entity.js';

const MAX_SECONDS = 253_402_300_799; // the last second of the year 9999
/** More than people look at on one page. */
const MAX_CONTAINERS = 1_000;
const MAX_FORMATS = 100;
const MAX_TITLE_CHARACTERS = 255;

/** A new download link. */
export class CreateDownloadLinkDto {
  /** What is offered. @example [7, 8] */
  @ArrayMaxSize(MAX_CONTAINERS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_ID, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  mediaContainerIds: number[];

  /** In which formats; those of a container that are not there yet appear when they are. @example [3] */
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_ID, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  formatIds: number[];

  /** 0: the default page, which stands in for unknown ones too. @example 0 */
  @UnlessNull()
  @Max(MAX_ID)
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
  @Max(MAX_ID)
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

/** A page from which people download files. */
export class DownloadLinkResponse {
  /** @example 3 */
  id: number;
  /** The page is `/l/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** @example [7, 8] */
  mediaContainerIds: number[];
  /** @example [3] */
  formatIds: number[];
  /** 0: the default page. @example 0 */
  templateId: number;
  /** Empty: the page finds a heading itself. @example "Pictures of the summer party" */
  title: string;
  /** Unix seconds; null: at once. @example null */
  start: number | null;
  /** Unix seconds; null: for good. @example 1896134400 */
  end: number | null;
  /** @example 12 */
  creatorId: number;
  /** @example 1 */
  customerId: number;
  /** ISO 8601. */
  createdAt: Date;
}

/** A download link that was just made. */
export class CreatedDownloadLinkResponse extends DownloadLinkResponse {
  /** What of the input was not taken, and why; only if there is something. */
  ignored?: IgnoredInputResponse[];
}

/** A download link that is gone. */
export class DeletedDownloadLinkResponse {
  /** @example 3 */
  id: number;
}

export const toDownloadLinkResponse = (link: DownloadLink): DownloadLinkResponse => ({
  id: link.id,
  link: link.link,
  mediaContainerIds: link.mediaContainerIds,
  formatIds: link.formatIds,
  templateId: link.templateId,
  title: link.title,
  start: unixSeconds(link.start),
  end: unixSeconds(link.end),
  creatorId: link.creatorId,
  customerId: link.customerId,
  createdAt: link.createdAt,
});

const unixSeconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1_000);
