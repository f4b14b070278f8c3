import { defineErrors } from '../../shared/errors/index.js';

export const formatErrors = defineErrors({
  blueprint_read_only: {
    kind: 'forbidden',
    meaning: 'Blueprints are managed by the service; make a format based on it instead.',
  },
});
