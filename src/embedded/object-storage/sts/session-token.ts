import { createHmac, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { sameText } from '../signature/check-signature.js';

/** What temporary credentials are good for. */
export interface Session {
  readonly accessKeyId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly name: string;
  /** The session policy as text; undefined: the role's policy alone. */
  readonly policy?: string;
}

export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

const MAC_BYTES = 32;

/** Nothing is stored: the token carries the session, sealed with a secret of the data directory. */
export function issueCredentials(secret: string, session: Omit<Session, 'accessKeyId'>): TemporaryCredentials {
  const accessKeyId = `ASIA${base32(randomBytes(16))}`;
  const content = deflateRawSync(JSON.stringify({ ...session, accessKeyId } satisfies Session));
  const sessionToken = Buffer.concat([macOf(secret, content), content]).toString('base64');
  return { accessKeyId, secretAccessKey: secretOf(secret, sessionToken), sessionToken };
}

/** The session that a token carries; null when the token is not of our making. */
export function openToken(secret: string, token: string): Session | null {
  const bytes = Buffer.from(token, 'base64');
  const [mac, content] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
  const isOurs = sameText(mac.toString('hex'), macOf(secret, content).toString('hex')) && bytes.toString('base64') === token;
  return isOurs ? (JSON.parse(inflateRawSync(content).toString()) as Session) : null;
}

/** The secret access key that belongs to a token. */
export function secretOf(secret: string, token: string): string {
  return createHmac('sha256', secret).update('secret access key').update(token).digest('base64').slice(0, 40);
}

const macOf = (secret: string, content: Buffer): Buffer => createHmac('sha256', secret).update('session token').update(content).digest();

export const base32 = (bytes: Buffer): string => Array.from(bytes, (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte & 31]).join('');
