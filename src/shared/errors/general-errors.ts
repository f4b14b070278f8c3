import { defineErrors } from './define-errors.js';

/** The codes that any operation may answer. */
export const generalErrors = defineErrors({
  validation_failed: { kind: 'invalid', meaning: 'The input breaks a rule; `errors` lists every problem with its path.' },
  unauthenticated: { kind: 'unauthenticated', meaning: 'No valid credentials came with the request.' },
  token_invalid: { kind: 'unauthenticated', meaning: 'The access token is malformed, revoked, or was made for another service.' },
  token_expired: { kind: 'unauthenticated', meaning: 'The access token was valid and has expired; get a new one.' },
  device_mismatch: { kind: 'unauthenticated', meaning: 'The token is bound to a device; send the same value in x-service-device.' },
  insufficient_scope: { kind: 'forbidden', meaning: 'The token lacks the scope; `api:read` allows GET only.' },
  support_access_denied: { kind: 'forbidden', meaning: 'Support staff may not do this in the name of a user; the user has to do it.' },
  not_found: { kind: 'not_found', meaning: 'It does not exist, or belongs to another customer.' },
  precondition_failed: { kind: 'precondition_failed', meaning: 'It was changed since the version named in If-Match; read it again.' },
  payload_too_large: { kind: 'too_large', meaning: 'The request body is larger than the operation accepts.' },
  rate_limited: { kind: 'rate_limited', meaning: 'Too many requests; wait for the seconds in Retry-After.' },
});
