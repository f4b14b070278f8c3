export { defineErrors, errorCatalogue } from './define-errors.js';
export { DomainError, type ErrorExtras, type ErrorKind, type FieldProblem } from './domain-error.js';
export { generalErrors } from './general-errors.js';
export { isError } from './is-error.js';
export { StartupError } from './startup-error.js';
