import { defineErrors } from '../errors/index.js';

export const idempotencyErrors = defineErrors({
  invalid_idempotency_key: {
    kind: 'invalid',
    meaning: 'An Idempotency-Key has 1 to 255 visible ASCII characters; choose a new UUID for each thing that is to be made.',
  },
  idempotency_key_reused: {
    kind: 'conflict',
    meaning: 'The Idempotency-Key was sent with another request before; choose a new one for each thing that is to be made.',
  },
  idempotent_answer_unreadable: {
    kind: 'conflict',
    meaning:
      'The request was carried out before and is not repeated, but its answer was encrypted under an APP_SECRET that the service no longer has; find what it made.',
  },
});
