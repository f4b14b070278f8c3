import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { HealthChecksService } from '../health/health-checks.service.js';
import { CdnUrls } from './cdn-urls.service.js';
import { ObjectStorage } from './object-storage.port.js';
import { S3ObjectStorage } from './s3-object-storage.adapter.js';
import { StorageHealthService } from './storage-health.service.js';

@Global()
@Module({
  providers: [{ provide: ObjectStorage, useClass: S3ObjectStorage }, CdnUrls, StorageHealthService],
  exports: [CdnUrls, ObjectStorage, StorageHealthService],
})
export class StorageModule implements OnModuleInit {
  constructor(
    private readonly checks: HealthChecksService,
    private readonly storage: ObjectStorage,
  ) {}

  onModuleInit(): void {
    if (this.storage.location.bucket === '') return; // commands and tests without a storage
    this.checks.register('storage', { maxAgeSeconds: 5, recheckSeconds: 5, findProblem: async () => await this.storage.findProblem() });
  }
}
