export { findLocalStorage, type LocalStorageProcess } from './find-local-storage.js';
export { LocalStorageError } from './local-storage-error.js';
export { type LocalStorage, type LocalStorageAddress, type LocalStorageOptions, startLocalStorage } from './start-local-storage.js';
