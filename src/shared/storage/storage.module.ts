import { Global, Module } from '@nestjs/common';
import { CdnUrls } from './cdn-urls.service.js';
import { ObjectStorage } from './object-storage.port.js';
import { S3ObjectStorage } from './s3-object-storage.adapter.js';
import { StorageHealthService } from './storage-health.service.js';

@Global()
@Module({
  providers: [{ provide: ObjectStorage, useClass: S3ObjectStorage }, CdnUrls, StorageHealthService],
  exports: [CdnUrls, ObjectStorage, StorageHealthService],
})
export class StorageModule {}
