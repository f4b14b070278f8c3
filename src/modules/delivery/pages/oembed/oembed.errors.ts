import { defineErrors } from '../../../../shared/errors/index.js';

export const oembedErrors = defineErrors({
  oembed_private: {
    kind: 'unauthenticated',
    meaning: 'Only certain viewers see what the link shows, so nothing is told about it; show its address instead (oEmbed, section 2.3.4).',
  },
});
