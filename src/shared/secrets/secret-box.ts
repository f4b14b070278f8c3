import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/index.js';
import { StartupError } from '../errors/index.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets at rest (AES-256-GCM) and derives keys, all from APP_SECRET by HKDF (RFC 5869) with one label per purpose. */
@Injectable()
export class SecretBox {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly config: Config) {}

  /** Encrypts text for storage; `purpose` must be the same when it is opened. */
  seal(purpose: string, plain: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), iv);
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** @throws StartupError when the text was sealed under another APP_SECRET. */
  open(purpose: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      throw new StartupError(
        'The secrets in the database were encrypted under another APP_SECRET: start with the one they were made with.',
      );
    }
  }

  /** HMAC-SHA256 of a value under a key of its own purpose. */
  mac(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.key(purpose)).update(value).digest();
  }

  private key(purpose: string): Buffer {
    let key = this.keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.config.appSecret, '', purpose, 32));
      this.keys.set(purpose, key);
    }
    return key;
  }
}
