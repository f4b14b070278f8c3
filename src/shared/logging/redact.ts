import { isError } from '../errors.js';

const MAX_DEPTH = 8; // no log line is nested deeper; also ends circular structures

const CENSORED = '[redacted]';

/** Members that contain a URL of the service, or its path. */
const ADDRESSES = new Set(['path', 'url', 'referer', 'location']);
/** Ids that grant access to what they identify: links of deliveries, downloads and dropsites, jobs, sign-ins, tickets of previews. */
const CAPABILITY =
  /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|(?<=\/v4\/(?:authorize|interaction)\/)([\w-]{8})[\w-]+|(?<=\/v5\/preview\/)(\d{1,10})\.[\w.-]+/gi;

/**
 * Returns a copy for the log without the values of members whose names mark them as secrets, at any depth and in any spelling. Ids in URLs that
 * grant access are shortened to a prefix that still distinguishes them. Instances of
 * classes (a request, a connection) are replaced by the class name, because their content is unknown.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (isError(value)) return describeError(value, depth);
  if (Array.isArray(value)) return value.map((inner) => redact(inner, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor?.name}]`;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecret(name) ? censor(inner) : redactMember(name, inner, depth + 1)]),
  );
}

function redactMember(name: string, value: unknown, depth: number): unknown {
  if (typeof value !== 'string' || !ADDRESSES.has(name.toLowerCase())) return redact(value, depth);
  return value.replace(CAPABILITY, (_, link?: string, signIn?: string, media?: string) => `${link ?? signIn ?? media}…`);
}

const censor = (value: unknown): unknown => (value === undefined || value === null ? value : CENSORED);

/** Members of an error that help to find its cause. Others are omitted: a failed statement carries its parameters, an invalid body its text. */
const DIAGNOSTIC = ['code', 'errno', 'syscall', 'address', 'port', 'status', 'severity', 'constraint', 'table', 'column', 'error_detail'];

function describeError(error: Error, depth: number): object {
  const members = error as unknown as Record<string, unknown>;
  const { cause, errors } = members;
  return {
    type: error.name,
    message: error.message,
    ...Object.fromEntries(DIAGNOSTIC.filter((name) => isPlain(members[name])).map((name) => [name, members[name]])),
    stack: error.stack,
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
    ...(Array.isArray(errors) ? { errors: redact(errors, depth + 1) } : {}),
  };
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

const SECRET =
  /password|passwd|pwd|passphrase|apikey|secret|token|cookie|credential|assertion|codeverifier|signingkey|privatekey|databaseurl|connectionstring|smtpurl|sealed/;
/** Whole names only: `d` is the private part of a JWK; `auth`, `bearer`, `pass` and `pin` occur within too many other words. */
const SECRET_ALONE = new Set(['authorization', 'proxyauthorization', 'auth', 'bearer', 'code', 'authorizationcode', 'd', 'pass', 'pin']);

/** Whether a member with this name is a secret, in any spelling of the name. */
export function isSecret(name: string): boolean {
  const plain = name.replace(/[-_. ]/g, '').toLowerCase();
  return SECRET_ALONE.has(plain) || SECRET.test(plain);
}
