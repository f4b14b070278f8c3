/** The characters of a path and a query (RFC 3986 section 3.3), so that every reader understands the address in the same way. */
const PATH =
  /^\/?(v5\/(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*)(\?(?:[\w.~!$&'()*+,;=:@/?[\]-]|%[\da-f]{2})*)?$/i;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** An address below `/v5/`, as it is sent. */
export interface ApiPath {
  /** `v5/format/7`, for people. */
  readonly path: string;
  /** `?refresh=true`, or nothing. */
  readonly query: string;
}

/**
 * The address of a call, or null unless it is plainly one of the platform API: it begins with `v5/`, without empty segments, dot segments and
 * characters that should be encoded.
 */
export function apiPath(filled: string): ApiPath | null {
  const [, path, query = ''] = PATH.exec(filled) ?? [];
  if (path === undefined || path.includes('//')) return null;
  if (path.split('/').some((segment) => DOTS.test(segment))) return null;
  return path.startsWith('v5/') ? { path, query } : null;
}
