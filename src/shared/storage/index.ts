export { type BucketVersioning, versioningProblem } from './bucket-versioning.js';
export { type CdnSigner, createCdnSigner } from './cdn-signers.js';
export { CdnUrls } from './cdn-urls.service.js';
export { contentDisposition } from './content-disposition.js';
export {
  type ByteRange,
  collect,
  type ListedVersion,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type ObjectVersion,
  type OpenMultipartUpload,
  type ReadObject,
  type ReadOptions,
  type StorageLocation,
  type StoredHeaders,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.port.js';
export { bucketUrl, encodeKey, mediaOrigins, storageOrigin } from './object-url.js';
export { OutageMemory } from './outage-memory.js';
export { answers, awsClientOptions, inTime, s3ClientOptions, tryCall } from './s3-client.js';
export {
  describeFailure,
  describeOutage,
  isDenied,
  isUnanswered,
  storageDenied,
  storageErrors,
  storageUnavailable,
} from './storage.errors.js';
export { StorageModule } from './storage.module.js';
export { StorageHealthService } from './storage-health.service.js';
export { measureStorageCall } from './storage-metrics.js';
