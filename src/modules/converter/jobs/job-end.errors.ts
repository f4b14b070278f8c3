import { defineErrors } from '../../../shared/errors/index.js';

/** Why a transcoding job ended before its work did, as its `jobResult` and its activity tell it. */
export const jobEndErrors = defineErrors({
  cancelled: {
    kind: 'gone',
    meaning: 'A job ended because somebody cancelled it.',
  },
  format_unavailable: {
    kind: 'unavailable',
    meaning: 'A job ended because for a day no worker had the programs that its format needs; the operator can install them.',
  },
  transcoding_gave_up: {
    kind: 'unavailable',
    meaning:
      'A job ended because it was interrupted five times: the storage was away, a disk full, a worker or a program ended from outside.',
  },
});
