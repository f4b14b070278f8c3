import type { FieldProblem } from '../../shared/errors/index.js';
import { ValidateDeeply, valueTypes } from '../../shared/validation/index.js';

/** Parameters of one format; more are a mistake. */
const MAX_PARAMETERS = 200;
const MAX_PARAMETER_NAME_CHARACTERS = 100;
/** Far more than any converter is given; formats stay in memory. */
const MAX_VALUE_CHARACTERS = 131_072;

/** An object of command parameters: texts, numbers and booleans by their names. */
export const IsParameters = () => ValidateDeeply('isParameters', findProblems);

function findProblems(value: unknown): FieldProblem[] {
  if (!valueTypes.object.accepts(value)) return [{ path: '', code: 'type', message: valueTypes.object.words }];
  const parameters = Object.entries(value as object);
  if (parameters.length > MAX_PARAMETERS) {
    return [{ path: '', code: 'max_members', message: `must have ${MAX_PARAMETERS} parameters or less` }];
  }
  return parameters.flatMap(([path, parameter]) => ofParameter(path, parameter));
}

const PARAMETER_TYPES = ['text', 'number', 'boolean'] as const;

function ofParameter(name: string, value: unknown): FieldProblem[] {
  if (name === '' || name.length > MAX_PARAMETER_NAME_CHARACTERS) {
    const message = `the names of parameters have 1 to ${MAX_PARAMETER_NAME_CHARACTERS} characters`;
    return [{ path: name.slice(0, MAX_PARAMETER_NAME_CHARACTERS), code: 'parameter_name', message }];
  }
  if (!PARAMETER_TYPES.some((type) => valueTypes[type].accepts(value))) {
    return [{ path: name, code: 'type', message: 'must be a text, a number, true or false' }];
  }
  return typeof value !== 'string' || value.length <= MAX_VALUE_CHARACTERS
    ? []
    : [{ path: name, code: 'max_length', message: `must have ${MAX_VALUE_CHARACTERS} characters or less` }];
}
