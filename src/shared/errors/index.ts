export {
  DomainError,
  defineErrors,
  type ErrorExtras,
  type ErrorKind,
  errorCatalogue,
  type FieldProblem,
  generalErrors,
  isError,
} from './domain-error.js';
export { StartupError } from './startup-error.js';
