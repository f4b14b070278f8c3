export { UploadBatch } from './batches/upload-batch.entity.js';
export { type BatchCompletionListener, BatchCompletionListeners, type CompletedBatch } from './completion/batch-completion-listener.js';
export { CreateUploadDto, MAX_ITEMS, UploadItemDto } from './create-upload.dto.js';
export type { CheckedItem } from './preparation/check-item.js';
export { UploadPreparation, type UploadRequest } from './preparation/upload-preparation.js';
export { UploadDocumentResponse } from './upload-document.dto.js';
export { uploadErrors } from './uploads.errors.js';
export { UploadsModule } from './uploads.module.js';
