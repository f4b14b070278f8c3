import { ValidateBy } from 'class-validator';
import { presupposes } from '../validation/index.js';
import { isColor } from './parse-color.js';

/** A text that `parseColor` reads. */
export const IsColor = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isColor',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isColor(value),
        defaultMessage: () => '$property must be a colour: a name (white), #rrggbb, or one of them with an opacity (black@0.5)',
      },
    },
    presupposes('text'),
  );
