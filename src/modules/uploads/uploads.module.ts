import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index.js';
import { MediaModule } from '../media/index.js';
import { UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { BatchCompletionListeners } from './completion/batch-completion-listener.js';
import { UploadCompletion } from './completion/upload-completion.js';
import { CredentialIssuer } from './credentials/credential-issuer.js';
import { ItemCredentials } from './credentials/item-credentials.js';
import { StsCredentialIssuer } from './credentials/sts-credential-issuer.js';
import { UploadCredentials } from './credentials/upload-credentials.js';
import { BatchFiller } from './preparation/batch-filler.js';
import { UploadPreparation } from './preparation/upload-preparation.js';
import { UploadsController } from './uploads.controller.js';

/** Files that get in: prepared, uploaded straight to the object storage, reported, completed. */
@Module({
  imports: [ActivityModule, MediaModule],
  controllers: [UploadsController],
  providers: [
    { provide: CredentialIssuer, useClass: StsCredentialIssuer },
    BatchCompletionListeners,
    BatchFiller,
    ItemCredentials,
    UploadBatchesRepository,
    UploadCompletion,
    UploadCredentials,
    UploadPreparation,
  ],
  exports: [BatchCompletionListeners, UploadPreparation],
})
export class UploadsModule {}
