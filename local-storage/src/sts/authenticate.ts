import { createHmac, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Incoming, StorageError } from '../http/messages.js';
import { type Attempt, allowedByAll, type Policy, parsePolicy } from '../policy.js';
import { ACCOUNT, BUCKET, MAX_SKEW_MS, REGION, ROLE_ID, ROLE_NAME, ROLE_POLICY, SERVICE_ARN } from '../settings.js';
import { type Claim, checkSignature, claimedAt, isSigned, readClaim, type Signer, sameText } from '../signature/signature.js';

/** The session that temporary credentials represent. */
export interface Session {
  readonly accessKeyId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly name: string;
  /** The session policy as text; undefined: only the role's policy applies. */
  readonly policy?: string;
}

export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

const MAC_BYTES = 32;

/** Issues temporary credentials. Nothing is stored: the token contains the session, encrypted with a secret of the data directory. */
export function issueCredentials(secret: string, session: Omit<Session, 'accessKeyId'>): TemporaryCredentials {
  const accessKeyId = `ASIA${base32(randomBytes(16))}`;
  const content = deflateRawSync(JSON.stringify({ ...session, accessKeyId } satisfies Session));
  const sessionToken = Buffer.concat([macOf(secret, content), content]).toString('base64');
  return { accessKeyId, secretAccessKey: secretOf(secret, sessionToken), sessionToken };
}

/** Decrypts the session in a token; null if this storage did not issue the token. */
export function openToken(secret: string, token: string): Session | null {
  const bytes = Buffer.from(token, 'base64');
  const [mac, content] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
  const isOurs = sameText(mac.toString('hex'), macOf(secret, content).toString('hex')) && bytes.toString('base64') === token;
  return isOurs ? (JSON.parse(inflateRawSync(content).toString()) as Session) : null;
}

/** The secret access key that belongs to a token. */
export function secretOf(secret: string, token: string): string {
  return createHmac('sha256', secret).update('secret access key').update(token).digest('base64').slice(0, 40);
}

const macOf = (secret: string, content: Buffer): Buffer => createHmac('sha256', secret).update('session token').update(content).digest();

export const base32 = (bytes: Buffer): string => Array.from(bytes, (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte & 31]).join('');

/** An access key in AWS's format. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The keys and secrets with which credentials are verified. */
export interface Authority {
  /** The long-lived key of the service. */
  readonly key: AccessKey;
  /** Encrypts session tokens. */
  readonly secret: string;
  readonly now: () => Date;
  /** The Referer with which a CDN may read objects without a signature; undefined: every request needs a signature. */
  readonly originSecret?: string | undefined;
}

/** The values that a request must match. */
interface Expectation {
  readonly service: 's3' | 'sts';
  /** The hash of a body that has already been read; undefined: the hash that the request states. */
  readonly payload?: string;
}

/** A request with a verified sender. */
interface Authenticated {
  readonly identity: Identity;
  readonly signer: Signer;
  /** The hash of the body, or a word that says how it is sent. */
  readonly payload: string;
}

interface Credentials {
  readonly identity: Identity;
  readonly secretAccessKey: string;
}

/** Verifies who sent the request. @throws StorageError if the credentials are missing or wrong */
export function authenticate(incoming: Incoming, authority: Authority, { service, payload }: Expectation): Authenticated {
  if (service === 's3' && isFromCdn(incoming, authority)) return authenticateCdn(incoming);
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

/** Like the bucket policy in docs/cdn.md: requests with this Referer may read objects. */
function isFromCdn(incoming: Incoming, { originSecret }: Authority): boolean {
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
  return originSecret !== undefined && isRead && !isSigned(incoming) && sameText(incoming.headers.get('referer') ?? '', originSecret);
}

function authenticateCdn({ query }: Incoming): Authenticated {
  // As in S3, because otherwise the sender of a link could choose the media type of the response.
  if (query.some(([name]) => name.startsWith('response-')))
    throw new StorageError('InvalidRequest', 'Request specific response headers cannot be used for anonymous GET requests.');
  return { identity: CDN, signer: NO_SIGNER, payload: 'UNSIGNED-PAYLOAD' };
}

function checkScope({ scope, time }: Claim, service: string): void {
  const fault = (what: string) => new StorageError('AuthorizationHeaderMalformed', `The authorization header is malformed; ${what}.`);
  if (scope.service !== service) throw fault(`incorrect service "${scope.service}". This endpoint belongs to "${service}"`);
  if (scope.region !== REGION) throw fault(`the region '${scope.region}' is wrong; expecting '${REGION}'`);
  if (scope.date !== time.slice(0, 8)) throw fault(`invalid credential date "${scope.date}"`);
}

/** Reports an expired session before checking the request's time, because the client can then get a new session. */
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

/** Without this check, an intermediary could add a header that changes the meaning of the request. */
function checkHeadersSigned({ headers }: Incoming, { signedHeaders }: Claim): void {
  const unsigned = [...headers.keys()].filter((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  // A presigned URL carries the token in its query. x-amz-content-sha256 only repeats how the body is sent, so it may be unsigned.
  const harmful = unsigned.filter((name) => name !== 'x-amz-content-sha256');
  if (harmful.length > 0)
    throw new StorageError('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: harmful.join(', '),
    });
}

/** The verified sender of a request. */
export interface Identity {
  readonly arn: string;
  readonly userId: string;
  /** Whether the credentials are temporary credentials of a role. */
  readonly isSession: boolean;
  may(attempt: Attempt): boolean;
}

/** The service with its long-lived key has every permission. */
const serviceIdentity = (accessKeyId: string): Identity => ({
  arn: SERVICE_ARN,
  userId: accessKeyId,
  isSession: false,
  may: () => true,
});

/** Used for requests without a signature, whose bodies are never read. */
const NO_SIGNER: Signer = { key: Buffer.alloc(0), time: '', scope: '', seed: '' };

const CDN_POLICY: Policy = [{ effect: 'Allow', actions: ['s3:GetObject', 's3:GetObjectVersion'], resources: [`arn:aws:s3:::${BUCKET}/*`] }];

const CDN: Identity = {
  arn: 'anonymous',
  userId: 'anonymous',
  isSession: false,
  may: (attempt) => allowedByAll([CDN_POLICY], attempt),
};

/** A session may do what both the role's policy and its own policy allow. */
function sessionIdentity({ name, policy }: Session): Identity {
  const policies = policy === undefined ? [ROLE_POLICY] : [ROLE_POLICY, parsePolicy(policy)];
  return { ...assumedRole(name), isSession: true, may: (attempt) => allowedByAll(policies, attempt) };
}

/** The ARN and user id of a role's session. */
export const assumedRole = (name: string): { arn: string; userId: string } => ({
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${ROLE_NAME}/${name}`,
  userId: `${ROLE_ID}:${name}`,
});
