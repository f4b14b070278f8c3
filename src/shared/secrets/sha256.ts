import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a random secret, base64url: how tokens and client secrets are stored. Not for passwords (those are guessable). */
export const sha256 = (value: string): string => createHash('sha256').update(value).digest('base64url');

/** Compares two texts in a time that depends on their lengths only. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
