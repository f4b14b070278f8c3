import { DomainError, StartupError } from '../shared/errors/index.js';

/** What reportFailure() shall print: a refused rule as its sentence; anything unexpected without the values of its SQL statement. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof DomainError) return new StartupError(error.detail);
  if (error instanceof StartupError || !(error instanceof Error)) return error;
  // TypeORM's errors carry the parameters, among them hashes and sealed keys, which console.error would show.
  return error.stack ?? error.message;
}
