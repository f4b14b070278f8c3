import { type DomainError, type FieldProblem, generalErrors } from '../errors/index.js';

/** The refusal of an input that names what is not there or does not fit, with every problem of it. */
export function invalidInput(...errors: readonly FieldProblem[]): DomainError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
}

/** Throws it when there are problems. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidInput(...problems);
}
