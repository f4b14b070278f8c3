export {
  equalInConstantTime,
  Sealed,
  type SealedColumn,
  SecretBox,
  sealedColumns,
  sha256,
  UnreadableSecret,
  unlessUnreadable,
} from './secret-box.js';
export { type Reencryption, SecretReencryptionService } from './secret-reencryption.service.js';
