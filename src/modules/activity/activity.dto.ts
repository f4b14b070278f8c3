import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../shared/http/index.js';
import { PageDto } from '../../shared/resources/index.js';
import { IsId } from '../../shared/validation/index.js';
import type { ListedActivity } from './activities.service.js';
import { ACTIVITY_STATUSES, ACTIVITY_TYPES, type ActivityStatus, type ActivityType } from './activity.entity.js';

/** Identifies a job. */
export class JobIdDto {
  /** As returned by the operation that started it. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  @IsString()
  @MaxLength(64)
  jobId: string;
}

/** Selects jobs; without paging, the newest 100. */
@RefusesUnknownParameters()
export class FindActivitiesDto extends PageDto {
  /** @example "running" */
  @IsOptional()
  @IsIn(ACTIVITY_STATUSES)
  status?: ActivityStatus;

  /** @example "transcoding" */
  @IsOptional()
  @IsIn(ACTIVITY_TYPES)
  type?: ActivityType;

  /** Only jobs of this media container. @example 7 */
  @IsOptional()
  @CastInteger()
  @IsId()
  mediaContainerId?: number;
}

/** A job, running or ended. */
export class ActivityResponse {
  /** The id of the job; null for an upload to a dropsite if the token is read-only. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string | null;
  /** @example "transcoding" */
  type: ActivityType;
  /** running: waiting or running. @example "running" */
  @ApiProperty({ enum: ['running', 'successful', 'failed'] })
  status: ActivityStatus;
  /** Percent; null if the job reports no progress. @example 40 */
  progress: number | null;
  /** The media container of the job; null: none or several. @example 7 */
  mediaContainerId: number | null;
  /** The format that the job makes or destroys. @example 12 */
  formatId: number | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601; null: the job has not ended. */
  finishedAt: Date | null;
  /** Why the job failed or is waiting. @example null */
  message: string | null;
}

/** Converts a job to the response of the API. */
export function toActivityResponse({ jobId, activity, message }: ListedActivity): ActivityResponse {
  const { type, status, progress, mediaContainerId, formatId, createdAt, finishedAt } = activity;
  return { jobId, type, status, progress, mediaContainerId, formatId, createdAt, finishedAt, message };
}

/** A job that has not ended. */
export class RunningJobResponse {
  /** @example true */
  ok: true;
  /** Percent; absent if the job reports no progress. @example 40 */
  progress?: number;
}

/** A job that has failed. */
export class FailedJobResponse {
  /** @example "failed" */
  status: 'failed';
  /** Stable, for programs. @example "tool_failed" */
  code: string;
  /** @example "ffmpeg could not read the file." */
  message: string;
  /** The last output of a program; for users of the customer. */
  log?: string;
}

/** A transcoding that has succeeded. */
export class TranscodedResponse {
  /** @example "successful" */
  status: 'successful';
  /** @example 7 */
  mediaContainerId: number;
  /** The media item that was made; for a skipped format, the original. @example 13 */
  mediaId: number;
  /** @example 12 */
  formatId: number;
  /** The original does not need this rendition, so none was made: it is smaller, or has no sound. @example true */
  skipped?: true;
  /** Why the rendition was skipped. @example "The original has 400 lines, for which a smaller rendition is sufficient: this format requires more than 480 lines." */
  message?: string;
}

/** A format that was destroyed. */
export class FormatDestroyedResponse {
  /** The format. @example 3 */
  id: number;
  /** @example 1 */
  flag: 1;
  /** Media items that were destroyed with it. @example 0 */
  items: number;
}

const RESULTS = [RunningJobResponse, FailedJobResponse, TranscodedResponse, FormatDestroyedResponse];

/** Names the schemas that jobResultSchema refers to. */
export const ApiJobResults = () => ApiExtraModels(...RESULTS);

/** The schema of a job's result. The uploads module describes the result of an upload, because this module does not depend on it. */
export const jobResultSchema = () => ({
  oneOf: [...RESULTS, 'PreparedUploadResponse'].map((type) => ({ $ref: getSchemaPath(type) })),
});
