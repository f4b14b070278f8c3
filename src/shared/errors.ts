import { types } from 'node:util';

/** The kind of an error; shared/http maps each kind to a status code. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable';

/** One problem of an input; `path` uses dots (`formats.0.formatId`). */
export interface FieldProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Additional members of the problem document (RFC 9457 section 3.2); `retryAfter`, in seconds, and `allow`, methods, become headers. */
export interface ErrorExtras {
  readonly allow?: readonly string[];
  readonly errors?: readonly FieldProblem[];
  readonly retryAfter?: number;
  readonly [member: string]: unknown;
}

/** An error of the domain's rules. `code` is stable and listed in the catalogue; `detail` is one plain sentence for people. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    readonly detail: string,
    readonly extras: ErrorExtras = {},
  ) {
    super(detail);
  }
}

interface ErrorDefinition {
  readonly kind: ErrorKind;
  /** When the error occurs and what to do; printed in docs/errors.md. */
  readonly meaning: string;
}

type ErrorFactories<Codes extends string> = Readonly<Record<Codes, (detail: string, extras?: ErrorExtras) => DomainError>>;

/** Every error code of the service with its kind and meaning; a test compares docs/errors.md with it. */
export const errorCatalogue = new Map<string, ErrorDefinition>();

/** Declares a module's error codes and returns one factory per code. Throws when the module loads if a code is declared twice. */
export function defineErrors<Codes extends string>(definitions: Record<Codes, ErrorDefinition>): ErrorFactories<Codes> {
  const factories: Record<string, (detail: string, extras?: ErrorExtras) => DomainError> = {};
  for (const [code, definition] of Object.entries<ErrorDefinition>(definitions)) {
    if (errorCatalogue.has(code)) throw new Error(`The error code ${code} is declared twice.`);
    errorCatalogue.set(code, definition);
    factories[code] = (detail, extras) => new DomainError(definition.kind, code, detail, extras);
  }
  return factories as ErrorFactories<Codes>;
}

/** The codes that any operation may return. */
export const generalErrors = defineErrors({
  validation_failed: { kind: 'invalid', meaning: 'The input breaks a rule; `errors` lists every problem with its path.' },
  unauthenticated: { kind: 'unauthenticated', meaning: 'No valid credentials came with the request.' },
  token_invalid: { kind: 'unauthenticated', meaning: 'The access token is malformed, revoked, or was issued for another service.' },
  token_expired: { kind: 'unauthenticated', meaning: 'The access token has expired; get a new one.' },
  device_mismatch: { kind: 'unauthenticated', meaning: 'The token is bound to a device; send the same value in x-service-device.' },
  insufficient_scope: { kind: 'forbidden', meaning: 'The token lacks the scope; `api:read` allows GET only.' },
  support_access_denied: { kind: 'forbidden', meaning: 'Support staff cannot do this on behalf of a user; the user must do it.' },
  not_found: { kind: 'not_found', meaning: 'The resource does not exist, or belongs to another customer.' },
  precondition_failed: { kind: 'precondition_failed', meaning: 'The resource has changed since the version in If-Match; read it again.' },
  payload_too_large: { kind: 'too_large', meaning: 'The request body is larger than the operation accepts.' },
  rate_limited: { kind: 'rate_limited', meaning: 'Too many requests; wait for the seconds in Retry-After.' },
  service_unavailable: {
    kind: 'unavailable',
    meaning:
      'The service cannot reach its database, or too many requests wait for the same work; try again after the seconds in Retry-After.',
  },
});

/** Whether the value is an error, including Node's own errors that were created outside the sandbox of the tests. */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

/**
 * SQLSTATE classes and codes of a server that is temporarily unusable: connection lost, read-only after a failover, shutting down, starting,
 * no connection left, a statement that waited too long, or a login that is refused (a changed password, a missing role, database or privilege).
 */
const SQLSTATES = /^(08...|25006|28...|3D000|42501|57P0[1-5]|57014|55P03|53...)$/;
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** Messages of pg errors without a code, and of TypeORM about a transaction whose connection broke between two statements. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Query runner already released|SASL: |The server does not support SSL connections|There was an error establishing an SSL connection)/;
/** Codes of Node.js for TLS that cannot be established: an expired or unknown certificate, another name, another protocol. */
const TLS = /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET)|EPROTO$)/;

/** Whether a statement failed because PostgreSQL is unavailable, so that the same request may succeed later. */
export function isDatabaseDown(error: unknown): boolean {
  if (!isError(error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return SYSTEM.has(code) || SQLSTATES.test(code) || TLS.test(code);
  return MESSAGES.test(error.message);
}

/** Whether work failed because PostgreSQL, the storage or another part outside of the process is unavailable. */
export const isOutage = (error: unknown): boolean => (error instanceof DomainError ? error.kind === 'unavailable' : isDatabaseDown(error));

/** The service cannot start; `message` is one line that tells the operator what to do. Printed without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
