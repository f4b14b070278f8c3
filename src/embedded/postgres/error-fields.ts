/**
 * The `code` of a system error ('ENOENT') or of a PostgreSQL error ('28P01'); undefined when there is none.
 * Looks at the shape and not at the class: under Jest the errors of Node's own modules are of another realm's Error.
 */
export function errorCode(error: unknown): string | undefined {
  return textOf(error, 'code');
}

/** The `path` of a file system error. */
export function errorPath(error: unknown): string | undefined {
  return textOf(error, 'path');
}

/** The `message` of an error; the code where it is empty, as with a refused connection to several addresses. */
export function errorMessage(error: unknown): string {
  return textOf(error, 'message') || (errorCode(error) ?? String(error));
}

function textOf(error: unknown, name: 'code' | 'path' | 'message'): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
