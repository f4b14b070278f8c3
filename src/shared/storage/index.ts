export { awsClientOptions, s3ClientOptions } from './aws-client-options.js';
export { bucketUrl, storageOrigin } from './bucket-url.js';
export { type BucketVersioning, versioningProblem } from './bucket-versioning.js';
export { contentDisposition } from './content-disposition.js';
export {
  type ByteRange,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type ObjectVersion,
  type OpenMultipartUpload,
  type Reading,
  type ReadObject,
  type StorageLocation,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.js';
export { isDenied, storageDenied, storageErrors, storageUnavailable } from './storage.errors.js';
export { StorageModule } from './storage.module.js';
export { StorageHealthService } from './storage-health.js';
