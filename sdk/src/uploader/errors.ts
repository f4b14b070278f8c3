import { ProblemError } from '../problem-error.js';

/** The uploader aborted the request: for a pause or a cancellation. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

interface StorageRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly serverTime?: string | null;
  readonly retryAfter?: number | null;
}

/** A refusal of the object storage. */
export class StorageError extends ProblemError {
  /** The code of S3, such as `AccessDenied`. */
  readonly storageCode: string;
  /** The storage's time, if it refused the request because of the client's clock. */
  readonly serverTime: string | null;

  constructor({ status, code, message, serverTime = null, retryAfter = null }: StorageRefusal) {
    const detail = message || `The storage answered ${status}.`;
    super({ status, code: 'storage_refused', detail, retryAfter, problem: { storageCode: code } });
    this.storageCode = code;
    this.serverTime = serverTime;
  }
}

/** The error for a file on the person's disk that has changed or cannot be read. */
export const fileUnreadable = (detail: string): ProblemError => new ProblemError({ status: 0, code: 'file_unreadable', detail });
