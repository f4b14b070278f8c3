import { StartupError } from '../../shared/errors/startup-error.js';

const explanations: Readonly<Record<string, (place: string) => string>> = {
  ENOSPC: (place) => `The disk of ${place} is full: free some space or set DATA_DIR to another disk.`,
  EDQUOT: (place) => `The disk quota for ${place} is used up: free some space or set DATA_DIR to another disk.`,
  EROFS: (place) => `${place} is on a read-only file system: set DATA_DIR to a folder that can be written.`,
  EACCES: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  EPERM: (place) => `No permission for ${place}: give it to the user who runs the service (chown) or set DATA_DIR to another folder.`,
  // Node answers ENOENT instead of EROFS when it cannot make folders.
  ENOENT: (place) => `${place} is missing and cannot be made (a read-only file system?): set DATA_DIR to a folder that can be written.`,
  ENOTDIR: (place) => `${place} is below a file, not a folder: set DATA_DIR to a folder.`,
  EEXIST: (place) => `${place} is a file, not a folder: set DATA_DIR to a folder.`,
};

/** The StartupError that explains a file system error to the operator in one line; any other error comes back as it is. */
export function toStartupError(error: unknown, dataDir: string): unknown {
  const explain = explanations[errorCode(error) ?? ''];
  if (error instanceof StartupError || explain === undefined) return error;
  return new StartupError(explain(errorPath(error) ?? dataDir), { cause: error });
}

/**
 * The `code` of a system error ('ENOENT') or of a PostgreSQL error ('28P01'); undefined without one.
 * Looks at the shape and not at the class: under Jest the errors of Node's own modules are of another realm's Error.
 */
export function errorCode(error: unknown): string | undefined {
  return textOf(error, 'code');
}

/** The `path` of a file system error. */
function errorPath(error: unknown): string | undefined {
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
