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

/** The answer to callers when the storage fails; the reason is logged. */
export const storageUnavailable = () =>
  storageErrors.storage_unavailable('The object storage cannot be reached at the moment. Nothing was changed; repeat the call later.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** A call of the storage: an operation of S3 or STS, and the prefix of the bucket if it is about objects. */
export interface StorageOperation {
  readonly operation: string;
  readonly keyPrefix?: string;
}

/** The answer to callers when the storage denies the service a right. */
export const storageDenied = ({ operation, keyPrefix }: StorageOperation) =>
  storageErrors.storage_denied(
    `The object storage denies the service ${operation}${keyPrefix ? ` below ${keyPrefix}` : ''}. Nothing was changed; the operator has to grant it.`,
  );

/** Codes of a 403 that mean a wrong clock, and not a missing right. */
const NOT_ABOUT_RIGHTS = ['RequestTimeTooSkewed', 'RequestExpired'];

/** Whether S3 or STS denied the call: a right is missing, or the credentials are unknown. */
export function isDenied(error: unknown): boolean {
  if (!(error instanceof Error) || NOT_ABOUT_RIGHTS.includes(error.name)) return false;
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode === 403 || error.name === 'AccessDenied';
}

/** `uploads/1/…` → `uploads/`: the part that policies name, without the names of customers' files. */
export const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1);
