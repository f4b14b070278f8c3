import { defineErrors } from '../../shared/errors.js';

export const activityErrors = defineErrors({
  job_not_cancellable: {
    kind: 'conflict',
    meaning: 'Only a waiting or running transcoding can be cancelled; this job has ended, or is of another type.',
  },
});
