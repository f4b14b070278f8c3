import { type Format, programsOfFormat, type VisibleFormats } from '../../formats/index.js';
import { PRIORITIES } from '../jobs/transcoding-job.entity.js';
import type { NewTranscodingJob } from '../jobs/transcoding-queue.js';

/** Of what formats are to be made. */
export interface TranscodingSource {
  readonly customerId: number;
  readonly mediaContainerId: number;
  /** The original. */
  readonly sourceMediaId: number;
}

/** The job that makes a format of an original. */
export const newJobOf = (source: TranscodingSource, format: Format, visible: VisibleFormats): NewTranscodingJob => ({
  ...source,
  formatId: format.id,
  programs: programsOfFormat(format, visible),
  priority: PRIORITIES[format.usage],
});
