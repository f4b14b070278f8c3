import type { Incoming } from '../http/incoming.js';
import { StorageError } from '../http/storage-error.js';
import { type Attempt, allowedByAll, parsePolicy } from '../policy.js';
import { ACCOUNT, MAX_SKEW_MS, REGION, ROLE_ID, ROLE_NAME, ROLE_POLICY, SERVICE_ARN } from '../settings.js';
import { type Claim, checkSignature, claimedAt, readClaim, type Signer } from '../signature/check-signature.js';
import { openToken, type Session, secretOf } from './session-token.js';

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
interface Expectation {
  readonly service: 's3' | 'sts';
  /** The hash of a body that was read already; undefined: as the request says. */
  readonly payload?: string;
}

/** A request whose origin is sure. */
interface Authenticated {
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

/** Otherwise a party in between could add a header that changes what the request means. */
function checkHeadersSigned({ headers }: Incoming, { signedHeaders }: Claim): void {
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  // Of a presigned address the token stands in the query; what only repeats how the body is sent changes nothing.
  const harmful = unsigned.filter((name) => name !== 'x-amz-content-sha256');
  if (harmful.length > 0)
    throw new StorageError('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: harmful.join(', '),
    });
}

/** Who a checked request comes from. */
export interface Identity {
  readonly arn: string;
  readonly userId: string;
  /** Temporary credentials of a role. */
  readonly isSession: boolean;
  may(attempt: Attempt): boolean;
}

/** The service with its long-lived key may do everything. */
const serviceIdentity = (accessKeyId: string): Identity => ({
  arn: SERVICE_ARN,
  userId: accessKeyId,
  isSession: false,
  may: () => true,
});

/** A session may do what the role's policy and its own one both allow. */
function sessionIdentity({ name, policy }: Session): Identity {
  const policies = policy === undefined ? [ROLE_POLICY] : [ROLE_POLICY, parsePolicy(policy)];
  return { ...assumedRole(name), isSession: true, may: (attempt) => allowedByAll(policies, attempt) };
}

/** How the session of a role is called. */
export const assumedRole = (name: string): { arn: string; userId: string } => ({
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${ROLE_NAME}/${name}`,
  userId: `${ROLE_ID}:${name}`,
});
