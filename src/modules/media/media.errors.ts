import { defineErrors } from '../../shared/errors/index.js';

export const mediaErrors = defineErrors({
  media_container_in_trash: {
    kind: 'conflict',
    meaning: 'The media container is in the trash; take it out first (PUT with flag 0, or 33 for a watermark asset).',
  },
});
