import { IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt } from 'class-validator';
import { IdOf } from '../../../shared/resources/index.js';

/** More than a customer needs at once; each format is a separate transcoding. */
export const MAX_FORMATS = 50;

/** A media container. */
class TranscodedContainerDto extends IdOf({ example: 1 }) {}

/** Which formats to make. */
export class TranscodeFieldsDto {
  /** 1 to 50 different ids of your own formats or of blueprints. @example [12, 14] */
  @ArrayMaxSize(MAX_FORMATS)
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsInt({ each: true })
  @IsArray()
  formatIds: number[];
}

/** Formats of one media container to make. */
export class TranscodeDto extends IntersectionType(TranscodedContainerDto, TranscodeFieldsDto) {}

/** A rendition that is being made. */
export class TranscodingJobResponse {
  /** Progress and result: GET /v5/activity/jobResult/:jobId. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** @example 12 */
  formatId: number;
}

/** The transcodings, in the order of the request. */
export class TranscodeResponse {
  jobs: TranscodingJobResponse[];
}
