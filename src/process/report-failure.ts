import { StartupError } from '../shared/errors/index.js';

/** Ends a program that cannot go on: one plain message for what the operator can mend, the whole error for what nobody expected. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
  // What is still open (a pool, a timer) must not keep a failed program alive.
  setImmediate(() => process.exit(1));
}
