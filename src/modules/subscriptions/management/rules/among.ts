import { problem, type Rule } from './rule.js';

/** One of these values. */
export function among(values: readonly (string | number)[]): Rule {
  return (value, path) =>
    (values as readonly unknown[]).includes(value) ? [] : problem(path, 'is_in', `must be one of ${values.join(', ')}`);
}
