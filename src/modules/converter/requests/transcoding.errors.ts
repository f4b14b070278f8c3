import { defineErrors } from '../../../shared/errors/index.js';

export const transcodingErrors = defineErrors({
  original_missing: {
    kind: 'conflict',
    meaning: 'The original has not arrived, or is gone; formats are made of it. Upload it and report its success first.',
  },
  media_container_is_watermark: {
    kind: 'conflict',
    meaning: 'Watermark assets are laid over other media, and no formats are made of them; give the container its type back first.',
  },
});
