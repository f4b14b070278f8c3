export { awsClientOptions } from './aws-client-options.js';
export { ObjectStorage, type OpenMultipartUpload, type StorageLocation, type StoredObject } from './object-storage.js';
export { storageUnavailable } from './storage.errors.js';
export { StorageModule } from './storage.module.js';
