import { createHash, createHmac } from 'node:crypto';
import type { Incoming } from '../http/incoming.js';

/** A request that is to be sent. */
interface Unsigned {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hash of the body, or how it is sent. */
  readonly payload: string;
}

/** With what, and when. */
interface Signing {
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  readonly service: string;
  readonly at: Date;
}

/** The headers of a request with its signature. */
export function signRequest({ method, url, headers, payload }: Unsigned, { key, region, service, at }: Signing): Record<string, string> {
  const time = toAmzTime(at);
  const scope: Scope = { date: time.slice(0, 8), region, service };
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-date': time };
  const signedHeaders = Object.keys(all).sort();
  const query: Incoming['query'] = [...url.searchParams];
  const request = { method, path: decodeURIComponent(url.pathname), query, headers: new Map(Object.entries(all)) };
  const canonical = canonicalRequest(request, { signedHeaders, payload });
  const text = ['AWS4-HMAC-SHA256', time, scopeText(scope), sha256Hex(canonical)].join('\n');
  const signature = signatureOf(signingKey(key.secretAccessKey, scope), text);
  const credential = `${key.accessKeyId}/${scopeText(scope)}`;
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`,
  };
}

/** What a signature covers besides the request itself. */
interface SignedParts {
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

/** For what a signature counts: one day, region and service. */
export interface Scope {
  /** YYYYMMDD */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

export const scopeText = ({ date, region, service }: Scope): string => `${date}/${region}/${service}/aws4_request`;

/** The key of one day, region and service, derived from a secret. */
export function signingKey(secret: string, { date, region, service }: Scope): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

export const signatureOf = (key: Buffer, text: string): string => hmac(key, text).toString('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Whether a text is a time as signatures write it: 20261120T124400Z. */
export const isAmzTime = (text: string): boolean => !Number.isNaN(amzTime(text));

/** Milliseconds since 1970; NaN for another text. */
export const amzTime = (text: string): number =>
  PATTERN.test(text) ? Date.parse(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN;

export const toAmzTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
