import { defineErrors } from '../../../shared/errors.js';

export const transcodingRequestErrors = defineErrors({
  original_missing: {
    kind: 'conflict',
    meaning: 'The original has not been uploaded, or was removed. Upload it and report its success first.',
  },
  media_container_is_watermark: {
    kind: 'conflict',
    meaning: 'Formats cannot be made from watermark assets. Change the type of the media container back first.',
  },
});

/** Why a transcoding failed, as `jobResult` and the activity show it. */
export const executionErrors = defineErrors({
  format_gone: {
    kind: 'gone',
    meaning: 'The transcoding failed because its format was destroyed in the meantime. Request another format.',
  },
  source_missing: {
    kind: 'gone',
    meaning: 'The transcoding failed because its media container or original was removed in the meantime.',
  },
  watermark_missing: {
    kind: 'gone',
    meaning:
      'The transcoding failed because a watermark of its format was removed or is no longer a watermark asset. Give the format another watermark.',
  },
  source_unreadable: {
    kind: 'invalid',
    meaning: 'The transcoding failed because the original does not match its type or name, is damaged, or is too large. Upload it again.',
  },
  transcoding_refused: {
    kind: 'invalid',
    meaning:
      'The transcoding failed because its format cannot be made from this original, or has settings that must not be passed to a program. Change the format.',
  },
  tool_failed: {
    kind: 'invalid',
    meaning:
      'The transcoding failed because a program could not make the rendition. The `log` of its activity ends with the last output of the program.',
  },
  took_too_long: {
    kind: 'too_large',
    meaning:
      'The transcoding failed because it took more processor time, or longer, than such a conversion may. Upload a simpler or shorter file, or divide it.',
  },
  size_limit_exceeded: {
    kind: 'too_large',
    meaning: 'The transcoding failed because a program exceeded the size limit for such an original.',
  },
  result_unreadable: {
    kind: 'invalid',
    meaning: 'The transcoding failed because the result of a program is empty or cannot be read.',
  },
});

/** Why a transcoding ended without a result, as `jobResult` and the activity show it. */
export const transcodingEndErrors = defineErrors({
  cancelled: {
    kind: 'gone',
    meaning: 'The transcoding was cancelled.',
  },
  format_unavailable: {
    kind: 'unavailable',
    meaning: 'The transcoding failed because for a day no worker had the programs that its format needs. The operator can install them.',
  },
  transcoding_gave_up: {
    kind: 'unavailable',
    meaning:
      'The transcoding failed because it was interrupted five times: the storage was down, a disk was full, or a worker or program was killed.',
  },
});
