export { IdempotencyModule } from './idempotency.module.js';
export { IDEMPOTENCY_HEADER } from './idempotency-header.js';
export { IdempotencyKey } from './idempotency-key.entity.js';
export { IDEMPOTENT, Idempotent } from './idempotent.js';
