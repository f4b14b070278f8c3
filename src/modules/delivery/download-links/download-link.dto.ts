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
import type { Config } from '../../../shared/config/index.js';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { DeletedOf, IdOf, LinkPageDto } from '../../../shared/resources/index.js';
import { IgnoredInputResponse, IsLinkTime, MAX_ID, toUnixSeconds, UnlessNull } from '../../../shared/validation/index.js';
import type { DownloadLink } from './download-link.entity.js';

/** More containers than a page can usefully show. */
const MAX_CONTAINERS = 1_000;
const MAX_FORMATS = 100;
const MAX_TITLE_CHARACTERS = 255;

/** A new download link. */
export class CreateDownloadLinkDto {
  /** The media containers whose files are offered. @example [7, 8] */
  @ArrayMaxSize(MAX_CONTAINERS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_ID, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  mediaContainerIds: number[];

  /** The formats that are offered. A file that has not been made yet appears on the page once it is ready. @example [3] */
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @Max(MAX_ID, { each: true })
  @Min(1, { each: true })
  @IsInt({ each: true })
  @IsArray()
  formatIds: number[];

  /** 0: the default page, which is also shown for an unknown template. @example 0 */
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

  /** When the link starts to work: Unix seconds, or a date or time in ISO 8601; a date is its beginning in UTC. @example 1893456000 */
  @UnlessNull()
  @IsLinkTime()
  start?: number | string | null;

  /** When the link stops working: Unix seconds, or a date or time in ISO 8601; a date is its end in UTC. @example 1896134400 */
  @UnlessNull()
  @IsLinkTime()
  end?: number | string | null;
}

/** The id of a download link. The id of another customer's link counts as unknown. */
export class DownloadLinkIdDto extends IdOf({ example: 1 }) {}

/** Which download links to list; without an id a page of all. */
@RefusesUnknownParameters()
export class FindDownloadLinksDto extends LinkPageDto {
  /** Only the link with this id, unless it was deleted; with a state only in this one. The list is empty if it is unknown. @example 3 */
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
  /** The page. @example "https://media.example.com/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  url: string;
  /** @example [7, 8] */
  mediaContainerIds: number[];
  /** @example [3] */
  formatIds: number[];
  /** 0: the default page. @example 0 */
  templateId: number;
  /** Empty: the page chooses a heading. @example "Pictures of the summer party" */
  title: string;
  /** When the link starts to work (Unix seconds); null: at once. @example null */
  start: number | null;
  /** When the link stops working (Unix seconds); null: never. @example 1896134400 */
  end: number | null;
  /** When it was deleted (ISO 8601); null: it was not. */
  endedAt: Date | null;
  /** The user who deleted it. @example null */
  endedBy: number | null;
  /** @example 12 */
  creatorId: number;
  /** @example 1 */
  customerId: number;
  /** How often the page was opened, and files were downloaded. Counted with a delay of some seconds. @example 42 */
  uses: number;
  /** The hour of the last use (ISO 8601); null: not used yet. */
  lastUsedAt: Date | null;
  /** ISO 8601. */
  createdAt: Date;
}

/** A new download link. */
export class CreatedDownloadLinkResponse extends DownloadLinkResponse {
  /** Members of the input that were ignored, and why; absent if all of it was used. */
  ignored?: IgnoredInputResponse[];
}

/** A download link that has been deleted. */
export class DeletedDownloadLinkResponse extends DeletedOf({ example: 3 }) {}

export const toDownloadLinkResponse = (link: DownloadLink, { publicUrl }: Pick<Config, 'publicUrl'>): DownloadLinkResponse => ({
  id: link.id,
  link: link.link,
  url: `${publicUrl}/l/${link.link}`,
  mediaContainerIds: link.mediaContainerIds,
  formatIds: link.formatIds,
  templateId: link.templateId,
  title: link.title,
  start: toUnixSeconds(link.start),
  end: toUnixSeconds(link.end),
  endedAt: link.endedAt,
  endedBy: link.endedBy,
  creatorId: link.creatorId,
  customerId: link.customerId,
  uses: link.uses,
  lastUsedAt: link.lastUsedAt,
  createdAt: link.createdAt,
});
