export { awsClientOptions, s3ClientOptions } from './aws-client-options.js';
export { bucketUrl, storageOrigin } from './bucket-url.js';
export { contentDisposition } from './content-disposition.js';
export {
  type ByteRange,
  type NewObject,
  ObjectStorage,
  type ObjectUrlOptions,
  type OpenMultipartUpload,
  type ReadObject,
  type StorageLocation,
  type StoredObject,
  UnsatisfiableRange,
} from './object-storage.js';
export { isDenied, storageDenied, storageErrors, storageUnavailable } from './storage.errors.js';
export { StorageModule } from './storage.module.js';
