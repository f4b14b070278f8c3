import { timingSafeEqual } from 'node:crypto';
import { StorageError } from '../http/storage-error.js';
import { canonicalRequest, type Signable, sha256Hex } from './canonical-request.js';
import type { Claim } from './read-claim.js';
import { scopeText, signatureOf, signingKey } from './signing-key.js';

/** What later signatures of the same request (of its chunks) build on. */
export interface Signer {
  readonly key: Buffer;
  readonly time: string;
  readonly scope: string;
  /** The signature of the request, with which the chain of chunks begins. */
  readonly seed: string;
}

/** @throws StorageError SignatureDoesNotMatch, with what was computed, so that the author of a client sees the difference */
export function checkSignature(request: Signable, claim: Claim, secret: string, payload: string): Signer {
  const canonical = canonicalRequest(request, { signedHeaders: claim.signedHeaders, payload });
  const scope = scopeText(claim.scope);
  const text = ['AWS4-HMAC-SHA256', claim.time, scope, sha256Hex(canonical)].join('\n');
  const key = signingKey(secret, claim.scope);
  const seed = signatureOf(key, text);
  if (!sameText(seed, claim.signature)) {
    const details = {
      AWSAccessKeyId: claim.accessKeyId,
      StringToSign: text,
      SignatureProvided: claim.signature,
      CanonicalRequest: canonical,
    };
    throw new StorageError('SignatureDoesNotMatch', undefined, details);
  }
  return { key, time: claim.time, scope, seed };
}

/** In a time that tells nothing about where two texts differ. */
export function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
