import { StartupError } from '../../shared/errors/startup-error.js';
import { errorCode, errorPath } from './error-fields.js';

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
