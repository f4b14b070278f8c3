import { defineErrors } from '../errors/index.js';

export const storageErrors = defineErrors({
  storage_unavailable: {
    kind: 'unavailable',
    meaning: 'The object storage or its security token service does not answer; nothing was changed, the same call works later.',
  },
  storage_denied: {
    kind: 'unavailable',
    meaning:
      'The object storage or its security token service refuses the service a right; nothing was changed. The operator has to grant it; `admin check storage` says which one is missing.',
  },
});

const RETRY_AFTER_SECONDS = 5;

/** What callers get to hear when the storage fails; the reason is for the log. */
export const storageUnavailable = () =>
  storageErrors.storage_unavailable('The object storage cannot be reached at the moment. Nothing was changed; try the same call again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/** What the service wanted of the storage: an operation of S3 or STS, and below which prefix of the bucket, if it is about objects. */
export interface StorageOperation {
  readonly operation: string;
  readonly keyPrefix?: string;
}

/** What callers are told when the storage refuses the service a right: whom to ask, and for what. */
export const storageDenied = ({ operation, keyPrefix }: StorageOperation) =>
  storageErrors.storage_denied(
    `The object storage denies the service ${operation}${keyPrefix ? ` below ${keyPrefix}` : ''}. Nothing was changed; the operator has to grant it.`,
  );

/** Codes of a 403 that is not about rights: a wrong clock. */
const NOT_ABOUT_RIGHTS = ['RequestTimeTooSkewed', 'RequestExpired'];

/** Whether S3 or STS answered and refused: a right is missing, or the credentials are unknown. */
export function isDenied(error: unknown): boolean {
  if (!(error instanceof Error) || NOT_ABOUT_RIGHTS.includes(error.name)) return false;
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode === 403 || error.name === 'AccessDenied';
}

/** `uploads/1/…` → `uploads/`: what policies are about, without the names of customers' files. */
export const prefixOf = (key: string): string => key.slice(0, key.indexOf('/') + 1);
