import { type DomainError, type FieldProblem, generalErrors } from '../errors/index.js';

/** More are not read, and cost time and bytes. */
const MAX_PROBLEMS = 100;

/** The refusal of an input with every problem of it up to a hundred, the first of each field, and the number of those beyond. */
export function invalidInput(...problems: readonly FieldProblem[]): DomainError {
  const byPath = new Map<string, FieldProblem>();
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  const errors = [...byPath.values()].slice(0, MAX_PROBLEMS);
  const beyond = byPath.size - errors.length;
  if (beyond > 0) errors.push({ path: '', code: 'too_many_problems', message: `${beyond} more problems are not listed` });
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
}

/** Throws it when there are problems. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidInput(...problems);
}
