import { MAX_ID } from '../../../../shared/validation/index.js';
import { mistyped, problem, type Rule } from './rule.js';

/** A whole number from `min` on that a column of ids holds. */
export const wholeNumber =
  (min: number): Rule =>
  (value, path) => {
    if (!Number.isInteger(value)) return mistyped(path, 'integer');
    return (value as number) >= min && (value as number) <= MAX_ID
      ? []
      : problem(path, 'is_int', `must be a whole number from ${min} to ${MAX_ID}`);
  };
