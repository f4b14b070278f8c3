import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer.js';
import type { Incoming } from '../http/incoming.js';
import { type ErrorCode, StorageError } from '../http/storage-error.js';
import { type XmlFields, xmlDocument } from '../http/xml.js';
import { ACCOUNT } from '../settings.js';
import { sha256Hex } from '../signature/canonical-request.js';
import { assumeRole } from './assume-role.js';
import { type Authority, authenticate } from './authenticate.js';
import type { Identity } from './identity.js';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const VERSION = '2011-06-15';

type Action = (input: ReadonlyMap<string, string>, caller: Identity, authority: Authority) => XmlFields;

const actions: Readonly<Record<string, Action>> = {
  AssumeRole: assumeRole,
  GetCallerIdentity: (_input, { arn, userId }) => ({ Arn: arn, UserId: userId, Account: ACCOUNT }),
};

/** The Query API of the security token service: a form in, XML out. */
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

/** What S3 and STS call differently when credentials are wrong. */
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
