import { ValidateBy } from 'class-validator';

/** Parameters of one format; more are a mistake. */
const MAX_PARAMETERS = 200;
const MAX_PARAMETER_NAME_CHARACTERS = 100;
/** Far more than any converter is given; formats stay in memory. */
const MAX_VALUE_CHARACTERS = 131_072;

/** An object of command parameters: texts, numbers and booleans by their names. */
export const IsParameters = () =>
  ValidateBy({
    name: 'isParameters',
    validator: {
      validate: isParameters,
      defaultMessage: () =>
        `$property must be an object of up to ${MAX_PARAMETERS} parameters whose values are texts of up to ${MAX_VALUE_CHARACTERS} characters, numbers or booleans`,
    },
  });

function isParameters(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAX_PARAMETERS &&
    entries.every(
      ([name, parameter]) =>
        name !== '' &&
        name.length <= MAX_PARAMETER_NAME_CHARACTERS &&
        ((typeof parameter === 'string' && parameter.length <= MAX_VALUE_CHARACTERS) ||
          typeof parameter === 'boolean' ||
          (typeof parameter === 'number' && Number.isFinite(parameter))),
    )
  );
}
