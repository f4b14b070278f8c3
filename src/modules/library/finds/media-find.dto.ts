import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { CastBoolean, CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { IsTime } from '../../../shared/validation/index.js';
import { CONTAINER_TYPES, type ContainerType } from '../../media/index.js';
import { CONTAINER_STATES, type ContainerState } from '../media-container-input.dto.js';
import { FIND_ORDERS, FIND_SORTS, type FindOrder, type FindSort } from './find-cursor.js';

const MAX_SEARCH_CHARACTERS = 200;
const MAX_TAGS = 20;
const MAX_TAG_CHARACTERS = 1_024; // as in changes of a media container
const MAX_EXTENSION_CHARACTERS = 100; // longer than any real extension; a term has at most 2,046 bytes

/** A parameter that may be repeated. Express parses more than 20 repetitions as an object with their positions as names. */
const CastList = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (typeof value === 'string') return [value];
    const isByPosition = typeof value === 'object' && value !== null && Object.keys(value).every((name, n) => name === String(n));
    return isByPosition ? Object.values(value) : value;
  });

/** A number of a JSON body becomes text. */
const CastText = (): PropertyDecorator => Transform(({ value }: { value: unknown }) => (typeof value === 'number' ? String(value) : value));

/** Filters of media containers: a container must match all given filters. */
@RefusesUnknownParameters()
export class MediaFilterDto {
  /** Only this container; the list is empty when it is unknown. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  id?: number;

  /** Words that occur in the name, description, tags, file names or metadata, in any order; case and accents are ignored, and the beginning of a word is sufficient. @example "river spring" */
  @IsOptional()
  @MaxLength(MAX_SEARCH_CHARACTERS)
  @IsString()
  search?: string;

  /** @example "video" */
  @IsOptional()
  @IsIn(CONTAINER_TYPES)
  type?: ContainerType;

  /** A tag, exactly as it is written; if the parameter is repeated, the container has all of these tags. @example ["news"] */
  @IsOptional()
  @CastList()
  @ArrayMaxSize(MAX_TAGS)
  @MaxLength(MAX_TAG_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @IsArray()
  tag?: string[];

  /** File extension of the original, without a dot. @example "mov" */
  @IsOptional()
  @MaxLength(MAX_EXTENSION_CHARACTERS)
  @MinLength(1)
  @IsString()
  extension?: string;

  /** @example 3 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  creatorId?: number;

  /** Link of the dropsite that the container was uploaded to. @example "6f1c1a52-3d0e-4c55-8a5b-0f4f7a0b9f61" */
  @IsOptional()
  @IsUUID()
  dropsite?: string;

  /** ISO 8601 or Unix seconds; containers that were created at exactly this time are not included. @example "2026-01-01T00:00:00Z" */
  @IsOptional()
  @IsTime()
  createdAfter?: string;

  /** ISO 8601 or Unix seconds; containers that were created at exactly this time are not included. @example "2030-01-01" */
  @IsOptional()
  @IsTime()
  createdBefore?: string;

  /** Minimum size of the original in bytes. @example 1000 */
  @IsOptional()
  @CastInteger()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  minSize?: number;

  /** Maximum size of the original in bytes. @example 1000000000 */
  @IsOptional()
  @CastInteger()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(0)
  @IsInt()
  maxSize?: number;

  /** The container has a successful file of this format. @example 12 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  formatId?: number;

  /** The container has no successful file of this format. @example 13 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  missingFormatId?: number;

  /**
   * active (including watermark assets), trash or all (both); incomplete: instead of them those whose original has not arrived. By default active.
   * @example "trash"
   */
  @IsOptional()
  @IsIn(CONTAINER_STATES)
  state?: ContainerState;
}

/** A page of media containers. */
@RefusesUnknownParameters()
export class FindMediaContainersDto extends MediaFilterDto {
  /** Words of the names or the address of the sender, for containers that came by a dropsite; all must occur, as whole words. Requires the scope `api`. @example "Lovelace" */
  @IsOptional()
  @MaxLength(MAX_SEARCH_CHARACTERS)
  @IsString()
  sender?: string;

  /** By default createdAt; relevance shows containers with all words in the name before others, and requires search. @example "name" */
  @IsOptional()
  @IsIn(FIND_SORTS)
  sort?: FindSort;

  /** By default desc. @example "asc" */
  @IsOptional()
  @IsIn(FIND_ORDERS)
  order?: FindOrder;

  /** true: only containers whose original has a problem; false: only those whose original has none. @example true */
  @IsOptional()
  @CastBoolean()
  @IsBoolean()
  problem?: boolean;

  /** Maximum number of elements in the response. @example 100 */
  @IsOptional()
  @CastInteger()
  @Max(1_000)
  @Min(1)
  @IsInt()
  limit?: number;

  /** Position of the next page, from the `Link` header of the previous page. @example "0" */
  @IsOptional()
  @CastText()
  @MaxLength(8_000)
  @IsString()
  cursor?: string;
}

/** A value and how many of the containers have it. */
export class FacetResponse {
  /** @example "video" */
  value: string;

  /** @example 42 */
  count: number;
}

/** The 50 most frequent values of the containers that match, the most frequent first. */
export class MediaFacetsResponse {
  type: FacetResponse[];
  tag: FacetResponse[];
  /** File extensions of the originals. */
  extension: FacetResponse[];
}
