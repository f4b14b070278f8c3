import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readIfExists, writeWhole } from './folder-claim.js';
import { type AccessKey, base32 } from './sts/authenticate.js';

/** The secrets of a folder: created once, readable only by its owner. */
export interface Secrets {
  readonly key: AccessKey;
  /** Encrypts session tokens. */
  readonly secret: string;
}

const SECRETS_FILE = 'secrets.json';

/** The secrets of a folder; null if no storage has used it yet. */
export function readSecrets(folder: string): Secrets | null {
  const text = readIfExists(path.join(folder, SECRETS_FILE));
  return text === null ? null : (JSON.parse(text) as Secrets);
}

/** The secrets of a folder that this process has claimed. */
export function readOrMakeSecrets(folder: string): Secrets {
  return readSecrets(folder) ?? makeSecrets(folder);
}

function makeSecrets(folder: string): Secrets {
  const secrets = {
    key: { accessKeyId: `AKIA${base32(randomBytes(16))}`, secretAccessKey: randomBytes(30).toString('base64') },
    secret: randomBytes(32).toString('base64'),
  };
  writeWhole(path.join(folder, SECRETS_FILE), JSON.stringify(secrets));
  return secrets;
}
