import { type ValidationError, ValidationPipe } from '@nestjs/common';
import { type FieldProblem, generalErrors } from '../errors/index.js';

/** Every problem of an input at once, each with its path in dots. Unknown fields are dropped, never an error. */
export const inputValidation = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidUnknownValues: true,
    validateCustomDecorators: true, // @Input() is one
    stopAtFirstError: true, // one problem per field, all fields
    exceptionFactory: (problems) => {
      const errors = problems.flatMap((problem) => flatten(problem, ''));
      const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
      return generalErrors.validation_failed(`The input is not valid. ${detail}.`, { errors });
    },
  });

function flatten(problem: ValidationError, prefix: string): FieldProblem[] {
  const path = prefix ? `${prefix}.${problem.property}` : problem.property;
  const own = Object.entries(problem.constraints ?? {}).map(([constraint, message]) => ({ path, code: snakeCase(constraint), message }));
  return [...own, ...(problem.children ?? []).flatMap((child) => flatten(child, path))];
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
