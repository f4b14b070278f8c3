import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { CastInteger, PageDto } from '../../shared/http/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { ListedActivity } from './activities.service.js';
import { ACTIVITY_STATUSES, ACTIVITY_TYPES, type ActivityStatus, type ActivityType } from './activity.entity.js';

/** Which job. */
export class JobIdDto {
  /** As answered by the operation that began it. @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  @IsString()
  @MaxLength(64)
  jobId: string;
}

/** Which jobs; without a page the newest 100. */
export class FindActivitiesDto extends PageDto {
  /** @example "running" */
  @IsOptional()
  @IsIn(ACTIVITY_STATUSES)
  status?: ActivityStatus;

  /** @example "transcoding" */
  @IsOptional()
  @IsIn(ACTIVITY_TYPES)
  type?: ActivityType;

  /** Only those of this media container. @example 7 */
  @IsOptional()
  @CastInteger()
  @Max(MAX_ID)
  @Min(1)
  @IsInt()
  mediaContainerId?: number;
}

/** A job, running or ended. */
export class ActivityResponse {
  /** @example "0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11" */
  jobId: string;
  /** upload, transcoding or formatDestruction. @example "transcoding" */
  type: string;
  /** running (also while it waits), successful or failed. @example "running" */
  status: string;
  /** Per cent; null: it does not tell. @example 40 */
  progress: number | null;
  /** Of which media it is; null: of none or of many. @example 7 */
  mediaContainerId: number | null;
  /** The format that it makes or destroys. @example 12 */
  formatId: number | null;
  /** ISO 8601. */
  createdAt: Date;
  /** ISO 8601; null: it has not ended. */
  finishedAt: Date | null;
  /** Why it failed, or what keeps it waiting. @example null */
  message: string | null;
}

export function toActivityResponse({ activity, message }: ListedActivity): ActivityResponse {
  const { id: jobId, type, status, progress, mediaContainerId, formatId, createdAt, finishedAt } = activity;
  return { jobId, type, status, progress, mediaContainerId, formatId, createdAt, finishedAt, message };
}
