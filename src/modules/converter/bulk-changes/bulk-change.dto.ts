import { applyDecorators } from '@nestjs/common';
import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, IsString, MaxLength, MinLength } from 'class-validator';
import type { FieldProblem } from '../../../shared/errors.js';
import { IgnoredInputResponse, NestedObject, UnlessAbsent } from '../../../shared/validation/index.js';
import { MAX_TAGS, MediaContainerChangesDto } from '../../library/index.js';
import { IN_TRASH, MAX_NAME_CHARACTERS } from '../../media/index.js';
import { MAX_FORMATS } from '../transcodings/transcoding-requests.dto.js';

/** As many as one page of the list of containers may contain. */
const MAX_CONTAINERS = 1_000;

/** Tags that a change adds or removes. */
const IsTagList = (): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    IsString({ each: true }),
    MinLength(1, { each: true }),
    MaxLength(MAX_NAME_CHARACTERS, { each: true }),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_TAGS),
    UnlessAbsent(),
    ApiProperty({ type: [String], required: false }),
  );

/** The new values of each container; an absent member does not change the field, null clears it. */
export class BulkSetDto extends PickType(MediaContainerChangesDto, ['tags', 'license', 'start', 'end']) {
  /** Tags to add to each container; not together with `tags`. @example ["news"] */
  @IsTagList()
  addTags?: string[];

  /** Tags to remove from each container that has them; not together with `tags`. @example ["draft"] */
  @IsTagList()
  removeTags?: string[];
}

class BulkOperationsDto {
  /** Up to 1,000 media containers; repeated ids count once. @example [7, 8, 9] */
  @ArrayMaxSize(MAX_CONTAINERS)
  @ArrayMinSize(1)
  @IsInt({ each: true })
  @IsArray()
  ids: number[];

  /** Changes of the containers. */
  @UnlessAbsent()
  @NestedObject(() => BulkSetDto)
  set?: BulkSetDto;

  /** Transcodes each container into these formats: 1 to 50 different ids of your own formats or of blueprints. @example [12, 14] */
  @UnlessAbsent()
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsInt({ each: true })
  @IsArray()
  transcode?: number[];
}

/** One change of many media containers: at least one of `set`, `transcode` and `flag`. */
export class BulkChangeDto extends IntersectionType(BulkOperationsDto, PickType(MediaContainerChangesDto, ['flag'])) {}

/** A container that was not changed, and why. */
export class BulkFailureResponse {
  /** @example 9 */
  id: number;
  /** The code that the same change of this container alone returns. @example "not_found" */
  code: string;
  /** One sentence for a person. @example "The media container 9 does not exist." */
  message: string;
}

/** The result of one change of many media containers. */
export class BulkChangeResponse {
  /** The number of containers that are now as requested, including those that already were. @example 2 */
  changed: number;
  /** The containers that were not changed, in the order of the request. */
  failed: BulkFailureResponse[];
  /** Members of the input that were ignored, and why; absent if all of it was used. */
  ignored?: IgnoredInputResponse[];
}

/** The contradictions in an input whose members are all valid. */
export function findContradictions({ set, transcode, flag }: BulkChangeDto): FieldProblem[] {
  return [...(set ? findSetProblems(set) : []), ...findOperationProblems({ set, transcode, flag })];
}

function findOperationProblems({ set, transcode, flag }: Pick<BulkChangeDto, 'set' | 'transcode' | 'flag'>): FieldProblem[] {
  if (set === undefined && transcode === undefined && flag === undefined)
    return [{ path: 'set', code: 'required', message: 'set is required unless transcode or flag is present' }];
  if (flag === IN_TRASH && transcode !== undefined)
    return [{ path: 'transcode', code: 'not_allowed', message: 'transcode must be absent when flag 1 moves the containers to the trash' }];
  return [];
}

function findSetProblems({ tags, addTags, removeTags, license, start, end }: BulkSetDto): FieldProblem[] {
  if ([tags, addTags, removeTags, license, start, end].every((member) => member === undefined))
    return [{ path: 'set', code: 'required', message: 'set must have at least one of tags, addTags, removeTags, license, start and end' }];
  if (tags !== undefined && (addTags ?? removeTags) !== undefined)
    return [{ path: 'set.tags', code: 'not_allowed', message: 'tags replaces all tags; send it without addTags and removeTags' }];
  const added = new Set(addTags);
  const both = removeTags?.find((tag) => added.has(tag));
  if (both === undefined) return [];
  return [{ path: 'set.removeTags', code: 'not_allowed', message: `removeTags and addTags both contain ${JSON.stringify(both)}` }];
}
