import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IDEMPOTENCY_HEADER } from './idempotency-header.js';

export const IDEMPOTENT = 'idempotency:idempotent';

/**
 * For operations that make something: the same request with the same Idempotency-Key makes it once and gets the same answer, so that a
 * caller who does not know how the first one ended can send it again (contract section 9; draft-ietf-httpapi-idempotency-key-header).
 * Everything that the operation does in the database has to stand in the ambient transaction.
 */
export const Idempotent = () =>
  applyDecorators(SetMetadata(IDEMPOTENT, true), UseInterceptors(IdempotencyInterceptor), ApiHeader(IDEMPOTENCY_HEADER));
