/** Nothing came back: the line is broken, or the other side does not answer. */
export class NetworkError extends Error {
  /** @override */
  name = 'NetworkError';
}

/** We ended it ourselves: a pause, or the person gave up. */
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
    /** What its clock shows, if it thinks that ours is wrong. */
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

/** The file on the person's disk is not what was chosen any more. */
export class FileGone extends Error {
  /** @override */
  name = 'FileGone';
}
