import { isObject } from '../../instructions/is-object.js';
import { mistyped, problem, type Rule, within } from './rule.js';

/** Any value of JSON; null is one. Numbers are finite: JSON has no other, but `1e999` is read as one. */
export const anyJson: Rule = (value, path) => {
  if (typeof value === 'number' && !Number.isFinite(value)) return problem(path, 'is_finite', 'must be a finite number');
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => anyJson(inner, within(path, name)));
};

/** An object of JSON with any members. */
export const jsonObject: Rule = (value, path) => (isObject(value) ? anyJson(value, path) : mistyped(path, 'object'));
