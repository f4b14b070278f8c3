import { Global, Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency.service.js';

@Global()
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}
