import { StartupError } from '../shared/errors/index.js';

/** Ends a program that cannot continue, with a plain message for problems that the operator can solve, and the whole error for unexpected ones. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
  // What is still open (a pool, a timer) must not keep a failed program alive.
  setImmediate(() => process.exit(1));
}
