import { IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, Max, Min } from 'class-validator';
import { CastInteger } from '../../../shared/http/index.js';
import { MAX_ID } from '../../../shared/validation/index.js';

/** More than a customer has use for at once; each is a job of its own. */
const MAX_FORMATS = 50;

/** Which media container. */
class TranscodedContainerDto {
  /** @example 7 */
  @CastInteger()
  @IsInt()
  @Min(1)
  @Max(MAX_ID)
  id: number;
}

/** Which formats to make. */
export class TranscodeFieldsDto {
  /** 1 to 50, none twice; your own formats, or blueprints. @example [12, 14] */
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsInt({ each: true })
  @IsArray()
  formatIds: number[];
}

/** The same, of one media container. */
export class TranscodeDto extends IntersectionType(TranscodedContainerDto, TranscodeFieldsDto) {}

/** A rendition that is being made. */
export class TranscodingJobResponse {
  /** How far it is: GET /v5/activity/jobResult/:jobId. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** @example 12 */
  formatId: number;
}

/** What is being made, in the order in which it was asked for. */
export class TranscodeResponse {
  jobs: TranscodingJobResponse[];
}
