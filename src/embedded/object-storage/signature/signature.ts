import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Incoming, parameter, StorageError } from '../http/messages.js';

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

/** Compares in a time that does not reveal where two texts differ. */
export function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The sender that a request names, and what proves it. */
export interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly sessionToken: string | undefined;
  /** As in the request: 20261120T124400Z */
  readonly time: string;
  /** Hash of the body, or how it is sent; undefined when the request does not say. */
  readonly payload: string | undefined;
  /** Of a presigned address: how long after `time` it counts. */
  readonly expiresSeconds: number | null;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const WEEK_SECONDS = 604_800;

/** Whether a request claims a sender at all. */
export const isSigned = (incoming: Incoming): boolean =>
  incoming.headers.has('authorization') || incoming.query.some(([name]) => name.toLowerCase().startsWith('x-amz-'));

/** The claim of a request in its Authorization header or in its query. @throws StorageError without one, or for a malformed one */
export function readClaim(incoming: Incoming): Claim {
  if (parameter(incoming, 'X-Amz-Algorithm') !== undefined) return readPresigned(incoming);
  const header = incoming.headers.get('authorization');
  if (header === undefined) throw new StorageError('AccessDenied', 'The request is not signed.');
  return readHeader(header, incoming);
}

function readHeader(header: string, { headers }: Incoming): Claim {
  const fault = (what: string) => new StorageError('AuthorizationHeaderMalformed', `The authorization header is malformed; ${what}.`);
  const [algorithm = '', rest = ''] = header.split(/ (.*)/s);
  if (algorithm !== ALGORITHM) throw new StorageError('InvalidRequest', `Please use ${ALGORITHM}.`);
  const fields = new Map(rest.split(',').map((field) => field.trim().split(/=(.*)/s) as [string, string]));
  const time = headers.get('x-amz-date') ?? '';
  if (!isAmzTime(time)) throw new StorageError('AccessDenied', 'AWS authentication requires a valid x-amz-date header.');
  return {
    ...readCredential(fields.get('Credential') ?? '', fault),
    signedHeaders: readSignedHeaders(fields.get('SignedHeaders') ?? '', fault),
    signature: fields.get('Signature') ?? '',
    sessionToken: headers.get('x-amz-security-token'),
    time,
    payload: headers.get('x-amz-content-sha256'),
    expiresSeconds: null,
  };
}

function readPresigned(incoming: Incoming): Claim {
  const fault = (what: string) => new StorageError('AuthorizationQueryParametersError', `Error parsing the query; ${what}.`);
  const read = (name: string) => parameter(incoming, `X-Amz-${name}`);
  if (read('Algorithm') !== ALGORITHM) throw fault(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  const time = read('Date') ?? '';
  if (!isAmzTime(time)) throw fault("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  const expiresSeconds = Number(read('Expires') ?? Number.NaN);
  if (!(expiresSeconds >= 0 && expiresSeconds <= WEEK_SECONDS)) throw fault('X-Amz-Expires must be less than a week (in seconds)');
  return {
    ...readCredential(read('Credential') ?? '', fault),
    signedHeaders: readSignedHeaders(read('SignedHeaders') ?? '', fault),
    signature: read('Signature') ?? '',
    sessionToken: read('Security-Token'),
    time,
    payload: read('Content-Sha256') ?? incoming.headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD',
    expiresSeconds,
  };
}

type Fault = (what: string) => StorageError;

/** <access key>/<date>/<region>/<service>/aws4_request; an access key of ours has no slash. */
function readCredential(text: string, fault: Fault): { accessKeyId: string; scope: Scope } {
  const [accessKeyId = '', date = '', region = '', service = '', terminator] = text.split('/');
  if (!accessKeyId || terminator !== 'aws4_request') throw fault('the Credential is mal-formed');
  return { accessKeyId, scope: { date, region, service } };
}

function readSignedHeaders(text: string, fault: Fault): string[] {
  const names = text.split(';');
  if (!names.includes('host')) throw fault('the host header must be signed');
  return names;
}

/** Milliseconds since 1970 of a claim's time. */
export const claimedAt = ({ time }: Claim): number => amzTime(time);

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
const isAmzTime = (text: string): boolean => !Number.isNaN(amzTime(text));

/** Milliseconds since 1970; NaN for another text. */
const amzTime = (text: string): number => (PATTERN.test(text) ? Date.parse(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN);

export const toAmzTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
