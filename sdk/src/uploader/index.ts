// For pages that show an upload and let people pause it and decide about duplicates; programs call `client.upload`.
export { ProblemError } from '../problem-error.js';
export { Batch, MAX_BATCH_ITEMS, type UploadDocument, type UploadRequest } from './batch.js';
export type { Connection } from './connection.js';
export { StorageError } from './errors.js';
export { extensionOf, type MediaType, mediaTypeOf } from './media-type.js';
export { MAX_FILE_SIZE } from './plan-parts.js';
export { ServerClock } from './server-clock.js';
export type { UploadService } from './service-calls.js';
export { type Credentials, StorageClient, type Target } from './storage-client.js';
export { type FileSource, type Progress, UploadFile, type UploadFileOptions } from './upload-file.js';
export { Uploader } from './uploader.js';
export type { Phase, UploaderOptions, UploadMemory } from './uploader-options.js';
