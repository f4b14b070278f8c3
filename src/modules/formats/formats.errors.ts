import { defineErrors } from '../../shared/errors.js';

export const formatErrors = defineErrors({
  blueprint_read_only: {
    kind: 'forbidden',
    meaning: 'The service manages blueprints, which cannot be changed. Create a format based on the blueprint instead.',
  },
});
