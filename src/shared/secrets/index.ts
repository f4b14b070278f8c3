export { SecretBox } from './secret-box.js';
export { SecretsModule } from './secrets.module.js';
export { equalInConstantTime, sha256 } from './sha256.js';
