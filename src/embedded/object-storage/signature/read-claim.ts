import { type Incoming, parameter } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import { amzTime, isAmzTime } from './amz-time.js';
import type { Scope } from './signing-key.js';

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

/** The claim of a request in its Authorization header or in its query. @throws StorageError when there is none, or a malformed one */
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
