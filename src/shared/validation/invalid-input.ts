import { type DomainError, type FieldProblem, generalErrors } from '../errors/index.js';

/** The refusal of an input with every problem of it, the first of each field. */
export function invalidInput(...problems: readonly FieldProblem[]): DomainError {
  const byPath = new Map<string, FieldProblem>();
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  const errors = [...byPath.values()];
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
}

/** Throws it when there are problems. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidInput(...problems);
}
