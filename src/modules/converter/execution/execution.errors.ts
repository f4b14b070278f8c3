import { defineErrors } from '../../../shared/errors/index.js';

/** Why a transcoding job failed, as its `jobResult` and its activity tell it. */
export const executionErrors = defineErrors({
  format_gone: {
    kind: 'gone',
    meaning: 'A job failed because its format was destroyed meanwhile; ask for another format.',
  },
  source_missing: {
    kind: 'gone',
    meaning: 'A job failed because its media or the original of it was removed meanwhile.',
  },
  watermark_missing: {
    kind: 'gone',
    meaning: 'A job failed because a watermark that its format names is gone, or is none any more; give the format another one.',
  },
  source_unreadable: {
    kind: 'invalid',
    meaning:
      'A job failed because the original is not what its type or name says, is damaged, or is larger than what is taken; upload it anew.',
  },
  transcoding_refused: {
    kind: 'invalid',
    meaning:
      'A job failed because its format cannot be made of such an original, or has settings that no program is given; change the format.',
  },
  tool_failed: {
    kind: 'invalid',
    meaning: 'A job failed because a program could not make it; what the program said last stands in the `log` of its activity.',
  },
  time_limit_exceeded: {
    kind: 'too_large',
    meaning: 'A job failed because a program took longer than it may for such an original.',
  },
  size_limit_exceeded: {
    kind: 'too_large',
    meaning: 'A job failed because a program wrote more than it may for such an original.',
  },
  result_unreadable: {
    kind: 'invalid',
    meaning: 'A job failed because what a program made is empty or cannot be read.',
  },
});
