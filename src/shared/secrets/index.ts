export { SealedTextsRepository } from './sealed-texts.repository.js';
export {
  equalInConstantTime,
  Sealed,
  type SealedColumn,
  SecretBoxService,
  sealedColumns,
  sha256,
  UnreadableSecret,
  unlessUnreadable,
} from './secret-box.service.js';
export { type Reencryption, SecretReencryptionService } from './secret-reencryption.service.js';
