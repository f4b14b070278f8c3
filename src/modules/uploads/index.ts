export { UploadBatch } from './batches/upload-batch.entity.js';
export { UploadBatchesService } from './batches/upload-batches.service.js';
export { CredentialIssuer, type Credentials } from './credentials/credential-issuer.port.js';
export { sessionPolicy } from './credentials/credential-sets.js';
export { type CheckedItem, ITEM_LIMITS } from './preparation/check-item.js';
export { UploadPreparationService, type UploadRequest } from './preparation/upload-preparation.service.js';
export { CreateUploadDto, MAX_ITEMS, UploadItemDto } from './upload.dto.js';
export { UploadBytesJob } from './upload-bytes.job.js';
export { UploadDocumentResponse } from './upload-document.dto.js';
export {
  type BatchCompletionListener,
  BatchCompletionListeners,
  type BytesCorrection,
  type BytesCorrectionListener,
  BytesCorrectionListeners,
  type CompletedBatch,
} from './upload-listeners.port.js';
export { type ReapReport, UploadReaperJob } from './upload-reaper.job.js';
export { UploadReconciliationService } from './upload-reconciliation.service.js';
export { uploadErrors } from './uploads.errors.js';
export { UploadsModule } from './uploads.module.js';
