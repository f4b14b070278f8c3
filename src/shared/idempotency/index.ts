export { IDEMPOTENCY_HEADER, IDEMPOTENT, Idempotent } from './idempotency.interceptor.js';
export { IdempotencyKey } from './idempotency-key.entity.js';
