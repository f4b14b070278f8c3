import { defineErrors } from '../../../shared/errors.js';

export const signatureErrors = defineErrors({
  signature_missing: {
    kind: 'unauthenticated',
    meaning: 'A signed request needs the headers x-service-accesskey, x-service-rts, x-service-hash and x-service-version.',
  },
  signature_version_unsupported: {
    kind: 'unauthenticated',
    meaning: 'Signatures of versions before 5 are not accepted. Sign with version 5 and send x-service-version: 5.',
  },
  signature_expired: {
    kind: 'unauthenticated',
    meaning: 'The time in x-service-rts is too far from the time of the service. Check the clock and sign again.',
  },
  signature_mismatch: { kind: 'unauthenticated', meaning: 'The access key is unknown, or the hash does not match this request.' },
  signature_replayed: { kind: 'unauthenticated', meaning: 'This signature was used before. Sign each request again.' },
  identifier_not_allowed: {
    kind: 'forbidden',
    meaning: 'The identifier does not name a user of the same customer, or the user has a higher adminLevel than the user of the key.',
  },
  authmeta_invalid: { kind: 'invalid', meaning: 'x-service-authmeta must be <lower-case method>:<path> of the signed request.' },
});
