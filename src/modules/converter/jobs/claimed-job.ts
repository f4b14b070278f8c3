import type { TranscodingJob } from './transcoding-job.entity.js';

/** A job as the worker has it that took it. */
export type ClaimedJob = Pick<
  TranscodingJob,
  'id' | 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId' | 'priority' | 'attempt' | 'failures' | 'depth'
> &
  Partial<Pick<TranscodingJob, 'rootEventId'>>;

/** Its columns, for SELECT and RETURNING. */
export const JOB_COLUMNS = `id, customer_id AS "customerId", media_container_id AS "mediaContainerId", source_media_id AS "sourceMediaId",
  format_id AS "formatId", priority, attempt, failures, depth, root_event_id AS "rootEventId"`;
