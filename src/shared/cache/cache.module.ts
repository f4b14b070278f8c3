import { Global, Module } from '@nestjs/common';
import { Caches } from './caches.js';

@Global()
@Module({ providers: [Caches], exports: [Caches] })
export class CacheModule {}
