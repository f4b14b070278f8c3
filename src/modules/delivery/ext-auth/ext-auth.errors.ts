import { defineErrors } from '../../../shared/errors/index.js';

export const extAuthErrors = defineErrors({
  signature_required: {
    kind: 'forbidden',
    meaning: 'The operation is for signed requests; a token of the caller does not count, because it names no access key.',
  },
  access_key_not_allowed: {
    kind: 'forbidden',
    meaning: "The access key that signed is not in the enabled extAuth.allowedAccessKeys of the link's player configuration.",
  },
});
