import { ValidateBy, ValidateIf } from 'class-validator';
import { isColor } from '../../shared/color/index.js';

/** Parameters of one format; more are a mistake. */
const MAX_PARAMETERS = 200;
const MAX_PARAMETER_NAME_CHARACTERS = 100;

/** The rules after it are for values that are neither absent nor null. */
export const UnlessNull = () => ValidateIf((_, value) => value !== undefined && value !== null);
/** The rules after it are for values that are not absent. */
export const UnlessAbsent = () => ValidateIf((_, value) => value !== undefined);

export const IsColor = () =>
  ValidateBy({
    name: 'isColor',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isColor(value),
      defaultMessage: () => '$property must be a colour: a name (white), #rrggbb, or one of them with an opacity (black@0.5)',
    },
  });

/** An object of command parameters: texts, numbers and booleans by their names. */
export const IsParameters = () =>
  ValidateBy({
    name: 'isParameters',
    validator: {
      validate: isParameters,
      defaultMessage: () => `$property must be an object of up to ${MAX_PARAMETERS} parameters whose values are texts, numbers or booleans`,
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
        (typeof parameter === 'string' || typeof parameter === 'boolean' || (typeof parameter === 'number' && Number.isFinite(parameter))),
    )
  );
}
