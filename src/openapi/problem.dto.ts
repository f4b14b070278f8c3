/** One problem of an input. */
export class FieldProblemResponse {
  /** Path of the field, in dot notation. @example "redirect_uri" */
  path: string;
  /** Stable code. @example "is_string" */
  code: string;
  /** Description of the problem, for people. @example "redirect_uri must be a string" */
  message: string;
}

/** A refusal (RFC 9457). docs/errors.md lists every code. */
export class ProblemResponse {
  /** @example "about:blank" */
  type: string;
  /** The status in words. @example "Bad Request" */
  title: string;
  /** @example 400 */
  status: number;
  /** One plain sentence that says what to do. */
  detail: string;
  /** Stable, for programs. @example "validation_failed" */
  code: string;
  /** The same text as detail, for older clients. */
  message: string;
  /** Correlates with the log of the service. @example "3f0c7d1e-8a1b-4b52-9d5e-6f1d2c3b4a59" */
  requestId: string;
  /** With validation_failed: every problem. */
  errors?: FieldProblemResponse[];
}
