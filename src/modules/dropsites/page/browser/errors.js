/** There was no response: the connection is lost, or the server does not answer. */
export class NetworkError extends Error {
  /** @override */
  name = 'NetworkError';
}

/** The page aborted the request: for a pause or a cancellation. */
export class Interrupted extends Error {
  /** @override */
  name = 'Interrupted';
}

/** The object storage refused. */
export class StorageProblem extends Error {
  /** @override */
  name = 'StorageProblem';

  /** @param {{ status: number, code: string, message: string, serverTime?: string | null }} answer */
  constructor({ status, code, message, serverTime = null }) {
    super(message || `The storage answered ${status}.`);
    this.status = status;
    this.code = code;
    /** The server's time, if it refused the request because of the client's clock. */
    this.serverTime = serverTime;
  }
}

/** The service refused: a problem document (RFC 9457). */
export class ServiceProblem extends Error {
  /** @override */
  name = 'ServiceProblem';

  /** @param {{ status: number, code: string, message: string, retryAfter?: number | null }} answer */
  constructor({ status, code, message, retryAfter = null }) {
    super(message);
    this.status = status;
    this.code = code;
    /** Seconds. */
    this.retryAfter = retryAfter;
  }
}

/** The file on the person's disk has changed or cannot be read. */
export class FileGone extends Error {
  /** @override */
  name = 'FileGone';
}
