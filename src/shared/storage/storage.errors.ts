import { defineErrors } from '../errors.js';

export const storageErrors = defineErrors({
  storage_unavailable: {
    kind: 'unavailable',
    meaning: 'The object storage or its security token service does not answer; nothing was changed. Repeat the call later.',
  },
  storage_denied: {
    kind: 'unavailable',
    meaning:
      'The object storage or its security token service denies the service a permission; nothing was changed. The operator has to grant it; `admin check storage` shows which one is missing.',
  },
});

const RETRY_AFTER_SECONDS = 5;

/** The error for callers when the storage fails; the reason is logged. */
export const storageUnavailable = () =>
  storageErrors.storage_unavailable('The object storage cannot be reached at the moment. Nothing was changed; repeat the call later.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** A call to the storage: an S3 or STS operation, and the key prefix if it concerns objects. */
export interface StorageOperation {
  readonly operation: string;
  readonly keyPrefix?: string;
}

/** The error for callers when the storage denies the service a permission. */
export const storageDenied = ({ operation, keyPrefix }: StorageOperation) =>
  storageErrors.storage_denied(
    `The object storage denies the service ${operation}${keyPrefix ? ` below ${keyPrefix}` : ''}. Nothing was changed; the operator has to grant it.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );

/** Codes of 403 responses that indicate a wrong clock instead of a missing permission. */
const NOT_ABOUT_RIGHTS = ['RequestTimeTooSkewed', 'RequestExpired'];

/** Whether S3 or STS denied the call: a permission is missing, or the credentials are unknown. */
export function isDenied(error: unknown): boolean {
  if (!(error instanceof Error) || NOT_ABOUT_RIGHTS.includes(error.name)) return false;
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode === 403 || error.name === 'AccessDenied';
}

/** Codes of connections that were attempted in vain. A refused one fails at once. */
const SILENT_CODES = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

/** The error of a call to S3 or STS that had no answer in time. */
export const noAnswer = (ms: number): Error => Object.assign(new Error(`no answer within ${ms / 1_000} seconds`), { name: 'TimeoutError' });

/** Whether a call to S3 or STS waited in vain, so that every further one would wait as long. */
export function isUnanswered(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { readonly name?: string; readonly code?: unknown };
  return name === 'TimeoutError' || SILENT_CODES.has(String(code));
}

/** The log members of a failed call to S3 or STS. */
export interface AwsFailure {
  readonly err: unknown;
  /** The status of the response; absent if there was none. */
  readonly status?: number;
  /** The id that the storage assigned to the call, for questions to its operator. */
  readonly storageRequestId?: string;
}

/**
 * Describes a failed call to S3 or STS. A proxy in front of them may respond with a page instead of XML, which the SDK reports as a
 * parser error, so that only the status shows what happened.
 */
export function describeFailure(error: unknown): AwsFailure {
  const { $metadata: metadata, $fault: fault } = (error ?? {}) as { $metadata?: Record<string, unknown>; $fault?: unknown };
  const { httpStatusCode: status, requestId } = metadata ?? {};
  if (typeof status !== 'number') return { err: error };
  const hasReason = fault !== undefined && (error as Error).message !== 'Unknown'; // the SDK's message for a response whose XML contains no error
  const err = hasReason ? error : new Error(`The answer has the status ${status} and no error of S3 or STS.`, { cause: error });
  return { err, status, ...(typeof requestId === 'string' && { storageRequestId: requestId }) };
}

/** Why a part cannot be used, as a sentence for the operator. `part`: its name and host. */
export function describeOutage(part: string, { operation }: StorageOperation, error: unknown): string {
  if (isDenied(error)) return `The ${part} denies the service ${operation}: \`admin check storage\` names the missing permissions.`;
  const { status } = describeFailure(error);
  const { name, message, code } = error as { name?: string; message?: string; code?: unknown };
  const reason = typeof code === 'string' ? code : status === undefined ? (message ?? name) : `status ${status}, ${name}`;
  return `The ${part} does not work (${reason}).`;
}

/** `uploads/1/…` → `uploads/`: the prefix that policies use, without the names of customers' files. */
export const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1);
