/** What kind of refusal it is; shared/http gives each kind its status code. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable';

/** One problem of an input: `path` in dots (`formats.0.formatId`). */
export interface FieldProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Further members of the problem document (RFC 9457 section 3.2); `retryAfter` in seconds becomes a header. */
export interface ErrorExtras {
  readonly errors?: readonly FieldProblem[];
  readonly retryAfter?: number;
  readonly [member: string]: unknown;
}

/** A rule of the domain refused the request. `code` is stable and in the catalogue, `detail` one plain sentence for a person. */
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
