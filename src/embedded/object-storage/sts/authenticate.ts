import type { Incoming } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import { MAX_SKEW_MS, REGION } from '../settings.js';
import { checkSignature, type Signer } from '../signature/check-signature.js';
import { type Claim, claimedAt, readClaim } from '../signature/read-claim.js';
import { type Identity, serviceIdentity, sessionIdentity } from './identity.js';
import { openToken, secretOf } from './session-token.js';

/** A key as AWS hands them out. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What tells true credentials from others. */
export interface Authority {
  /** The long-lived key of the service. */
  readonly key: AccessKey;
  /** Seals session tokens. */
  readonly secret: string;
  readonly now: () => Date;
}

/** For whom a request is checked. */
export interface Expectation {
  readonly service: 's3' | 'sts';
  /** The hash of a body that was read already; undefined: as the request says. */
  readonly payload?: string;
}

/** A request whose origin is sure. */
export interface Authenticated {
  readonly identity: Identity;
  readonly signer: Signer;
  /** Hash of the body, or how it is sent. */
  readonly payload: string;
}

interface Credentials {
  readonly identity: Identity;
  readonly secretAccessKey: string;
}

/** Who sent this request. @throws StorageError when that is not sure */
export function authenticate(incoming: Incoming, authority: Authority, { service, payload }: Expectation): Authenticated {
  const claim = readClaim(incoming);
  checkScope(claim, service);
  const { identity, secretAccessKey } = findCredentials(claim, authority);
  checkTime(claim, authority.now());
  const covered = payload ?? claim.payload;
  if (covered === undefined) throw new StorageError('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  const signer = checkSignature(incoming, claim, secretAccessKey, covered);
  checkHeadersSigned(incoming, claim);
  return { identity, signer, payload: covered };
}

function checkScope({ scope, time }: Claim, service: string): void {
  const fault = (what: string) => new StorageError('AuthorizationHeaderMalformed', `The authorization header is malformed; ${what}.`);
  if (scope.service !== service) throw fault(`incorrect service "${scope.service}". This endpoint belongs to "${service}"`);
  if (scope.region !== REGION) throw fault(`the region '${scope.region}' is wrong; expecting '${REGION}'`);
  if (scope.date !== time.slice(0, 8)) throw fault(`invalid credential date "${scope.date}"`);
}

/** Whether a session has expired is told before all that concerns the time of the request, because that is what its holder can mend. */
function findCredentials({ accessKeyId, sessionToken }: Claim, { key, secret, now }: Authority): Credentials {
  if (sessionToken === undefined) {
    if (accessKeyId !== key.accessKeyId) throw new StorageError('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId });
    return { identity: serviceIdentity(accessKeyId), secretAccessKey: key.secretAccessKey };
  }
  const session = openToken(secret, sessionToken);
  if (session === null || session.accessKeyId !== accessKeyId) throw new StorageError('InvalidToken');
  if (now().getTime() >= session.expiresAt) throw new StorageError('ExpiredToken');
  return { identity: sessionIdentity(session), secretAccessKey: secretOf(secret, sessionToken) };
}

function checkTime(claim: Claim, now: Date): void {
  const ageMs = now.getTime() - claimedAt(claim);
  const times = { RequestTime: claim.time, ServerTime: now.toISOString() };
  if (claim.expiresSeconds === null) {
    if (Math.abs(ageMs) > MAX_SKEW_MS) throw new StorageError('RequestTimeTooSkewed', undefined, times);
    return;
  }
  if (ageMs > claim.expiresSeconds * 1_000) throw new StorageError('AccessDenied', 'Request has expired', times);
  if (ageMs < -MAX_SKEW_MS) throw new StorageError('AccessDenied', 'Request is not yet valid', times);
}

/** Otherwise somebody in between could add a header that changes what the request means. */
function checkHeadersSigned({ headers }: Incoming, { signedHeaders }: Claim): void {
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  // Of a presigned address the token stands in the query; what only repeats how the body is sent changes nothing.
  const harmful = unsigned.filter((name) => name !== 'x-amz-content-sha256');
  if (harmful.length > 0)
    throw new StorageError('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: harmful.join(', '),
    });
}
