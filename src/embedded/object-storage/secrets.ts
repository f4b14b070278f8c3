import { randomBytes } from 'node:crypto';
import { madeOnce } from '../made-once.js';
import type { AccessKey } from './sts/authenticate.js';
import { base32 } from './sts/session-token.js';

/** What is made once for a data directory, and readable to its owner only. */
export interface Secrets {
  readonly key: AccessKey;
  /** Seals session tokens. */
  readonly secret: string;
}

const FILE = 'secrets.json';

export async function readOrMakeSecrets(dataDir: string): Promise<Secrets> {
  return JSON.parse(await madeOnce(dataDir, FILE, () => JSON.stringify(makeSecrets()))) as Secrets;
}

function makeSecrets(): Secrets {
  return {
    key: { accessKeyId: `AKIA${base32(randomBytes(16))}`, secretAccessKey: randomBytes(30).toString('base64') },
    secret: randomBytes(32).toString('base64'),
  };
}
