import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { type Answer, type ErrorCode, type Incoming, StorageError, type XmlFields, xmlDocument } from '../http/messages.js';
import { parsePolicy } from '../policy.js';
import { ACCOUNT, ROLE_ARN } from '../settings.js';
import { sha256Hex } from '../signature/signature.js';
import { type Authority, assumedRole, authenticate, type Identity, issueCredentials } from './authenticate.js';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const VERSION = '2011-06-15';

type Action = (input: ReadonlyMap<string, string>, caller: Identity, authority: Authority) => XmlFields;

const actions: Readonly<Record<string, Action>> = {
  AssumeRole: assumeRole,
  GetCallerIdentity: (_input, { arn, userId }) => ({ Arn: arn, UserId: userId, Account: ACCOUNT }),
};

/** Handles a request to the Query API of the security token service: form input, XML output. */
export function handleSts(incoming: Incoming, body: Buffer, authority: Authority): Answer {
  const { identity } = authenticate(incoming, authority, { service: 'sts', payload: sha256Hex(body) });
  const input = new Map(new URLSearchParams(body.toString()));
  const name = input.get('Action') ?? '';
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined || input.get('Version') !== VERSION) {
    throw new StorageError(
      'InvalidAction',
      `Could not find operation ${name} for version ${input.get('Version') ?? 'NO_VERSION_SPECIFIED'}`,
    );
  }
  const content = { [`${name}Result`]: action(input, identity, authority), ResponseMetadata: { RequestId: randomUUID() } };
  return { status: 200, headers: { 'content-type': 'text/xml' }, body: xmlDocument(`${name}Response`, content, NAMESPACE) };
}

/** Errors about credentials that have another name in STS than in S3. */
const NAMES: Partial<Record<ErrorCode, readonly [code: string, status: number]>> = {
  InvalidAccessKeyId: ['InvalidClientTokenId', 403],
  InvalidToken: ['InvalidClientTokenId', 403],
  ExpiredToken: ['ExpiredToken', 403],
  RequestTimeTooSkewed: ['SignatureDoesNotMatch', 403],
  AuthorizationHeaderMalformed: ['IncompleteSignature', 400],
};

export function stsErrorAnswer({ code, status, message }: StorageError): Answer {
  const [named, answered] = NAMES[code] ?? [code, status];
  const content = {
    Error: { Type: answered < 500 ? 'Sender' : 'Receiver', Code: named, Message: message },
    RequestId: randomUUID(),
  };
  return { status: answered, headers: { 'content-type': 'text/xml' }, body: xmlDocument('ErrorResponse', content, NAMESPACE) };
}

const DEFAULT_DURATION = 3_600;
const MIN_DURATION = 900;
/** Seconds; also the maximum session duration of the role. */
const MAX_DURATION = 43_200;
const MAX_POLICY_CHARACTERS = 2_048;
/** AWS limits the packed size of policies, by an unpublished method and limit. This value allows about 20 keys with random names. */
const MAX_PACKED_BYTES = 512;

/** AssumeRole: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function assumeRole(input: ReadonlyMap<string, string>, caller: Identity, authority: Authority): XmlFields {
  const name = readSessionName(input.get('RoleSessionName'));
  const duration = readDuration(input.get('DurationSeconds'));
  const roleArn = input.get('RoleArn') ?? '';
  refuseUnsupported(input);
  if (caller.isSession || roleArn !== ROLE_ARN) throw notAuthorized(caller, roleArn);
  const policy = input.get('Policy');
  const packed = policy === undefined ? undefined : checkPolicy(policy);
  const expiresAt = Math.floor(authority.now().getTime() / 1_000 + duration) * 1_000;
  const { accessKeyId, secretAccessKey, sessionToken } = issueCredentials(authority.secret, { name, expiresAt, policy });
  const { arn, userId } = assumedRole(name);
  return {
    Credentials: {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAt).toISOString(),
    },
    AssumedRoleUser: { AssumedRoleId: userId, Arn: arn },
    PackedPolicySize: packed,
  };
}

/** Rejects parameters that would narrow or widen the session but are not implemented here. */
function refuseUnsupported(input: ReadonlyMap<string, string>): void {
  const known = ['Action', 'Version', 'RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy'];
  const unknown = [...input.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new StorageError('ValidationError', `The parameter ${unknown} is not supported here.`);
}

function readSessionName(name = ''): string {
  const fault = (constraint: string) => violation({ value: name, at: 'roleSessionName', constraint });
  if (name.length < 2) throw fault('Member must have length greater than or equal to 2');
  if (name.length > 64) throw fault('Member must have length less than or equal to 64');
  if (!/^[\w+=,.@-]+$/.test(name)) throw fault('Member must satisfy regular expression pattern: [\\w+=,.@-]*');
  return name;
}

function readDuration(text = String(DEFAULT_DURATION)): number {
  const fault = (constraint: string) => violation({ value: text, at: 'durationSeconds', constraint });
  const duration = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (duration < MIN_DURATION) throw fault(`Member must have value greater than or equal to ${MIN_DURATION}`);
  if (duration > MAX_DURATION) throw fault(`Member must have value less than or equal to ${MAX_DURATION}`);
  return duration;
}

/** The share of the packed size that a policy takes, in percent. */
function checkPolicy(policy: string): number {
  if (policy === '' || policy.length > MAX_POLICY_CHARACTERS) {
    const [bound, limit] = policy === '' ? ['greater', 1] : ['less', MAX_POLICY_CHARACTERS];
    throw violation({ value: policy, at: 'policy', constraint: `Member must have length ${bound} than or equal to ${limit}` });
  }
  parsePolicy(policy);
  const percent = Math.ceil((deflateRawSync(JSON.stringify(JSON.parse(policy))).length / MAX_PACKED_BYTES) * 100);
  if (percent > 100)
    throw new StorageError('PackedPolicyTooLarge', `Packed policy consumes ${percent}% of allotted space, please use smaller policy.`);
  return percent;
}

function violation({ value, at, constraint }: { value: string; at: string; constraint: string }): StorageError {
  return new StorageError(
    'ValidationError',
    `1 validation error detected: Value '${value}' at '${at}' failed to satisfy constraint: ${constraint}`,
  );
}

const notAuthorized = ({ arn }: Identity, roleArn: string): StorageError =>
  new StorageError('AccessDenied', `User: ${arn} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`);
