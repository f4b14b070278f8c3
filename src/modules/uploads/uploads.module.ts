import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/index.js';
import { FormatsModule } from '../formats/index.js';
import { MediaModule } from '../media/index.js';
import { SenderBatches } from './batches/sender-batches.js';
import { UploadBatchesRepository } from './batches/upload-batches.repository.js';
import { BatchCompletionListeners } from './completion/batch-completion-listener.js';
import { ItemSuccessListeners } from './completion/item-success-listener.js';
import { UploadCompletion } from './completion/upload-completion.js';
import { CreateUploadEndpoint } from './create-upload-endpoint.js';
import { CredentialIssuer } from './credentials/credential-issuer.js';
import { ItemCredentials } from './credentials/item-credentials.js';
import { StsCredentialIssuer } from './credentials/sts-credential-issuer.js';
import { UploadCredentials } from './credentials/upload-credentials.js';
import { BatchPlanner } from './preparation/batch-planner.js';
import { BatchRecorder } from './preparation/batch-recorder.js';
import { UploadPreparation } from './preparation/upload-preparation.js';
import { EndedBatchesRepository } from './reaper/ended-batches.repository.js';
import { ItemRemover } from './reaper/item-remover.js';
import { UploadReaper } from './reaper/upload-reaper.js';
import { UploadReconciler } from './reaper/upload-reconciler.js';
import { UploadsController } from './uploads.controller.js';

/** Files that get in: prepared, uploaded straight to the object storage, reported, completed. */
@Module({
  imports: [ActivityModule, FormatsModule, MediaModule],
  controllers: [UploadsController],
  providers: [
    { provide: CredentialIssuer, useClass: StsCredentialIssuer },
    BatchCompletionListeners,
    BatchPlanner,
    BatchRecorder,
    CreateUploadEndpoint,
    EndedBatchesRepository,
    ItemCredentials,
    ItemRemover,
    ItemSuccessListeners,
    SenderBatches,
    UploadBatchesRepository,
    UploadCompletion,
    UploadCredentials,
    UploadPreparation,
    UploadReaper,
    UploadReconciler,
  ],
  exports: [
    BatchCompletionListeners,
    CreateUploadEndpoint,
    ItemSuccessListeners,
    SenderBatches,
    UploadPreparation,
    UploadReaper,
    UploadReconciler,
  ],
})
export class UploadsModule {}
