/** One problem of the input; `path` is separated by dots, such as `payload.0.type`. */
export interface InputProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The members of a ProblemError. Other members of a problem document, such as `rule` or `quota`, are kept in `problem`. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly InputProblem[];
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly problem?: Readonly<Record<string, unknown>>;
}

/**
 * The error of every failed call: a refusal of the service (RFC 9457) or of the storage, or a lost connection. Only an abort by the caller is not a
 * ProblemError: it rejects with the reason of the signal.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Stable and in snake_case. */
  readonly code: string;
  /** One sentence for a person; `message` is the same. */
  readonly detail: string;
  /** Every problem of the input; empty for other errors. */
  readonly errors: readonly InputProblem[];
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null;
  /** Seconds after which the call may succeed; null if the service did not send a time. */
  readonly retryAfter: number | null;
  /** The whole problem document. */
  readonly problem: Readonly<Record<string, unknown>>;

  constructor({ status, code, detail, errors = [], requestId = null, retryAfter = null, problem = {} }: Problem, options?: ErrorOptions) {
    super(detail, options);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.problem = problem;
  }

  /** An error for a request without a response: the connection is lost, or the server does not answer. */
  static network(detail: string, cause?: unknown): ProblemError {
    return new ProblemError({ status: 0, code: 'network_error', detail }, { cause });
  }

  /** An error from an unsuccessful response; `body` is its content, parsed if it is JSON. */
  static fromResponse(response: Response, body: unknown): ProblemError {
    const problem = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    const text = (...names: readonly string[]) => names.map((name) => problem[name]).find((value) => typeof value === 'string');
    return new ProblemError({
      status: response.status,
      // OAuth endpoints return `error` and `error_description` (RFC 6749), proxies neither.
      code: (text('code', 'error') as string | undefined) ?? `http_${response.status}`,
      detail:
        (text('detail', 'error_description', 'message') as string | undefined) ??
        `The service returned status ${response.status}. Try again later.`,
      errors: Array.isArray(problem.errors) ? (problem.errors as InputProblem[]) : [],
      requestId: (text('requestId') as string | undefined) ?? response.headers.get('x-request-id'),
      retryAfter: readRetryAfter(response.headers.get('retry-after')),
      problem,
    });
  }
}

/** Reads seconds or a date (RFC 9110, section 10.2.3) as seconds from now; null if there is no valid value. */
export function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
