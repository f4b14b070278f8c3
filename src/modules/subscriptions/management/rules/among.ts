import { mistyped, problem, type Rule } from './rule.js';

/** One of these values, which are all texts or all numbers. */
export function among(values: readonly string[] | readonly number[]): Rule {
  const type = typeof values[0] === 'number' ? 'integer' : 'text';
  return (value, path) => {
    if (typeof value !== typeof values[0]) return mistyped(path, type);
    return (values as readonly unknown[]).includes(value) ? [] : problem(path, 'is_in', `must be one of ${values.join(', ')}`);
  };
}
