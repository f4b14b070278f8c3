import { type DomainError, type FieldProblem, generalErrors } from '../../shared/errors/index.js';

/** The refusal of an input that names what is not there or does not fit, with every problem of it. */
export function invalidInput(...errors: readonly FieldProblem[]): DomainError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
}
