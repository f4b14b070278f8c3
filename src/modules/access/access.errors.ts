import { defineErrors } from '../../shared/errors.js';

export const accessErrors = defineErrors({
  selector_required: {
    kind: 'invalid',
    meaning: 'Deauthorize needs at least one of id, client_id and device, so that a mistake does not end all authorizations.',
  },
});
