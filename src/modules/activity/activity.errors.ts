import { defineErrors } from '../../shared/errors/index.js';

export const activityErrors = defineErrors({
  job_not_cancellable: {
    kind: 'conflict',
    meaning: 'Only a transcoding that waits or runs can be cancelled; this job has ended, or is of another type.',
  },
});
