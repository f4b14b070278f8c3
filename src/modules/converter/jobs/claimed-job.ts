import type { TranscodingJob } from './transcoding-job.entity.js';

/** A job as the worker has it that took it. */
export type ClaimedJob = Pick<
  TranscodingJob,
  'id' | 'customerId' | 'mediaContainerId' | 'sourceMediaId' | 'formatId' | 'priority' | 'attempt' | 'failures' | 'depth'
>;
