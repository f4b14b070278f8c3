export { type Reencryption, SecretReencryption } from './reencryption.js';
export { Sealed, type SealedColumn, sealedColumns } from './sealed.js';
export { SecretBox, UnreadableSecret, unlessUnreadable } from './secret-box.js';
export { SecretsModule } from './secrets.module.js';
export { equalInConstantTime, sha256 } from './sha256.js';
