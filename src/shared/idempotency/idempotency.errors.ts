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
});
