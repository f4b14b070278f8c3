import { Global, Module } from '@nestjs/common';
import { ObjectStorage } from './object-storage.port.js';
import { S3ObjectStorage } from './s3-object-storage.adapter.js';
import { StorageHealthService } from './storage-health.service.js';

@Global()
@Module({
  providers: [{ provide: ObjectStorage, useClass: S3ObjectStorage }, StorageHealthService],
  exports: [ObjectStorage, StorageHealthService],
})
export class StorageModule {}
