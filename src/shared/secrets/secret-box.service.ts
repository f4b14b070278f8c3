import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { Config } from '../config/index.js';
import { StartupError } from '../errors.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text was sealed under none of the known secrets, or is damaged. Responses for such a record contain `secretsUnreadable: true`. */
export class UnreadableSecret extends StartupError {
  constructor() {
    super(
      'The secrets in the database were encrypted under another APP_SECRET: start with the one they were made with, or name it in APP_SECRET_PREVIOUS.',
    );
  }
}

/** The result of `open`, or null if it meets an unreadable secret. */
export function unlessUnreadable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

/** A decrypted text. */
export interface Opened {
  readonly plain: string;
  /** The secret under which it was sealed: 0 is APP_SECRET, the others are APP_SECRET_PREVIOUS in order. */
  readonly secret: number;
}

/**
 * Encrypts secrets at rest (AES-256-GCM) and derives keys from APP_SECRET by HKDF (RFC 5869), with one label per purpose. Values created
 * under a secret of APP_SECRET_PREVIOUS can still be decrypted and verified. Store sealed texts in a column with `@Sealed(purpose)`.
 */
@Injectable()
export class SecretBoxService {
  private readonly keys = new Map<string, readonly Buffer[]>();

  constructor(private readonly config: Config) {}

  /** Encrypts a text for storage; `open` requires the same `purpose`. */
  seal(purpose: string, plain: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), iv);
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Decrypts a sealed text. @throws UnreadableSecret */
  open(purpose: string, sealed: string): string {
    const opened = this.tryOpen(purpose, sealed);
    if (!opened) throw new UnreadableSecret();
    return opened.plain;
  }

  /** Like `open`, but also returns the secret under which the text was sealed; null if no known secret decrypts it. */
  tryOpen(purpose: string, sealed: string): Opened | null {
    const bytes = Buffer.from(sealed, 'base64');
    for (const [secret, key] of this.keysOf(purpose).entries()) {
      const plain = decrypt(key, bytes);
      if (plain !== null) return { plain, secret };
    }
    return null;
  }

  /** HMAC-SHA256 of a value under a key derived for this purpose. */
  mac(purpose: string, value: string): Buffer {
    return macUnder(this.key(purpose), value);
  }

  /** Whether `given` is the HMAC of this value for this purpose, or its first `bytes`, under APP_SECRET or a previous secret. */
  isMac(
    given: string,
    { purpose, value, encoding, bytes }: { purpose: string; value: string; encoding: 'base64url' | 'hex'; bytes?: number },
  ): boolean {
    const macs = this.keysOf(purpose).map((key) => macUnder(key, value).subarray(0, bytes).toString(encoding));
    return macs.filter((mac) => equalInConstantTime(mac, given)).length > 0; // compares all, to take the same time for any match
  }

  /** The key of a purpose under one of the secrets (see Opened), for records that outlive the secret; it must only be stored sealed. */
  key(purpose: string, secret = 0): Buffer {
    const key = this.keysOf(purpose)[secret];
    if (!key) throw new Error(`There is no secret ${secret}.`);
    return key;
  }

  private keysOf(purpose: string): readonly Buffer[] {
    let keys = this.keys.get(purpose);
    if (!keys) {
      const secrets = [this.config.appSecret, ...this.config.appSecretPrevious];
      keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
      this.keys.set(purpose, keys);
    }
    return keys;
  }
}

const macUnder = (key: Buffer, value: string): Buffer => createHmac('sha256', key).update(value).digest();

/** Null if the text was sealed under another key or modified. */
function decrypt(key: Buffer, bytes: Buffer): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** SHA-256 of a random secret, base64url, in which form tokens and client secrets are stored. Not for passwords, which can be guessed. */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url');

/** Compares two texts in a time that depends only on their lengths. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A column that contains texts sealed by SecretBoxService. */
export interface SealedColumn {
  readonly entity: EntityTarget<ObjectLiteral>;
  readonly property: string;
  /** The purpose under which they were sealed. */
  readonly purpose: string;
  /** The texts are JSON objects; re-encryption adds the key of this purpose under the old secret to each, as `macKey` in base64. */
  readonly keepsMacKeyOf: string | null;
}

/** All sealed columns, in the order in which the entities are loaded. */
export const sealedColumns: SealedColumn[] = [];

interface SealedOptions {
  /** For records with a value that was derived from the old secret and cannot be recomputed. */
  readonly keepsMacKeyOf?: string;
}

/**
 * Declares that a column contains texts sealed by `SecretBoxService.seal(purpose, …)`, or null. `admin keys reencrypt` finds columns by this
 * decorator, and a test finds columns and purposes without it.
 */
export const Sealed =
  (purpose: string, { keepsMacKeyOf }: SealedOptions = {}): PropertyDecorator =>
  ({ constructor: entity }, property) => {
    sealedColumns.push({ entity, property: String(property), purpose, keepsMacKeyOf: keepsMacKeyOf ?? null });
  };
