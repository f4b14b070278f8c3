import { Module, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../shared/config/index.js';
import { HealthChecksService } from '../../shared/health/health-checks.service.js';
import { ActivityModule } from '../activity/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { BatchObjectsService } from './batches/batch-objects.service.js';
import { UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { UploadBatchesService } from './batches/upload-batches.service.js';
import { UploadBytesService } from './batches/upload-bytes.service.js';
import { CredentialIssuer } from './credentials/credential-issuer.port.js';
import { ItemCredentialsService } from './credentials/item-credentials.service.js';
import { StsCredentialIssuer } from './credentials/sts-credential-issuer.adapter.js';
import { UploadCredentialsService } from './credentials/upload-credentials.service.js';
import { NewBatchesService } from './preparation/new-batches.service.js';
import { UploadPreparationService } from './preparation/upload-preparation.service.js';
import { UploadAbandonmentService } from './upload-abandonment.service.js';
import { UploadBytesJob } from './upload-bytes.job.js';
import { UploadCompletionService } from './upload-completion.service.js';
import { UploadReaperJob } from './upload-reaper.job.js';
import { UploadReconciliationService } from './upload-reconciliation.service.js';
import { UploadsController } from './uploads.controller.js';

/** Uploads: files are prepared, sent directly to the object storage, reported item by item, and completed. */
@Module({
  imports: [ActivityModule, FormatsModule, MediaModule],
  controllers: [UploadsController],
  providers: [
    { provide: CredentialIssuer, useClass: StsCredentialIssuer },
    BatchObjectsService,
    ItemCredentialsService,
    NewBatchesService,
    UploadAbandonmentService,
    UploadBatchesRepository,
    UploadBatchesService,
    UploadBytesJob,
    UploadBytesService,
    UploadCompletionService,
    UploadCredentialsService,
    UploadPreparationService,
    UploadReaperJob,
    UploadReconciliationService,
  ],
  exports: [UploadBatchesService, UploadBytesJob, UploadPreparationService, UploadReaperJob, UploadReconciliationService],
})
export class UploadsModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly checks: HealthChecksService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /**
   * Registers the health check of STS. Each check is a call of AWS, for which an account has a quota; calls for uploads show sooner whether STS
   * works.
   */
  onModuleInit(): void {
    if (this.config.stsRoleArn === '') return; // for commands and tests that use no storage
    this.checks.register('sts', { maxAgeSeconds: 60, recheckSeconds: 15, findProblem: async () => await this.issuer.findProblem() });
  }
}
