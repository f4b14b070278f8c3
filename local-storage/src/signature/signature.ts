import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Incoming, parameter, StorageError } from '../http/messages.js';

/** The values on which the signatures of the request's chunks are based. */
export interface Signer {
  readonly key: Buffer;
  readonly time: string;
  readonly scope: string;
  /** The signature of the request, which the signature of the first chunk covers. */
  readonly seed: string;
}

/** Verifies a signature. @throws StorageError SignatureDoesNotMatch with the computed values, so that a client's author can see the difference */
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

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The credentials that a request claims, and its signature. */
export interface Claim {
  readonly accessKeyId: string;
  readonly scope: Scope;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly sessionToken: string | undefined;
  /** As in the request, such as 20261120T124400Z. */
  readonly time: string;
  /** The hash of the body, or a word that says how it is sent; undefined if the request states neither. */
  readonly payload: string | undefined;
  /** For a presigned URL: how many seconds after `time` it is valid; otherwise null. */
  readonly expiresSeconds: number | null;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const WEEK_SECONDS = 604_800;

/** Whether a request carries a signature. */
export const isSigned = (incoming: Incoming): boolean =>
  incoming.headers.has('authorization') || incoming.query.some(([name]) => name.toLowerCase().startsWith('x-amz-'));

/** Reads the claim from the Authorization header or the query. @throws StorageError if it is missing or malformed */
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

/** Parses <access key>/<date>/<region>/<service>/aws4_request; access keys of this storage contain no slash. */
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

/** The time of a claim in milliseconds since 1970. */
export const claimedAt = ({ time }: Claim): number => amzTime(time);

/** A request to sign. */
interface Unsigned {
  readonly method: string;
  readonly url: URL;
  /** With lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** The hash of the body, or a word that says how it is sent. */
  readonly payload: string;
}

/** The key, the scope and the time of a signature. */
interface Signing {
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  readonly service: string;
  readonly at: Date;
}

/** Signs a request; returns its headers including the signature. */
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

/** The values that a signature covers besides the request itself. */
interface SignedParts {
  readonly signedHeaders: readonly string[];
  /** The hash of the body, or a word such as UNSIGNED-PAYLOAD. */
  readonly payload: string;
}

export type Signable = Pick<Incoming, 'method' | 'path' | 'query' | 'headers'>;

/**
 * The text to sign (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). Path and query are encoded
 * again, because clients differ in what they escape; S3 paths are not normalized.
 */
export function canonicalRequest({ method, path, query, headers }: Signable, { signedHeaders, payload }: SignedParts): string {
  const lines = signedHeaders.map((name) => `${name}:${canonicalValue(headers.get(name) ?? '')}\n`);
  return [method, encodePath(path), canonicalQuery(query), lines.join(''), signedHeaders.join(';'), payload].join('\n');
}

/** Percent-encodes everything but unreserved characters (RFC 3986), including the slash. */
export function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

export const sha256Hex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

const encodePath = (path: string): string => path.split('/').map(encodeRfc3986).join('/');

/** Sorted by encoded name, then by encoded value, in code point order. */
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

/** The scope in which a signature is valid: one day, region and service. */
export interface Scope {
  /** YYYYMMDD */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

export const scopeText = ({ date, region, service }: Scope): string => `${date}/${region}/${service}/aws4_request`;

/** The signing key of one day, region and service, derived from a secret. */
export function signingKey(secret: string, { date, region, service }: Scope): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

export const signatureOf = (key: Buffer, text: string): string => hmac(key, text).toString('hex');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Whether a text is a time in the format of signatures: 20261120T124400Z. */
const isAmzTime = (text: string): boolean => !Number.isNaN(amzTime(text));

/** Milliseconds since 1970; NaN if the text is not such a time. */
const amzTime = (text: string): number => (PATTERN.test(text) ? Date.parse(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN);

export const toAmzTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
