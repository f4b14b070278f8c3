import { Global, Module } from '@nestjs/common';
import { HealthModule } from '../health/index.js';
import { ObjectStorage } from './object-storage.js';
import { S3ObjectStorage } from './s3-object-storage.js';
import { StorageHealthService } from './storage-health.js';

@Global()
@Module({
  imports: [HealthModule],
  providers: [{ provide: ObjectStorage, useClass: S3ObjectStorage }, StorageHealthService],
  exports: [ObjectStorage, StorageHealthService],
})
export class StorageModule {}
