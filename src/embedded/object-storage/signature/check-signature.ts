import { timingSafeEqual } from 'node:crypto';
import { type Incoming, parameter } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import {
  amzTime,
  canonicalRequest,
  isAmzTime,
  type Scope,
  type Signable,
  scopeText,
  sha256Hex,
  signatureOf,
  signingKey,
} from './sign-request.js';

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

/** Who a request says that it comes from, and how that can be checked. */
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
