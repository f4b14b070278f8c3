import { createHash } from 'node:crypto';
import type { Incoming } from '../http/incoming.js';

/** What a signature covers besides the request itself. */
export interface SignedParts {
  readonly signedHeaders: readonly string[];
  /** The hash of the body, or a word such as UNSIGNED-PAYLOAD. */
  readonly payload: string;
}

export type Signable = Pick<Incoming, 'method' | 'path' | 'query' | 'headers'>;

/**
 * The text that is signed (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). Path and query
 * are encoded anew, because clients differ in what they escape; a path of S3 is not normalized.
 */
export function canonicalRequest({ method, path, query, headers }: Signable, { signedHeaders, payload }: SignedParts): string {
  const lines = signedHeaders.map((name) => `${name}:${canonicalValue(headers.get(name) ?? '')}\n`);
  return [method, encodePath(path), canonicalQuery(query), lines.join(''), signedHeaders.join(';'), payload].join('\n');
}

/** RFC 3986: all but unreserved characters, the slash included. */
export function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

export const sha256Hex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

const encodePath = (path: string): string => path.split('/').map(encodeRfc3986).join('/');

/** Sorted by the encoded name, then the encoded value, in the order of code points. */
function canonicalQuery(query: Signable['query']): string {
  return query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

const canonicalValue = (value: string): string => value.trim().replace(/\s+/g, ' ');
